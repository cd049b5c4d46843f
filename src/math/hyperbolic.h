// sinh, cosh and the inverses of sinh, cosh, tanh.
//
// With v = e^|x| / 2 and w = 1 / (4 v): cosh = v + w, sinh = v - w; below 1, where that cancels, an
// odd polynomial (coefficients.py). v is formed by the two halves of 2^n, so it overflows where
// sinh does. The inverses are log1p of a double word, so that small arguments lose nothing:
//
//     asinh(x) = log1p(x + x^2 / (1 + sqrt(x^2 + 1)))     acosh(x) = log1p(t + sqrt(2 t + t^2)), t = x - 1
//     atanh(x) = log1p(2 x / (1 - x)) / 2
//
// and log(x) + ln2 where x^2 would overflow.
#pragma once

#include "math/double_word.h"
#include "math/exp.h"
#include "math/log.h"

namespace tenon::math {

template <class F>
struct HyperbolicConstants;

template <>
struct HyperbolicConstants<float> {
  static constexpr double kHighest = 90.0;
  static constexpr double kLarge = 0x1p14;  // sqrt(x^2 + 1) = x to twice the precision
  // (sinh(x) - x) / x^3 in x^2, |x| <= 1; relative error of sinh 2^-31.6
  static constexpr double kSinh[] = {0x1.555556p-3, 0x1.1110e2p-7, 0x1.a02128p-13, 0x1.75b63p-19};
};

template <>
struct HyperbolicConstants<double> {
  static constexpr double kHighest = 711.0;
  static constexpr double kLarge = 0x1p30;
  // 2^-62.9
  static constexpr double kSinh[] = {
      0x1.5555555555555p-3, 0x1.111111111119ap-7, 0x1.a01a01a0077cep-13, 0x1.71de3a6860e74p-19,
      0x1.ae6441c6f632bp-26, 0x1.6130d0bfdf717p-33, 0x1.a6c304f6ce7d3p-41, 0x1.c4c41c20cfd14p-48};
};

/// e^a / 2 for a >= 0.
template <class N>
TENON_MATH_INLINE N half_exp(N a) {
  using K = ExpConstants<FloatOf<N>>;
  constexpr int fraction = FormatOf<N>::kFractionBits;
  const N highest = like(a, HyperbolicConstants<FloatOf<N>>::kHighest);
  const auto [r, shifted] = exp_reduce(select(a > highest, highest, a), 2 * FormatOf<N>::kBias - 1);
  const N y = horner(r, K::kExp);
  const BitsOf<N> exponents = to_bits(shifted);
  const BitsOf<N> half = (exponents >> 1) << fraction;
  const BitsOf<N> other = (exponents << fraction) - half;
  return y * from_bits(a, half) * from_bits(a, other);
}

template <class N>
TENON_MATH_INLINE N cosh(N x) {
  const N v = half_exp(abs(x));
  return v + like(x, 0.25) / v;
}

template <class N>
TENON_MATH_INLINE N sinh(N x) {
  const N a = abs(x);
  const N v = half_exp(a);
  const N z = x * x;
  const N small = fma(z * a, horner(z, HyperbolicConstants<FloatOf<N>>::kSinh), a);
  const N y = select(a < like(x, 1), small, v - like(x, 0.25) / v);
  return from_bits(x, to_bits(y) | (to_bits(x) & sign_mask(x)));
}

template <class N>
TENON_MATH_INLINE N asinh(N x) {
  const N a = abs(x), one = like(x, 1), zero = like(x, 0);
  const MaskOf<N> large = a > like(x, HyperbolicConstants<FloatOf<N>>::kLarge);
  const N b = select(large, one, a);  // the long way stays finite
  const DoubleWord<N> square = two_product(b, b);
  const DoubleWord<N> radicand = two_sum(square.high, one);
  const DoubleWord<N> root = sqrt(DoubleWord<N>{radicand.high, radicand.low + square.low});
  const DoubleWord<N> below = two_sum(root.high, one);
  const DoubleWord<N> more = divide(square, DoubleWord<N>{below.high, below.low + root.low});
  const DoubleWord<N> sum = two_sum(b, more.high);
  const N argument_low = select(large, -one, sum.low + more.low);  // log1p(a - 1)
  const N y = log1p_double_word(DoubleWord<N>{select(large, a, sum.high), argument_low});
  const N result = y + select(large, like(x, LogConstants<FloatOf<N>>::kLn2High), zero);
  const N finite = select(a < like(x, HUGE_VAL), result, a);  // inf, NaN
  return from_bits(x, to_bits(finite) | (to_bits(x) & sign_mask(x)));
}

template <class N>
TENON_MATH_INLINE N acosh(N x) {
  const N one = like(x, 1), two = like(x, 2);
  const MaskOf<N> large = x > like(x, HyperbolicConstants<FloatOf<N>>::kLarge);
  const DoubleWord<N> t = two_sum(select(large, two, x), -one);
  // 2 t + t^2 = t (t + 2)
  const DoubleWord<N> other = two_sum(t.high, two);
  const DoubleWord<N> root = sqrt(multiply(t, DoubleWord<N>{other.high, other.low + t.low}));
  const DoubleWord<N> sum = two_sum(root.high, t.high);
  const N argument_low = select(large, -one, sum.low + (root.low + t.low));
  const N y = log1p_double_word(DoubleWord<N>{select(large, x, sum.high), argument_low});
  const N result = y + select(large, like(x, LogConstants<FloatOf<N>>::kLn2High), like(x, 0));
  const N finite = select(x < like(x, HUGE_VAL), result, x);
  return select(x < one, like(x, std::nan("")), finite);
}

template <class N>
TENON_MATH_INLINE N atanh(N x) {
  const N a = abs(x), one = like(x, 1), zero = like(x, 0);
  const MaskOf<N> inside = a < one;
  const N b = select(inside, a, zero);
  const DoubleWord<N> argument = divide(DoubleWord<N>{b + b, zero}, fast_two_sum(one, -b));
  const N y = like(x, 0.5) * log1p_double_word(argument);
  const N small = select(a < like(x, 0x1p-30), a, y);  // halves of subnormals
  const N of_one = select(a == one, like(x, HUGE_VAL), like(x, std::nan("")));
  const N result = select(inside, small, of_one);
  return from_bits(x, to_bits(result) | (to_bits(x) & sign_mask(x)));
}

}  // namespace tenon::math
