// Kernels that move elements by maps which are the same for all elements.
#include <algorithm>
#include <array>
#include <cstring>

#include "evaluator/element.h"
#include "evaluator/index_space.h"
#include "evaluator/kernels.h"

namespace tenon::evaluator {

Dims row_major_strides(const Shape& shape) {
  Dims strides(shape.size());
  std::int64_t stride = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= std::max<std::int64_t>(shape[d], 1);
  }
  return strides;
}

namespace {

/// Copies `count` elements of N bytes, `in_step` elements apart, to neighbours.
template <int N>
void copy_row(const std::byte* in, std::int64_t in_step, std::byte* out, std::int64_t count) {
  struct Element {
    std::byte bytes[N];
  };
  if (in_step == 1) {
    std::memcpy(out, in, static_cast<std::size_t>(count * N));
    return;
  }
  for (std::int64_t i = 0; i < count; ++i) std::memcpy(out + i * N, in + i * in_step * N, sizeof(Element));
}

using CopyRow = void (*)(const std::byte*, std::int64_t, std::byte*, std::int64_t);
CopyRow find_copy_row(int itemsize) {
  switch (itemsize) {
    case 1: return copy_row<1>;
    case 2: return copy_row<2>;
    case 4: return copy_row<4>;
    case 8: return copy_row<8>;
    default: return copy_row<16>;
  }
}

class Strided : public Kernel {
 public:
  Strided(int itemsize, const Shape& result, const Dims& strides, std::int64_t offset)
      : itemsize_(itemsize), offset_(offset), copy_row_(find_copy_row(itemsize)) {
    // Neighbouring dimensions that are one in the operand too become one.
    for (std::size_t d = 0; d < result.size(); ++d) {
      if (result[d] == 1) continue;
      if (!sizes_.empty() && strides_.back() == strides[d] * result[d]) {
        sizes_.back() *= result[d];
        strides_.back() = strides[d];
      } else {
        sizes_.push_back(result[d]);
        strides_.push_back(strides[d]);
      }
    }
    if (sizes_.empty()) {
      sizes_.push_back(1);
      strides_.push_back(1);
    }
    row_ = sizes_.back();
    row_step_ = strides_.back();
    sizes_.pop_back();
    strides_.pop_back();
  }

  void run(const void* const* operands, void* const* results) const override {
    if (row_ == 0) return;
    const auto* in = static_cast<const std::byte*>(operands[0]);
    auto* out = static_cast<std::byte*>(results[0]);
    for (Odometer at(sizes_, strides_, offset_); !at.done(); at.next()) {
      copy_row_(in + at.offset() * itemsize_, row_step_, out, row_);
      out += row_ * itemsize_;
    }
  }

 private:
  int itemsize_;
  Dims sizes_, strides_;
  std::int64_t offset_, row_, row_step_;
  CopyRow copy_row_;
};

class Copy : public Kernel {
 public:
  explicit Copy(std::int64_t size_bytes) : size_bytes_(size_bytes) {}
  void run(const void* const* operands, void* const* results) const override {
    if (size_bytes_ > 0) std::memcpy(results[0], operands[0], static_cast<std::size_t>(size_bytes_));
  }

 private:
  std::int64_t size_bytes_;
};

class PackBools : public Kernel {
 public:
  explicit PackBools(std::int64_t count) : count_(count) {}
  void run(const void* const* operands, void* const* results) const override {
    const bool* in = static_cast<const bool*>(operands[0]);
    auto* out = static_cast<unsigned char*>(results[0]);
    for (std::int64_t i = 0; i < count_; i += 8) {
      unsigned byte = 0;
      for (int bit = 0; bit < 8; ++bit) byte |= static_cast<unsigned>(in[i + bit]) << bit;
      *out++ = static_cast<unsigned char>(byte);
    }
  }

 private:
  std::int64_t count_;
};

class UnpackBools : public Kernel {
 public:
  explicit UnpackBools(std::int64_t count) : count_(count) {}
  void run(const void* const* operands, void* const* results) const override {
    const auto* in = static_cast<const unsigned char*>(operands[0]);
    bool* out = static_cast<bool*>(results[0]);
    for (std::int64_t i = 0; i < count_; ++i) out[i] = in[i / 8] >> (i % 8) & 1;
  }

