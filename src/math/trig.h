// sin and cos.
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
#pragma once

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
  // (sin(r) - r) / r^3 in r^2, |r| <= 1.005 pi/2; relative error of sin 2^-27.1
  static constexpr double kSin[] = {-0x1.55554cp-3, 0x1.110ed4p-7, -0x1.9f6f22p-13, 0x1.5da83p-19};
};

template <>
struct TrigConstants<double> {
  static constexpr double kHuge = 0x1p28;
  static constexpr double kInversePi = 0x1.45f306dc9c883p-2;
  static constexpr double kPi[] = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53, -0x1.f1976b7ed8fbcp-109};
  // relative error 2^-61.4
  static constexpr double kSin[] = {
      -0x1.5555555555555p-3, 0x1.11111111110c7p-7, -0x1.a01a01a014bdbp-13, 0x1.71de3a529261ep-19,
      -0x1.ae6454cca5d7bp-26, 0x1.6123cacf5d660p-33, -0x1.ae42e266d1e77p-41, 0x1.8820503bb97bbp-49};
};

/// sin(r) for |r| <= pi/2. Gives +0 for -0: callers set the sign.
template <class N>
TENON_MATH_INLINE N sin_polynomial(N r) {
  const N z = r * r;
  // The rounding of r^2 counts most near pi/2 (0.7 ulp of 2.1): the cube gets it back.
  const N cube = fma(z, r, fma(r, r, -z) * r);
  return fma(cube, horner(z, TrigConstants<FloatOf<N>>::kSin), r);
}

/// a - h pi.
template <class N>
TENON_MATH_INLINE N subtract_pi(N a, N h) {
  using K = TrigConstants<FloatOf<N>>;
  const N r = fma(h, like(a, -K::kPi[0]), a);
  return fma(h, like(a, -K::kPi[2]), fma(h, like(a, -K::kPi[1]), r));
}

template <class N>
TENON_MATH_INLINE N sin(N x) {
  using K = TrigConstants<FloatOf<N>>;
  const N round = like(x, FormatOf<N>::kRound);
  const N a = abs(x);
  const N shifted = fma(a, like(x, K::kInversePi), round);
  const N r = subtract_pi(a, shifted - round);
  const BitsOf<N> odd = to_bits(shifted) << (FormatOf<N>::kWidth - 1);
  const BitsOf<N> sign = odd ^ (to_bits(x) & sign_mask(x));
  const N y = from_bits(x, to_bits(sin_polynomial(r)) ^ sign);
  return rare<SinHuge>(a > like(x, K::kHuge), y, x);
}

template <class N>
TENON_MATH_INLINE N cos(N x) {
  using K = TrigConstants<FloatOf<N>>;
  const N round = like(x, FormatOf<N>::kRound);
  const N a = abs(x);
  const N shifted = fma(a, like(x, K::kInversePi), like(x, -0.5)) + round;
  const N h = (shifted - round) + like(x, 0.5);
  const N r = -subtract_pi(a, h);
  const BitsOf<N> odd = to_bits(shifted) << (FormatOf<N>::kWidth - 1);
  const N y = from_bits(x, to_bits(sin_polynomial(r)) ^ odd);
  return rare<CosHuge>(a > like(x, K::kHuge), y, x);
}

}  // namespace tenon::math
