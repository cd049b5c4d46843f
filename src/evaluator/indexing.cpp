// Kernels that move elements to or from places which are data: dynamic slices, gather, scatter.
#include <algorithm>
#include <cstring>
#include <limits>

#include "evaluator/element.h"
#include "evaluator/index_space.h"
#include "evaluator/kernels.h"

namespace tenon::evaluator {
namespace {

/// Element `i` of an integer array; unsigned values beyond the signed range come as the highest.
using ReadIndex = std::int64_t (*)(const void* data, std::int64_t i);
ReadIndex find_read_index(DType dtype) {
  return with_element_type(dtype, [dtype]<class T>() -> ReadIndex {
    if constexpr (is_integer<T>) {
      return [](const void* data, std::int64_t i) {
        const T value = static_cast<const T*>(data)[i];
        if constexpr (sizeof(T) == 8 && !std::is_signed_v<T>)
          return static_cast<std::int64_t>(std::min<T>(value, std::numeric_limits<std::int64_t>::max()));
        else
          return static_cast<std::int64_t>(value);
      };
    } else {
      fail<TypeError>("evaluator", "indices must be integers; got ", dtype);
    }
  });
}

/// Copies a block of `sizes` elements between two strided places.
class BlockCopy {
 public:
  BlockCopy(int itemsize, Dims sizes, Dims in_strides, Dims out_strides) : itemsize_(itemsize) {
    while (!sizes.empty() && (sizes.back() == 1 || (in_strides.back() == row_ && out_strides.back() == row_))) {
      row_ *= sizes.back();
      sizes.pop_back();
      in_strides.pop_back();
      out_strides.pop_back();
    }
    sizes_ = std::move(sizes);
    in_strides_ = std::move(in_strides);
    out_strides_ = std::move(out_strides);
  }
  void operator()(const std::byte* in, std::byte* out) const {
    if (row_ == 0) return;
    const auto row_bytes = static_cast<std::size_t>(row_ * itemsize_);
    Odometer to(sizes_, out_strides_);
    for (Odometer from(sizes_, in_strides_); !from.done(); from.next(), to.next())
      std::memcpy(out + to.offset() * itemsize_, in + from.offset() * itemsize_, row_bytes);
  }

 private:
  int itemsize_;
  std::int64_t row_ = 1;
  Dims sizes_, in_strides_, out_strides_;
};

/// Where a slice of `slice` in an array of `shape` begins: the start indices, clamped.
class ClampedStart {
 public:
  ClampedStart(const Aval& array, const Shape& slice, DType index)
      : strides_(row_major_strides(array.shape)), read_(find_read_index(index)) {
    for (std::size_t d = 0; d < slice.size(); ++d) highest_.push_back(array.shape[d] - slice[d]);
  }
  std::int64_t offset(const void* const* indices) const {
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < highest_.size(); ++d)
      offset += std::clamp<std::int64_t>(read_(indices[d], 0), 0, highest_[d]) * strides_[d];
    return offset;
  }

 private:
  Dims strides_, highest_;
  ReadIndex read_;
};

DType index_dtype(const Avals& operands, std::size_t first) {
  return operands.size() > first ? operands[first].dtype : DType(DType::kInt32);
}

class DynamicSlice : public Kernel {
 public:
  DynamicSlice(const Avals& operands, const Aval& result)
      : itemsize_(result.dtype.itemsize()), start_(operands[0], result.shape, index_dtype(operands, 1)),
        copy_(itemsize_, result.shape.dims(), row_major_strides(operands[0].shape), row_major_strides(result.shape)) {}
  void run(const void* const* operands, void* const* results) const override {
    copy_(static_cast<const std::byte*>(operands[0]) + start_.offset(operands + 1) * itemsize_,
          static_cast<std::byte*>(results[0]));
  }

 private:
  int itemsize_;
  ClampedStart start_;
  BlockCopy copy_;
};

class DynamicUpdateSlice : public Kernel {
 public:
  explicit DynamicUpdateSlice(const Avals& operands)
      : itemsize_(operands[0].dtype.itemsize()), size_bytes_(operands[0].nbytes()),
        start_(operands[0], operands[1].shape, index_dtype(operands, 2)),
        copy_(itemsize_, operands[1].shape.dims(), row_major_strides(operands[1].shape),
              row_major_strides(operands[0].shape)) {}
  void run(const void* const* operands, void* const* results) const override {
    if (size_bytes_ > 0) std::memcpy(results[0], operands[0], static_cast<std::size_t>(size_bytes_));
    copy_(static_cast<const std::byte*>(operands[1]),
          static_cast<std::byte*>(results[0]) + start_.offset(operands + 2) * itemsize_);
  }