 private:
  std::int64_t count_;
};

/// Counts along one dimension: an outer repetition of a column, each of its elements repeated.
template <class T>
class Iota : public Kernel {
 public:
  Iota(const Shape& shape, std::int64_t dimension) : size_(shape[dimension]) {
    for (std::int64_t d = 0; d < dimension; ++d) outer_ *= shape[d];
    for (std::int64_t d = dimension + 1; d < shape.ndim(); ++d) inner_ *= shape[d];
  }
  void run(const void* const*, void* const* results) const override {
    T* out = static_cast<T*>(results[0]);
    for (std::int64_t o = 0; o < outer_; ++o)
      for (std::int64_t i = 0; i < size_; ++i, out += inner_) std::fill_n(out, inner_, value(i));
  }

 private:
  static T value(std::int64_t i) {
    if constexpr (is_half<T>) return narrow<T>(static_cast<float>(i));
    else if constexpr (is_complex<T>) return T(static_cast<typename T::value_type>(i));
    else return static_cast<T>(i);
  }
  std::int64_t size_, outer_ = 1, inner_ = 1;
};

class Concatenate : public Kernel {
 public:
  Concatenate(const Avals& operands, const Aval& result, std::int64_t dimension) {
    std::int64_t inner = result.dtype.itemsize();
    for (std::int64_t d = dimension + 1; d < result.ndim(); ++d) inner *= result.shape[d];
    for (std::int64_t d = 0; d < dimension; ++d) outer_ *= result.shape[d];
    for (const Aval& operand : operands) part_bytes_.push_back(inner * operand.shape[dimension]);
  }
  void run(const void* const* operands, void* const* results) const override {
    auto* out = static_cast<std::byte*>(results[0]);
    for (std::int64_t o = 0; o < outer_; ++o) {
      for (std::size_t i = 0; i < part_bytes_.size(); ++i) {
        const std::int64_t size = part_bytes_[i];
        if (size == 0) continue;
        std::memcpy(out, static_cast<const std::byte*>(operands[i]) + o * size, static_cast<std::size_t>(size));
        out += size;
      }
    }
  }

 private:
  std::int64_t outer_ = 1;
  Dims part_bytes_;
};

class Pad : public Kernel {
 public:
  Pad(const Aval& operand, const Aval& result, Dims low, Dims interior)
      : itemsize_(operand.dtype.itemsize()), shape_(operand.shape), result_(result.shape), low_(std::move(low)),
        interior_(std::move(interior)), strides_(row_major_strides(result.shape)) {}

  void run(const void* const* operands, void* const* results) const override {
    auto* out = static_cast<std::byte*>(results[0]);
    const std::int64_t count = result_.num_elements();
    find_copy_row(itemsize_)(static_cast<const std::byte*>(operands[1]), 0, out, count);
    const auto* in = static_cast<const std::byte*>(operands[0]);
    const Dims no_strides(shape_.size(), 0);
    for (Odometer at(shape_.dims(), no_strides); !at.done(); at.next(), in += itemsize_) {
      std::int64_t offset = 0;
      bool inside = true;
      for (std::size_t d = 0; d < shape_.size(); ++d) {
        const std::int64_t position = low_[d] + at.index()[d] * (interior_[d] + 1);
        inside &= position >= 0 && position < result_[d];
        offset += position * strides_[d];
      }
      if (inside) std::memcpy(out + offset * itemsize_, in, static_cast<std::size_t>(itemsize_));
    }
  }

 private:
  int itemsize_;
  Shape shape_, result_;
  Dims low_, interior_, strides_;
};

}  // namespace

KernelRef strided_kernel(int itemsize, const Shape& result, Dims strides, std::int64_t offset) {
  return std::make_shared<Strided>(itemsize, result, strides, offset);
}
KernelRef copy_kernel(std::int64_t size_bytes) { return std::make_shared<Copy>(size_bytes); }
KernelRef pack_bools_kernel(std::int64_t bool_count) { return std::make_shared<PackBools>(bool_count); }
KernelRef unpack_bools_kernel(std::int64_t bool_count) { return std::make_shared<UnpackBools>(bool_count); }
KernelRef iota_kernel(const Aval& result, std::int64_t dimension) {
  return with_element_type(result.dtype, [&]<class T>() -> KernelRef {
    return std::make_shared<Iota<T>>(result.shape, dimension);
  });
}
KernelRef concatenate_kernel(const Avals& operands, const Aval& result, std::int64_t dimension) {
  return std::make_shared<Concatenate>(operands, result, dimension);
}
KernelRef pad_kernel(const Aval& operand, const Aval& result, Dims low, Dims interior) {
  return std::make_shared<Pad>(operand, result, std::move(low), std::move(interior));
}

}  // namespace tenon::evaluator
