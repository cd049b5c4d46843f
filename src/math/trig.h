// sin, cos and tan.
//
// Range reduction: |x| = h pi + r, |r| <= pi/2 (a little over), with h = n for sin and n + 1/2 for
// cos; h pi is subtracted in three parts by fma. The first difference is exact (a multiple of
// ulp(pi) below 2), the next is rounded once relative to itself, so r is good to an ulp even where
// x is next to a multiple of pi (Cody & Waite, 1980, with fma). One odd polynomial serves both:
//
//     sin(x) = sign(x) (-1)^n sin(r)          cos(x) = (-1)^n sin(h pi - |x|)
//
// Reducing by pi instead of pi/2 costs one term of the polynomial and saves the second polynomial
// and its selection, which is what vectors want. Where |x| is beyond kHuge, the product with 1/pi
// is formed from as many bits as it needs (Payne & Hanek, SIGNUM 1983), lane by lane: rare.h.
//
// tan needs both: |x| = n pi/2 + r, |r| <= pi/4, tan(r) = sin(r) / cos(r) or -cos(r) / sin(r), all
// three as double words, because tan magnifies the error of r.
#pragma once

#include "math/double_word.h"
#include "math/number.h"
#include "math/rare.h"

namespace tenon::math {

template <class F>
struct TrigConstants;

template <>
struct TrigConstants<float> {
  static constexpr double kHuge = 0x1p17;  // n pi by three parts: error 2^-76 n; n exact to 1/500
  static constexpr double kInversePi = 0x1.45f306p-2;
  static constexpr double kPi[] = {0x1.921fb6p+1, -0x1.777a5cp-24, -0x1.ee59dap-49};
  // (sin(r) - r) / r^3 in r^2, |r| <= 1.005 pi/2: of the coefficients near the best ones, those
  // whose rounded evaluation errs least (scripts/tune_sin.cpp): 1.67 ulp instead of 2.1.
  static constexpr bool kRestoresSquare = false;
  static constexpr double kSin[] = {-0x1.555558p-3, 0x1.110f6ep-7, -0x1.9f71b8p-13, 0x1.5d1e9cp-19};
  // The same, and (cos(r) - 1 + r^2/2) / r^4, for |r| <= 1.02 pi/4; 2^-27.7, 2^-32.6.
  static constexpr double kQuarterSin[] = {-0x1.555544p-3, 0x1.1106aap-7, -0x1.990d7ap-13};
  static constexpr double kQuarterCos[] = {0x1.555548p-5, -0x1.6c0af4p-10, 0x1.99911cp-16};
};

template <>
struct TrigConstants<double> {
  static constexpr double kHuge = 0x1p28;
  static constexpr double kInversePi = 0x1.45f306dc9c883p-2;
  static constexpr double kPi[] = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53, -0x1.f1976b7ed8fbcp-109};
  // relative error 2^-61.4; the rounding of r^2 would cost 0.7 ulp near pi/2
  static constexpr bool kRestoresSquare = true;
  static constexpr double kSin[] = {
      -0x1.5555555555555p-3, 0x1.11111111110c7p-7, -0x1.a01a01a014bdbp-13, 0x1.71de3a529261ep-19,
      -0x1.ae6454cca5d7bp-26, 0x1.6123cacf5d660p-33, -0x1.ae42e266d1e77p-41, 0x1.8820503bb97bbp-49};
  // 2^-63.2, 2^-68.9
  static constexpr double kQuarterSin[] = {
      -0x1.5555555555555p-3, 0x1.111111111106ep-7, -0x1.a01a019ffff5ep-13, 0x1.71de3a3696451p-19,
      -0x1.ae64310a10aedp-26, 0x1.610d39e3c07bap-33, -0x1.a1eb9130fe890p-41};
  static constexpr double kQuarterCos[] = {
      0x1.5555555555555p-5, -0x1.6c16c16c16b38p-10, 0x1.a01a019ffeb2fp-16, -0x1.27e4fb5d050a0p-22,
      0x1.1eed737822361p-29, -0x1.93797e7cf3593p-37, 0x1.a043c88b9657ap-45};
};

/// sin(r) for |r| <= pi/2. Gives +0 for -0: callers set the sign.
template <class N>
TENON_MATH_INLINE N sin_polynomial(N r) {
  using K = TrigConstants<FloatOf<N>>;
  const N z = r * r;
  N cube = z * r;
  if constexpr (K::kRestoresSquare) cube = fma(z, r, fma(r, r, -z) * r);
  return fma(cube, horner(z, K::kSin), r);
}