 private:
  int itemsize_;
  std::int64_t size_bytes_;
  ClampedStart start_;
  BlockCopy copy_;
};

bool contains(const Dims& list, std::int64_t value) { return std::ranges::find(list, value) != list.end(); }

/// How the batch dimensions of gather (and scatter) lead to index vectors and to batch offsets.
class IndexVectors {
 public:
  /// `batch`: for each dimension of `indices` but the vector's, in order. `map`: operand dimension of
  /// each entry of the vector; `operand_batching[i]` goes with dimension `indices_batching[i]`.
  IndexVectors(const Aval& indices, std::int64_t vector_dim, const Dims& map, const Dims& operand_batching,
               const Dims& indices_batching)
      : read_(find_read_index(indices.dtype)), map_(map), operand_batching_(operand_batching) {
    const Dims strides = row_major_strides(indices.shape);
    vector_stride_ = vector_dim < indices.ndim() ? strides[vector_dim] : 0;
    for (std::int64_t d = 0; d < indices.ndim(); ++d) {
      if (d == vector_dim) continue;
      sizes_.push_back(indices.shape[d]);
      strides_.push_back(strides[d]);
    }
    for (std::int64_t d : indices_batching) batch_of_.push_back(d < vector_dim ? d : d - 1);
  }
  const Dims& sizes() const { return sizes_; }
  const Dims& strides() const { return strides_; }
  /// Adds to `start` (an index of the operand) what the vector at `at` says.
  void add(const void* indices, const Odometer& at, Dims& start) const {
    for (std::size_t i = 0; i < map_.size(); ++i)
      start[map_[i]] = read_(indices, at.offset() + static_cast<std::int64_t>(i) * vector_stride_);
    for (std::size_t i = 0; i < operand_batching_.size(); ++i) start[operand_batching_[i]] = at.index()[batch_of_[i]];
  }

 private:
  ReadIndex read_;
  Dims map_, operand_batching_, batch_of_, sizes_, strides_;
  std::int64_t vector_stride_;
};

class Gather : public Kernel {
 public:
  Gather(const Aval& operand, const Aval& indices, const Aval& result, const GatherNumbers& numbers)
      : itemsize_(operand.dtype.itemsize()), operand_shape_(operand.shape), numbers_(numbers),
        strides_(row_major_strides(operand.shape)),
        vectors_(indices, numbers.index_vector_dim, numbers.start_index_map, numbers.operand_batching_dims,
                 numbers.start_indices_batching_dims),
        copy_(make_copy(operand, result, numbers)) {
    const Dims result_strides = row_major_strides(result.shape);
    for (std::int64_t d = 0; d < result.ndim(); ++d)
      if (!contains(numbers.offset_dims, d)) batch_strides_.push_back(result_strides[d]);
    empty_ = result.shape.num_elements() == 0;
  }

  void run(const void* const* operands, void* const* results) const override {
    if (empty_) return;
    Odometer to(vectors_.sizes(), batch_strides_);
    Dims start(operand_shape_.size());
    for (Odometer at(vectors_.sizes(), vectors_.strides()); !at.done(); at.next(), to.next()) {
      std::ranges::fill(start, 0);
      vectors_.add(operands[1], at, start);
      std::int64_t offset = 0;
      for (std::size_t d = 0; d < start.size(); ++d)
        offset += std::clamp<std::int64_t>(start[d], 0, operand_shape_[d] - numbers_.slice_sizes[d]) * strides_[d];
      copy_(static_cast<const std::byte*>(operands[0]) + offset * itemsize_,
            static_cast<std::byte*>(results[0]) + to.offset() * itemsize_);
    }
  }

 private:
  static BlockCopy make_copy(const Aval& operand, const Aval& result, const GatherNumbers& numbers) {
    const Dims in = row_major_strides(operand.shape), out = row_major_strides(result.shape);
    Dims sizes, in_strides, out_strides;
    std::size_t next = 0;
    for (std::int64_t d = 0; d < operand.ndim(); ++d) {
      if (contains(numbers.collapsed_slice_dims, d) || contains(numbers.operand_batching_dims, d)) continue;
      sizes.push_back(numbers.slice_sizes[d]);
      in_strides.push_back(in[d]);
      out_strides.push_back(out[numbers.offset_dims[next++]]);
    }
    return BlockCopy(operand.dtype.itemsize(), sizes, in_strides, out_strides);
  }

