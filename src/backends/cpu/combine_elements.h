// Operations of scatter and scan steps on elements in memory: the same definitions as those of kernels
// and the evaluator (src/math).
#pragma once

#include "backends/cpu/program.h"
#include "base/element.h"
#include "math/complex.h"
#include "math/functions.h"
#include "math/integer.h"

namespace tenon::cpu {

/// a (op) b as elements compute: 16-bit floats in f32.
template <CombineOp op, class C>
[[gnu::always_inline]] inline C combine_elements(C a, C b) {
  using namespace tenon::elements;
  if constexpr (op == CombineOp::assign) {
    return b;
  } else if constexpr (std::is_same_v<C, bool>) {
    if constexpr (op == CombineOp::add || op == CombineOp::maximum || op == CombineOp::logical_or) return a | b;
    else return a & b;
  } else if constexpr (op == CombineOp::add) {
    if constexpr (is_integer<C>) return math::add(a, b);
    else return a + b;
  } else if constexpr (op == CombineOp::subtract) {
    if constexpr (is_integer<C>) return math::subtract(a, b);
    else return a - b;
  } else if constexpr (op == CombineOp::multiply) {
    if constexpr (is_integer<C>) return math::multiply(a, b);
    else if constexpr (is_complex<C>)
      return C(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
    else return a * b;
  } else if constexpr (op == CombineOp::maximum || op == CombineOp::minimum) {
    constexpr bool larger = op == CombineOp::maximum;
    if constexpr (is_integer<C>) return (larger ? a > b : a < b) ? a : b;
    else if constexpr (is_complex<C>) return larger ? math::complex_maximum(a, b) : math::complex_minimum(a, b);
    else return larger ? math::maximum(a, b) : math::minimum(a, b);
  } else if constexpr (op == CombineOp::logical_and) {
    return static_cast<C>(a & b);
  } else {
    return static_cast<C>(a | b);
  }
}

/// Whether elements of type C combine so.
template <CombineOp op, class C>
constexpr bool has_combine() {
  using namespace tenon::elements;
  if constexpr (op == CombineOp::logical_and || op == CombineOp::logical_or) return is_integer<C> || std::is_same_v<C, bool>;
  else if constexpr (op == CombineOp::subtract) return !std::is_same_v<C, bool>;
  else return op != CombineOp::general;
}

/// Calls `f.template operator()<op>()`; nothing for `general`.
template <class F>
auto with_combine_op(CombineOp op, F&& f) {
  switch (op) {
    case CombineOp::assign: return f.template operator()<CombineOp::assign>();
    case CombineOp::add: return f.template operator()<CombineOp::add>();
    case CombineOp::subtract: return f.template operator()<CombineOp::subtract>();
    case CombineOp::multiply: return f.template operator()<CombineOp::multiply>();
    case CombineOp::maximum: return f.template operator()<CombineOp::maximum>();
    case CombineOp::minimum: return f.template operator()<CombineOp::minimum>();
    case CombineOp::logical_and: return f.template operator()<CombineOp::logical_and>();
    case CombineOp::logical_or: return f.template operator()<CombineOp::logical_or>();
    case CombineOp::general: break;
  }
  return f.template operator()<CombineOp::general>();
}

/// A function on scalars in machine code: operands, then results.
class ScalarFunction {
 public:
  using Pointer = void (*)(void* const* buffers, int64_t begin, int64_t end);
  ScalarFunction() = default;
  explicit ScalarFunction(Pointer pointer) : pointer_(pointer) {}
  void operator()(void* const* buffers) const { pointer_(buffers, 0, 1); }

 private:
  Pointer pointer_ = nullptr;
};

}  // namespace tenon::cpu