/// a - h pi.
template <class N>
TENON_MATH_INLINE N subtract_pi(N a, N h) {
  using K = TrigConstants<FloatOf<N>>;
  const N r = fma(h, like(a, -K::kPi[0]), a);
  return fma(h, like(a, -K::kPi[2]), fma(h, like(a, -K::kPi[1]), r));
}

/// sin(x) for |x| <= kHuge, or NaN.
template <class N>
TENON_MATH_INLINE N sin_moderate(N x) {
  using K = TrigConstants<FloatOf<N>>;
  const N round = like(x, FormatOf<N>::kRound);
  const N a = abs(x);
  const N shifted = fma(a, like(x, K::kInversePi), round);
  const N r = subtract_pi(a, shifted - round);
  const BitsOf<N> odd = to_bits(shifted) << (FormatOf<N>::kWidth - 1);
  const BitsOf<N> sign = odd ^ (to_bits(x) & sign_mask(x));
  return from_bits(x, to_bits(sin_polynomial(r)) ^ sign);
}

template <class N>
TENON_MATH_INLINE MaskOf<N> is_huge(N x) {
  return abs(x) > like(x, TrigConstants<FloatOf<N>>::kHuge);
}

template <class N>
TENON_MATH_INLINE N sin(N x) {
  return rare<SinHuge>(is_huge(x), sin_moderate(x), x);
}

template <class N>
TENON_MATH_INLINE N cos_moderate(N x) {
  using K = TrigConstants<FloatOf<N>>;
  const N round = like(x, FormatOf<N>::kRound);
  const N a = abs(x);
  const N shifted = fma(a, like(x, K::kInversePi), like(x, -0.5)) + round;
  const N h = (shifted - round) + like(x, 0.5);
  const N r = -subtract_pi(a, h);
  const BitsOf<N> odd = to_bits(shifted) << (FormatOf<N>::kWidth - 1);
  return from_bits(x, to_bits(sin_polynomial(r)) ^ odd);
}

template <class N>
TENON_MATH_INLINE N cos(N x) {
  return rare<CosHuge>(is_huge(x), cos_moderate(x), x);
}

/// sin and cos of r.high + r.low, |r| <= pi/4.
template <class N>
struct SinCos {
  DoubleWord<N> sin, cos;
};
template <class N>
TENON_MATH_INLINE SinCos<N> sin_cos_quarter(DoubleWord<N> r) {
  using K = TrigConstants<FloatOf<N>>;
  const N one = like(r.high, 1);
  const DoubleWord<N> square = two_product(r.high, r.high);
  const N z = square.high;
  const N cube = z * r.high;
  const DoubleWord<N> sin = fast_two_sum(r.high, fma(cube, horner(z, K::kQuarterSin), r.low));
  // cos(r + l) = 1 - r^2/2 + r^4 C - r l
  const N half = like(r.high, 0.5) * z;
  const N half_low = fma(r.high, r.low, like(r.high, 0.5) * square.low);
  const DoubleWord<N> start = fast_two_sum(one, -half);
  const DoubleWord<N> cos = fast_two_sum(start.high, start.low + fma(z * z, horner(z, K::kQuarterCos), -half_low));
  return {sin, cos};
}

template <class N>
TENON_MATH_INLINE N tan_moderate(N x) {
  using K = TrigConstants<FloatOf<N>>;
  const N round = like(x, FormatOf<N>::kRound);
  const N a = abs(x);
  const N shifted = fma(a, like(x, 2 * K::kInversePi), round);
  const N h = (shifted - round) * like(x, 0.5);
  // a - h pi as in subtract_pi, keeping what rounding takes.
  const N r1 = fma(h, like(x, -K::kPi[0]), a);
  const DoubleWord<N> product = two_product(h, like(x, -K::kPi[1]));
  const DoubleWord<N> r2 = two_sum(r1, product.high);
  const N low = fma(h, like(x, -K::kPi[2]), r2.low + product.low);
  const auto [sin, cos] = sin_cos_quarter(two_sum(r2.high, low));
  const BitsOf<N> odd_sign = to_bits(shifted) << (FormatOf<N>::kWidth - 1);
  const MaskOf<N> odd = from_bits(x, odd_sign | to_bits(like(x, 1))) < like(x, 0);
  const DoubleWord<N> top{select(odd, cos.high, sin.high), select(odd, cos.low, sin.low)};
  const DoubleWord<N> bottom{select(odd, sin.high, cos.high), select(odd, sin.low, cos.low)};
  const N quotient = divide(top, bottom).high;
  const BitsOf<N> sign = odd_sign ^ (to_bits(x) & sign_mask(x));
  return from_bits(x, to_bits(quotient) ^ sign);
}

template <class N>
TENON_MATH_INLINE N tan(N x) {
  return rare<TanHuge>(is_huge(x), tan_moderate(x), x);
}

}  // namespace tenon::math