  int itemsize_;
  Shape operand_shape_;
  GatherNumbers numbers_;
  Dims strides_;
  IndexVectors vectors_;
  BlockCopy copy_;
  Dims batch_strides_;  // of the result, along its batch dimensions
  bool empty_ = false;
};

class Scatter : public Kernel {
 public:
  Scatter(const Avals& operands, const ScatterNumbers& numbers, ProgramRef body)
      : count_((operands.size() - 1) / 2), inputs_(operands.begin(), operands.begin() + static_cast<long>(count_)),
        shape_(operands[0].shape), strides_(row_major_strides(shape_)),
        vectors_(operands[count_], numbers.index_vector_dim, numbers.scatter_dims_to_operand_dims,
                 numbers.input_batching_dims, numbers.scatter_indices_batching_dims),
        body_(std::move(body)) {
    const Shape& updates = operands[count_ + 1].shape;
    const Dims update_strides = row_major_strides(updates);
    for (std::int64_t d = 0; d < updates.ndim(); ++d) {
      if (contains(numbers.update_window_dims, d)) {
        window_sizes_.push_back(updates[d]);
        window_strides_.push_back(update_strides[d]);
      } else {
        batch_strides_.push_back(update_strides[d]);
      }
    }
    for (std::int64_t d = 0; d < shape_.ndim(); ++d) {
      const bool inserted = contains(numbers.inserted_window_dims, d) || contains(numbers.input_batching_dims, d);
      extent_.push_back(inserted ? 1 : window_sizes_[window_dims_.size()]);
      if (!inserted) window_dims_.push_back(d);
    }
  }

  void run(const void* const* operands, void* const* results) const override {
    for (std::size_t i = 0; i < count_; ++i)
      if (const std::int64_t size = inputs_[i].nbytes(); size > 0)
        std::memcpy(results[i], operands[i], static_cast<std::size_t>(size));
    Dims start(shape_.size());
    std::vector<const void*> arguments(2 * count_);
    std::vector<std::complex<double>> fresh(count_);  // room for an element of any type
    std::vector<void*> outputs(count_);
    for (std::size_t i = 0; i < count_; ++i) outputs[i] = &fresh[i];
    Odometer from(vectors_.sizes(), batch_strides_);
    for (Odometer at(vectors_.sizes(), vectors_.strides()); !at.done(); at.next(), from.next()) {
      std::ranges::fill(start, 0);
      vectors_.add(operands[count_], at, start);
      // A window that reaches out is dropped whole.
      std::int64_t first = 0;
      bool inside = true;
      for (std::size_t d = 0; d < start.size(); ++d) {
        inside &= start[d] >= 0 && start[d] <= shape_[d] - extent_[d];
        if (inside) first += start[d] * strides_[d];
      }
      if (!inside) continue;
      for (Odometer in(window_sizes_, window_strides_, from.offset()); !in.done(); in.next()) {
        std::int64_t offset = first;
        for (std::size_t w = 0; w < window_dims_.size(); ++w) offset += in.index()[w] * strides_[window_dims_[w]];
        for (std::size_t i = 0; i < count_; ++i) {
          const int itemsize = inputs_[i].dtype.itemsize();
          arguments[i] = static_cast<const std::byte*>(results[i]) + offset * itemsize;
          arguments[count_ + i] = static_cast<const std::byte*>(operands[count_ + 1 + i]) + in.offset() * itemsize;
        }
        body_->run(arguments.data(), outputs.data());
        for (std::size_t i = 0; i < count_; ++i)
          std::memcpy(const_cast<void*>(arguments[i]), outputs[i],
                      static_cast<std::size_t>(inputs_[i].dtype.itemsize()));
      }
    }
  }

 private:
  std::size_t count_;
  Avals inputs_;
  Shape shape_;
  Dims strides_;
  IndexVectors vectors_;
  ProgramRef body_;
  Dims window_sizes_, window_strides_, batch_strides_, window_dims_;
  Dims extent_;  // of a window along each dimension of the operand
};

}  // namespace

KernelRef dynamic_slice_kernel(const Avals& operands, const Aval& result) {
  return std::make_shared<DynamicSlice>(operands, result);
}
KernelRef dynamic_update_slice_kernel(const Avals& operands) { return std::make_shared<DynamicUpdateSlice>(operands); }
KernelRef gather_kernel(const Aval& operand, const Aval& indices, const Aval& result, GatherNumbers numbers) {
  return std::make_shared<Gather>(operand, indices, result, numbers);
}
KernelRef scatter_kernel(const Avals& operands, ScatterNumbers numbers, ProgramRef body) {
  return std::make_shared<Scatter>(operands, numbers, std::move(body));
}

}  // namespace tenon::evaluator
