// exp, and what has it inside: expm1, tanh, logistic.
//
// Range reduction: x = n ln2 + r, |r| <= ln2/2, n to nearest by the rounding constant (its low bits
// then hold n for the exponent). n ln2 is subtracted in two parts by fma: the first difference is
// exact (a multiple of ulp(ln2) below 1/2), so r carries the error of the second only. This is Cody
// and Waite, "Software Manual for the Elementary Functions", 1980, with fma.
// e^r is a polynomial (coefficients.py); 2^n is multiplied in two halves, each a normal number, so
// that results down to the smallest subnormal are rounded once and overflow gives inf.
// Error: 0.5 ulp of the last operation + polynomial 0.05 + rounding inside 0.2; measured in
// tests/math.
#pragma once

#include "math/number.h"

namespace tenon::math {

template <class F>
struct ExpConstants;

template <>
struct ExpConstants<float> {
  static constexpr double kLog2e = 0x1.715476p+0;
  static constexpr double kLn2High = 0x1.62e43p-1;
  static constexpr double kLn2Low = -0x1.05c61p-29;
  static constexpr double kLowest = -104.0;  // e^x rounds to 0 below
  static constexpr double kHighest = 89.0;   // and to inf above
  // degree 6 on |r| <= ln2/2, relative error 2^-28.2
  static constexpr double kExp[] = {1, 1, 0x1.fffffcp-2, 0x1.555492p-3, 0x1.5558aap-5, 0x1.123984p-7, 0x1.6a5442p-10};
  // (e^r - 1 - r) / r^2; relative error of e^r - 1 2^-26.1
  static constexpr double kExpm1[] = {0x1.fffffep-2, 0x1.5554b4p-3, 0x1.5556f6p-5, 0x1.122542p-7, 0x1.6b9882p-10};
};

template <>
struct ExpConstants<double> {
  static constexpr double kLog2e = 0x1.71547652b82fep+0;
  static constexpr double kLn2High = 0x1.62e42fefa39efp-1;
  static constexpr double kLn2Low = 0x1.abc9e3b39803fp-56;
  static constexpr double kLowest = -746.0;
  static constexpr double kHighest = 710.0;
  // degree 11, relative error 2^-57.9
  static constexpr double kExp[] = {
      1, 1, 0x1.000000000000ap-1, 0x1.555555555550cp-3, 0x1.555555555079fp-5, 0x1.1111111124786p-7,
      0x1.6c16c18439e78p-10, 0x1.a01a0137f44e6p-13, 0x1.a0199a07cf25ep-16, 0x1.71df0cd44d471p-19,
      0x1.28ad661733e04p-22, 0x1.ad9fcb9e109b2p-26};
  // degree 12 of e^r - 1, relative error 2^-61.6
  static constexpr double kExpm1[] = {
      0x1p-1, 0x1.5555555555559p-3, 0x1.5555555555559p-5, 0x1.111111110f70ap-7, 0x1.6c16c16c16865p-10,
      0x1.a01a01af9ce96p-13, 0x1.a01a019e3bea5p-16, 0x1.71ddf9363a4f3p-19, 0x1.27e4f8d605693p-22,
      0x1.af5d0c3773564p-26, 0x1.1f38d901341bdp-29};
};

/// x = n ln2 + r. `shifted` is kRound + bias + n: its low bits hold n + bias.
template <class N>
struct ExpReduced {
  N r;
  N shifted;
};

template <class N>
TENON_MATH_INLINE ExpReduced<N> exp_reduce(N x, int bias) {
  using K = ExpConstants<FloatOf<N>>;
  const double shift = FormatOf<N>::kRound + bias;
  const N shifted = fma(x, like(x, K::kLog2e), like(x, shift));
  const N n = shifted - like(x, shift);
  const N r = fma(n, like(x, -K::kLn2Low), fma(n, like(x, -K::kLn2High), x));
  return {r, shifted};
}

template <class N>
TENON_MATH_INLINE N exp(N x) {
  using K = ExpConstants<FloatOf<N>>;
  constexpr int fraction = FormatOf<N>::kFractionBits;
  x = select(x > like(x, K::kHighest), like(x, K::kHighest), x);  // NaN passes
  x = select(x < like(x, K::kLowest), like(x, K::kLowest), x);
  const auto [r, shifted] = exp_reduce(x, 2 * FormatOf<N>::kBias);
  const N y = horner(r, K::kExp);
  // n + 2 bias = h + (n + 2 bias - h); both halves are exponents of normal numbers.
  const BitsOf<N> exponents = to_bits(shifted);
  const BitsOf<N> half = (exponents >> 1) << fraction;
  const BitsOf<N> other = (exponents << fraction) - half;
  return y * from_bits(x, half) * from_bits(x, other);
}

/// numerator / (c + x), |x| at most some 2^20 c: the rounding of c + x is known exactly, and one
/// Newton step on the quotient takes it in.
template <class N>
TENON_MATH_INLINE N divide_by_sum(N numerator, double c, N x) {
  const N sum = x + like(x, c);
  const N lost = x - (sum - like(x, c));
  const N inverse = like(x, 1) / sum;
  const N quotient = numerator * inverse;
  const N rest = fma(-quotient, lost, fma(-quotient, sum, numerator));
  return fma(rest, inverse, quotient);
}

/// e^x - 1 = 2^n (e^r - 1) + (2^n - 1), by 2^(n-1) and a doubling so that 2^n may overflow.
template <class N>
TENON_MATH_INLINE N expm1(N x) {
  using K = ExpConstants<FloatOf<N>>;
  constexpr double lowest = sizeof(FloatOf<N>) == 4 ? -30.0 : -60.0;  // e^x is nothing beside 1
  N y = select(x > like(x, K::kHighest), like(x, K::kHighest), x);    // NaN passes
  y = select(y < like(x, lowest), like(x, lowest), y);
  const auto [r, shifted] = exp_reduce(y, FormatOf<N>::kBias - 1);
  const N half_scale = from_bits(x, to_bits(shifted) << FormatOf<N>::kFractionBits);
  const N p = fma(r * r, horner(r, K::kExpm1), r);
  const N half = fma(half_scale, p, half_scale - like(x, 0.5));
  const N result = select(abs(x) < like(x, 0.25), p, half + half);     // n = 0: p, subnormals too
  return from_bits(x, to_bits(result) | (to_bits(x) & sign_mask(x)));  // -0
}

/// 1 / (1 + e^-x): with t = e^-|x|, 1 / (1 + t) or t / (1 + t), whose subnormals are right.
template <class N>
TENON_MATH_INLINE N logistic(N x) {
  const N t = exp(-abs(x));
  return divide_by_sum(select(x < like(x, 0), t, like(x, 1)), 1, t);
}

/// tanh(|x|) = u / (u + 2) with u = e^(2|x|) - 1 = 2^n (e^r - 1) + (2^n - 1), which keeps its
/// relative accuracy at small x. Taking the rounding of u + 2 in gives 1.7 ulp instead of 2.5.
template <class N>
TENON_MATH_INLINE N tanh(N x) {
  using K = ExpConstants<FloatOf<N>>;
  // Beyond, 1 - tanh is below half an ulp of 1.
  constexpr double highest = sizeof(FloatOf<N>) == 4 ? 20.0 : 40.0;
  const N magnitude = abs(x);
  N y = magnitude + magnitude;
  y = select(y > like(x, highest), like(x, highest), y);  // NaN passes
  const auto [r, shifted] = exp_reduce(y, FormatOf<N>::kBias);
  const N scale = from_bits(x, to_bits(shifted) << FormatOf<N>::kFractionBits);
  const N p = fma(r * r, horner(r, K::kExpm1), r);
  const N u = fma(scale, p, scale - like(x, 1));
  const N result = divide_by_sum(u, 2, u);
  return from_bits(x, to_bits(result) | (to_bits(x) & sign_mask(x)));
}

}  // namespace tenon::math
