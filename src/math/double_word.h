// Unevaluated sums of two numbers: twice the precision, for the places where one is not enough.
//
// T. J. Dekker, "A floating-point technique for extending the available precision", 1971, with fma;
// names as in Joldes, Muller, Popescu, "Tight and rigorous error bounds for basic building blocks of
// double-word arithmetic", TOMS 2017. No operation here branches, so masks and lanes work.
#pragma once

#include "math/number.h"

namespace tenon::math {

/// high + low, |low| <= half an ulp of high.
template <class N>
struct DoubleWord {
  N high, low;
};

/// a + b exactly, where |a| >= |b| or a = 0.
template <class N>
TENON_MATH_INLINE DoubleWord<N> fast_two_sum(N a, N b) {
  const N sum = a + b;
  return {sum, b - (sum - a)};
}

/// a + b exactly.
template <class N>
TENON_MATH_INLINE DoubleWord<N> two_sum(N a, N b) {
  const N sum = a + b;
  const N back = sum - a;
  return {sum, (a - (sum - back)) + (b - back)};
}

/// a * b exactly, short of underflow.
template <class N>
TENON_MATH_INLINE DoubleWord<N> two_product(N a, N b) {
  const N product = a * b;
  return {product, fma(a, b, -product)};
}

template <class N>
TENON_MATH_INLINE DoubleWord<N> multiply(DoubleWord<N> a, DoubleWord<N> b) {
  const auto [high, low] = two_product(a.high, b.high);
  return fast_two_sum(high, low + fma(a.high, b.low, a.low * b.high));
}

template <class N>
TENON_MATH_INLINE DoubleWord<N> multiply(N a, DoubleWord<N> b) {
  const auto [high, low] = two_product(a, b.high);
  return fast_two_sum(high, fma(a, b.low, low));
}

/// a + b where |a| >= |b| or a = 0.
template <class N>
TENON_MATH_INLINE DoubleWord<N> add(DoubleWord<N> a, DoubleWord<N> b) {
  const auto [high, low] = fast_two_sum(a.high, b.high);
  return fast_two_sum(high, low + (a.low + b.low));
}

/// a / b.
template <class N>
TENON_MATH_INLINE DoubleWord<N> divide(DoubleWord<N> a, DoubleWord<N> b) {
  const N inverse = like(b.high, 1) / b.high;
  const N quotient = a.high * inverse;
  const N rest = fma(-quotient, b.high, a.high) + fma(-quotient, b.low, a.low);
  return fast_two_sum(quotient, rest * inverse);
}

/// sqrt(a), a >= 0; NaN where a < 0.
template <class N>
TENON_MATH_INLINE DoubleWord<N> sqrt(DoubleWord<N> a) {
  const N root = sqrt(a.high);
  const N rest = fma(-root, root, a.high) + a.low;
  const N zero = like(root, 0);
  return {root, select(root == zero, zero, rest / (root + root))};
}

}  // namespace tenon::math
