// Sorting along one dimension by a comparator program: a merge sort from below, always stable.
// A comparator that is no order gives some permutation, never a read outside.
#include <complex>
#include <cstring>
#include <numeric>

#include "evaluator/index_space.h"
#include "evaluator/kernels.h"

namespace tenon::evaluator {
namespace {

class Sort : public Kernel {
 public:
  Sort(const Avals& operands, std::int64_t dimension, ProgramRef comparator)
      : operands_(operands), comparator_(std::move(comparator)) {
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
      for (std::size_t width = 1; width < n; width *= 2) {
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
  Avals operands_;
  ProgramRef comparator_;
  Dims sizes_, strides_;
  std::int64_t length_, stride_;
};

}  // namespace

KernelRef sort_kernel(const Avals& operands, std::int64_t dimension, ProgramRef comparator) {
  return std::make_shared<Sort>(operands, dimension, std::move(comparator));
}

}  // namespace tenon::evaluator
