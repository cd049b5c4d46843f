// Running totals along one dimension, in the canonical order (math/scan_order.h).
#include <complex>
#include <cstring>

#include "evaluator/element.h"
#include "evaluator/index_space.h"
#include "evaluator/kernels.h"
#include "evaluator/scalar_functions.h"
#include "math/scan_order.h"

namespace tenon::evaluator {
namespace {

/// The lines of an array along a dimension (-1: each element is one).
struct Lines {
  Dims sizes, strides;  // of the other dimensions
  std::int64_t length = 1, stride = 1;

  Lines(const Shape& shape, std::int64_t dimension) {
    const Dims all = row_major_strides(shape);
    for (std::int64_t d = 0; d < shape.ndim(); ++d) {
      if (d == dimension) {
        length = shape[d];
        stride = all[d];
      } else {
        sizes.push_back(shape[d]);
        strides.push_back(all[d]);
      }
    }
  }
};

template <class Function, class T>
class Scan : public Kernel {
  using C = Computed<T>;

 public:
  Scan(const Aval& operand, std::int64_t dimension, bool reverse) : lines_(operand.shape, dimension), reverse_(reverse) {}
  void run(const void* const* operands, void* const* results) const override {
    const C init = widen(*static_cast<const T*>(operands[1]));
    const auto combine = [](C a, C b) { return C(Function::apply(ScalarParams{}, a, b)); };
    for (Odometer at(lines_.sizes, lines_.strides); !at.done(); at.next()) {
      const T* in = static_cast<const T*>(operands[0]) + at.offset();
      T* out = static_cast<T*>(results[0]) + at.offset();
      math::scan_in_order(
          lines_.length, reverse_, init, [&](std::int64_t i) { return widen(in[i * lines_.stride]); },
          [&](std::int64_t i, C total) { out[i * lines_.stride] = narrow<T>(total); }, combine);
    }
  }

 private:
  Lines lines_;
  bool reverse_;
};

class ScanWith : public Kernel {
 public:
  ScanWith(const Aval& operand, std::int64_t dimension, bool reverse, ProgramRef body)
      : lines_(operand.shape, dimension), itemsize_(operand.dtype.itemsize()), reverse_(reverse), body_(std::move(body)) {}
  void run(const void* const* operands, void* const* results) const override {
    using Any = std::complex<double>;  // room for an element of any type
    const auto size = static_cast<std::size_t>(itemsize_);
    Any init;
    std::memcpy(&init, operands[1], size);
    const auto combine = [&](const Any& a, const Any& b) {
      Any out;
      const void* arguments[] = {&a, &b};
      void* result = &out;
      body_->run(arguments, &result);
      return out;
    };
    for (Odometer at(lines_.sizes, lines_.strides); !at.done(); at.next()) {
      const auto* in = static_cast<const std::byte*>(operands[0]) + at.offset() * itemsize_;
      auto* out = static_cast<std::byte*>(results[0]) + at.offset() * itemsize_;
      const auto load = [&](std::int64_t i) {
        Any element;
        std::memcpy(&element, in + i * lines_.stride * itemsize_, size);
        return element;
      };
      const auto store = [&](std::int64_t i, const Any& total) { std::memcpy(out + i * lines_.stride * itemsize_, &total, size); };
      math::scan_in_order(lines_.length, reverse_, init, load, store, combine);
    }
  }

 private:
  Lines lines_;
  std::int64_t itemsize_;
  bool reverse_;
  ProgramRef body_;
};

template <class Function>
KernelRef make_scan(const Aval& operand, std::int64_t dimension, bool reverse) {
  return with_element_type(operand.dtype, [&]<class T>() -> KernelRef {
    if constexpr (requires(const ScalarParams& p, Computed<T> c) { Function::apply(p, c, c); })
      return std::make_shared<Scan<Function, T>>(operand, dimension, reverse);
    else return nullptr;
  });
}

}  // namespace

KernelRef scan_kernel(ScalarOp op, const Aval& operand, std::int64_t dimension, bool reverse) {
  switch (op) {
    case ScalarOp::kAdd: return make_scan<Add>(operand, dimension, reverse);
    case ScalarOp::kMultiply: return make_scan<Multiply>(operand, dimension, reverse);
    case ScalarOp::kMaximum: return make_scan<Maximum>(operand, dimension, reverse);
    case ScalarOp::kMinimum: return make_scan<Minimum>(operand, dimension, reverse);
    default: return nullptr;
  }
}
KernelRef scan_with_kernel(const Aval& operand, std::int64_t dimension, bool reverse, ProgramRef body) {
  return std::make_shared<ScanWith>(operand, dimension, reverse, std::move(body));
}

}  // namespace tenon::evaluator
