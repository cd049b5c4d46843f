// Sorting along one dimension, always stable: by keys, or by a comparator program in a merge sort from below.
// A comparator that is no order gives some permutation, never a read outside.
#include <algorithm>
#include <complex>
#include <cstring>
#include <numeric>

#include "evaluator/element.h"
#include "evaluator/index_space.h"
#include "evaluator/kernels.h"
#include "evaluator/scalar_functions.h"

namespace tenon::evaluator {
namespace {

class Sort : public Kernel {
 public:
  Sort(const Avals& operands, std::int64_t dimension, std::vector<SortKey> keys, ProgramRef comparator)
      : operands_(operands), keys_(std::move(keys)), comparator_(std::move(comparator)) {
    const Shape& shape = operands[0].shape;
    const Dims strides = row_major_strides(shape);
    for (std::int64_t d = 0; d < shape.ndim(); ++d) {
      if (d == dimension) continue;
      sizes_.push_back(shape[d]);
      strides_.push_back(strides[d]);
    }
    length_ = shape[dimension];
    stride_ = strides[dimension];
  }

  void run(const void* const* operands, void* const* results) const override {
    const auto n = static_cast<std::size_t>(length_);
    std::vector<std::int64_t> order(n), other(n);
    std::vector<const void*> pair(2 * operands_.size());
    for (Odometer at(sizes_, strides_); !at.done(); at.next()) {
      const auto address = [&](std::size_t operand, std::int64_t i) {
        const int itemsize = operands_[operand].dtype.itemsize();
        return static_cast<const std::byte*>(operands[operand]) + (at.offset() + i * stride_) * itemsize;
      };
      const auto is_before = [&](std::int64_t i, std::int64_t j) {
        for (std::size_t o = 0; o < operands_.size(); ++o) {
          pair[2 * o] = address(o, i);
          pair[2 * o + 1] = address(o, j);
        }
        bool before = false;
        void* result = &before;
        comparator_->run(pair.data(), &result);
        return before;
      };
      std::iota(order.begin(), order.end(), 0);
      if (!keys_.empty()) sort_by_keys(order, [&](int operand) { return address(static_cast<std::size_t>(operand), 0); });
      for (std::size_t width = 1; keys_.empty() && width < n; width *= 2) {
        for (std::size_t first = 0; first < n; first += 2 * width) {
          const std::size_t middle = std::min(first + width, n), last = std::min(first + 2 * width, n);
          for (std::size_t i = first, j = middle, k = first; k < last; ++k) {
            const bool take_right = i == middle || (j < last && is_before(order[j], order[i]));
            other[k] = take_right ? order[j++] : order[i++];
          }
        }
        order.swap(other);
      }
      for (std::size_t o = 0; o < operands_.size(); ++o) {
        const int itemsize = operands_[o].dtype.itemsize();
        auto* out = static_cast<std::byte*>(results[o]) + at.offset() * itemsize;
        for (std::size_t i = 0; i < n; ++i)
          std::memcpy(out + static_cast<std::int64_t>(i) * stride_ * itemsize, address(o, order[i]),
                      static_cast<std::size_t>(itemsize));
      }
    }
  }

 private:
  /// By the last key first; each time stable. `line` gives the first element of an operand.
  template <class Line>
  void sort_by_keys(std::vector<std::int64_t>& order, Line line) const {
    std::vector<std::pair<std::uint64_t, std::size_t>> entries(order.size());  // key, place in `order`
    for (auto key = keys_.rbegin(); key != keys_.rend(); ++key) {
      const std::byte* data = line(key->operand) + key->offset_bytes;
      const std::int64_t step = stride_ * operands_[static_cast<std::size_t>(key->operand)].dtype.itemsize();
      with_element_type(key->type, [&]<class T>() {
        if constexpr (!is_complex<T>)
          for (std::size_t i = 0; i < order.size(); ++i) {
            T element;
            std::memcpy(&element, data + order[i] * step, sizeof(T));
            entries[i] = {ordered_bits(element, *key), i};
          }
      });
      std::ranges::sort(entries);
      const std::vector<std::int64_t> before = order;
      for (std::size_t i = 0; i < order.size(); ++i) order[i] = before[entries[i].second];
    }
  }

  Avals operands_;
  std::vector<SortKey> keys_;
  ProgramRef comparator_;
  Dims sizes_, strides_;
  std::int64_t length_, stride_;
};

/// The largest k along the last dimension and where they are, by the total order; the first of equal ones.
template <class T>
class TopK : public Kernel {
 public:
  TopK(const Aval& operand, std::int64_t k) : length_(operand.shape[operand.ndim() - 1]), k_(k) {
    for (std::int64_t d = 0; d + 1 < operand.ndim(); ++d) lines_ *= operand.shape[d];
  }
  void run(const void* const* operands, void* const* results) const override {
    std::vector<std::int32_t> order(static_cast<std::size_t>(length_));
    for (std::int64_t line = 0; line < lines_; ++line) {
      const T* in = static_cast<const T*>(operands[0]) + line * length_;
      std::iota(order.begin(), order.end(), 0);
      const auto is_before = [in](std::int32_t i, std::int32_t j) {
        const auto a = rank(widen(in[i])), b = rank(widen(in[j]));
        return a == b ? i < j : a > b;
      };
      std::partial_sort(order.begin(), order.begin() + k_, order.end(), is_before);
      for (std::int64_t i = 0; i < k_; ++i) {
        static_cast<T*>(results[0])[line * k_ + i] = in[order[i]];
        static_cast<std::int32_t*>(results[1])[line * k_ + i] = order[i];
      }
    }
  }

 private:
  static auto rank(auto x) {
    if constexpr (is_float<decltype(x)>) return CompareTotalOrder<Comparison::lt>::rank(x);
    else return x;
  }
  std::int64_t length_, k_, lines_ = 1;
};

}  // namespace

KernelRef top_k_kernel(const Aval& operand, std::int64_t k) {
  return with_element_type(operand.dtype, [&]<class T>() -> KernelRef {
    if constexpr (is_complex<T>) return nullptr;
    else return std::make_shared<TopK<T>>(operand, k);
  });
}

KernelRef sort_kernel(const Avals& operands, std::int64_t dimension, std::vector<SortKey> keys, ProgramRef comparator) {
  return std::make_shared<Sort>(operands, dimension, std::move(keys), std::move(comparator));
}

}  // namespace tenon::evaluator
