// pow(x, y) = e^(y log|x|) with the sign of the integer y's parity.
//
// The error of y log|x| is absolute in the exponent, so log|x| is a double word: with s = f / (2 + f)
// (log.h), log(1 + f) = 2 s + s^3 (2/3 + c1 s^2 + ...) where 2 s, s^3 and 2/3 are double words and the
// rest, below 2^-6 of it, is one. Error of the logarithm below 2^-36 (f32), 2^-65 (f64), relative;
// the product with y keeps that, and the low word joins r in the reduction of exp.
// Special values as IEEE 754-2019 (pow): pow(x, +-0) = 1 and pow(1, y) = 1, of NaN too.
#pragma once

#include "math/double_word.h"
#include "math/exp.h"
#include "math/log.h"

namespace tenon::math {

template <class F>
struct PowerConstants;

template <>
struct PowerConstants<float> {
  static constexpr double kTwoThirds[] = {0x1.555556p-1, -0x1.555556p-26};
  // with 2 and 2/3 exact: relative error of log 2^-36.8
  static constexpr double kLog[] = {0x1.999ap-2, 0x1.245276p-2, 0x1.dfa46ap-3};
};

template <>
struct PowerConstants<double> {
  static constexpr double kTwoThirds[] = {0x1.5555555555555p-1, 0x1.5555555555555p-55};
  // relative error of log 2^-73
  static constexpr double kLog[] = {
      0x1.9999999999995p-2, 0x1.2492492493193p-2, 0x1.c71c71c557099p-3, 0x1.745d18460db73p-3,
      0x1.3b135d7abff03p-3, 0x1.11217de2252b5p-3, 0x1.de13d853d41e4p-4, 0x1.ec16e79cf3c43p-4};
};

/// log(x) of a positive finite number.
template <class N>
TENON_MATH_INLINE DoubleWord<N> log_double_word(N x) {
  using K = PowerConstants<FloatOf<N>>;
  using L = LogConstants<FloatOf<N>>;
  using Facts = FormatOf<N>;
  const MaskOf<N> subnormal = x < like(x, Facts::kSmallestNormal);
  const N scaled = select(subnormal, x * like(x, L::kSubnormalScale), x);
  const N round = select(subnormal, like(x, Facts::kRound + L::kSubnormalExponent), like(x, Facts::kRound));
  const auto [m, biased] = log_reduce(scaled);
  const N e = log_exponent(x, biased, round);
  const N zero = like(x, 0);

  const N f = m - like(x, 1);
  const DoubleWord<N> s = divide(DoubleWord<N>{f, zero}, fast_two_sum(like(x, 2), f));
  const DoubleWord<N> z = multiply(s, s);
  const N rest = z.high * horner(z.high, K::kLog);
  const DoubleWord<N> third = add(DoubleWord<N>{like(x, K::kTwoThirds[0]), like(x, K::kTwoThirds[1])}, {rest, zero});
  const DoubleWord<N> cube = multiply(multiply(s, z), third);
  const DoubleWord<N> of_m = add(DoubleWord<N>{s.high + s.high, s.low + s.low}, cube);
  const auto [high, low] = two_product(e, like(x, L::kLn2High));
  const DoubleWord<N> of_e{high, fma(e, like(x, L::kLn2Low), low)};
  return add(of_e, of_m);
}

/// e^(high + low), low below an ulp of high. Overflow and underflow as exp.
template <class N>
TENON_MATH_INLINE N exp_double_word(DoubleWord<N> x) {
  using K = ExpConstants<FloatOf<N>>;
  constexpr int fraction = FormatOf<N>::kFractionBits;
  const N x0 = x.high;
  const MaskOf<N> above = x0 > like(x0, K::kHighest);
  const MaskOf<N> below = x0 < like(x0, K::kLowest);
  const N high = select(above, like(x0, K::kHighest), select(below, like(x0, K::kLowest), x0));
  const N low = select(above, like(x0, 0), select(below, like(x0, 0), x.low));
  const auto [r, shifted] = exp_reduce(high, 2 * FormatOf<N>::kBias);
  const N y = horner(r + low, K::kExp);
  const BitsOf<N> exponents = to_bits(shifted);
  const BitsOf<N> half = (exponents >> 1) << fraction;
  const BitsOf<N> other = (exponents << fraction) - half;
  return y * from_bits(x0, half) * from_bits(x0, other);
}

template <class N>
TENON_MATH_INLINE N pow(N x, N y) {
  const N zero = like(x, 0), one = like(x, 1), infinity = like(x, HUGE_VAL);
  const N magnitude = abs(x);
  DoubleWord<N> log_x = log_double_word(magnitude);
  const N of_special = select(magnitude == zero, -infinity, magnitude);  // log of 0, inf and NaN
  const N is_plain = select(magnitude > zero, select(magnitude < infinity, one, zero), zero);
  log_x.high = select(is_plain == one, log_x.high, of_special);
  log_x.low = select(is_plain == one, log_x.low, zero);

  const N high = y * log_x.high;
  const N exact_low = fma(y, log_x.low, fma(y, log_x.high, -high));
  const N low = select(abs(high) < like(x, 2000), exact_low, zero);  // beyond, exp is 0 or inf (or NaN)
  N result = exp_double_word(DoubleWord<N>{high, low});
  result = select(magnitude == one, one, result);  // also y infinite

  // Sign: x negative (or -0) and y an odd integer; NaN: x negative, finite, and y no integer.
  const N half = y * like(x, 0.5);
  const N is_integer = select(floor(y) == y, one, zero);
  const N is_odd = select(floor(half) == half, zero, is_integer);
  const BitsOf<N> sign = select(is_odd == one, to_bits(x) & sign_mask(x), bits_like(x, 0));
  result = from_bits(x, to_bits(result) | sign);
  const N of_negative = select(is_integer == one, result, select(x > -infinity, like(x, std::nan("")), result));
  result = select(x < zero, of_negative, result);
  result = select(y == zero, one, result);
  result = select(x == one, one, result);
  return result;
}

}  // namespace tenon::math
