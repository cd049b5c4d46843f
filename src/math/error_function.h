// erf, erfc and erf_inv.
//
// erfc(a) = e^(-a^2) g(q) / (1 + 2 a), a >= 0, with q = (a - K) / (a + K): g is smooth on the whole
// half line, so that one polynomial serves (Shepherd & Laframboise, "Chebyshev approximation of
// (1 + 2x) exp(x^2) erfc x", Math. Comp. 1981; coefficients ours). a^2 is a double word in the
// exponent. erf(x) = x P(x^2) below 1, and 1 - erfc(x) above. Error below 3 ulp (erfc), 2 (erf).
// For f32 1 - erfc needs no more than 1 - e^-p(x), p a polynomial for -log erfc: half the operations.
//
// erf_inv(y) = y h(w), w = -log(1 - y^2), by one polynomial in w below 5 and one in sqrt(w) above
// (Giles, "Approximating the erfinv function", GPU Computing Gems 2, 2010; coefficients ours). For
// f64 that is the start of a Halley step on erf or, near +-1, on erfc. Error below 3 ulp (2.6 measured).
#pragma once

#include "math/double_word.h"
#include "math/power.h"

namespace tenon::math {

template <class F>
struct ErrorFunctionConstants;

template <>
struct ErrorFunctionConstants<float> {
  static constexpr double kCenter = 2;
  // erf(x) / x - 1 in x^2, |x| <= 1; relative error of erf 2^-29.4
  static constexpr double kErf[] = {0x1.06eba8p-3, -0x1.81273ep-2, 0x1.ce2ce6p-4, -0x1.b7f71ap-6,
                                    0x1.53f224p-8, -0x1.a35160p-11, 0x1.477210p-14};
  // -log erfc(1 + t), 0 <= t <= 2.95, where erf rounds to 1; absolute error of erfc 2^-26.9
  static constexpr double kMinusLogErfc[] = {0x1.d97fcp+0, 0x1.51c988p+1, 0x1.afb44ap-1, 0x1.52051ap-5, -0x1.35bd2ap-7, 0x1.8422a4p-10,
                                             -0x1.78fe6cp-14};
  // g(q), a <= 10.1; 2^-26.4
  static constexpr double kErfc[] = {0x1.46e80ep+0, -0x1.7bf5f4p-4, -0x1.5407fcp-3, 0x1.4ffad4p-3,
                                     -0x1.bc1440p-5, -0x1.078f86p-7, 0x1.1b696cp-7, 0x1.4e0cd6p-10,
                                     -0x1.4b703ap-10, -0x1.828f02p-12, 0x1.d361e0p-16};
  // h in w - 2.5 for w <= 5; relative error 2^-24.6
  static constexpr double kInverse[] = {0x1.805c5ep+0, 0x1.f91e8ap-3, -0x1.11c9a8p-8, -0x1.486702p-10, 0x1.ca6442p-13,
                                        -0x1.4bbfacp-18, -0x1.d8f9aap-19, 0x1.edd942p-22, 0x1.e4b536p-26, -0x1.1af2dap-27};
  // -log(1 + f) / f, sqrt(1/2) <= 1 + f < sqrt(2); absolute error of the logarithm 2^-24.8
  static constexpr double kMinusLog[] = {-0x1.fffffap-1, 0x1.0000dep-1, -0x1.555cb4p-2, 0x1.ff2bb2p-3,
                                         -0x1.970366p-3, 0x1.62f848p-3, -0x1.50345cp-3, 0x1.9db9ecp-4};
  static constexpr double kTailBelow = 0x1.b993fep-8;  // e^-5
  // h in sqrt(w) - kTailCenter; 2^-24
  static constexpr double kTailCenter = 3;
  static constexpr double kInverseTail[] = {0x1.6a9efcp+1, 0x1.006db8p+0, 0x1.355bfap-7, -0x1.f38c12p-8,
                                            0x1.777fb8p-8, -0x1.e1a83ap-9, 0x1.663b32p-10, 0x1.af1e2cp-14,
                                            -0x1.b8e286p-13};
};

template <>
struct ErrorFunctionConstants<double> {
  static constexpr double kCenter = 4;
  // 2^-56.3
  static constexpr double kErf[] = {
      0x1.06eba8214db69p-3, -0x1.812746b037a22p-2, 0x1.ce2f21a045649p-4, -0x1.b82ce3134ad23p-6,
      0x1.565bcd2b418a7p-8, -0x1.c02db90fe71dcp-11, 0x1.f9a3b703a7135p-14, -0x1.f4dce1bcea6cep-17,
      0x1.ba69931054cc4p-20, -0x1.639e9957548aap-23, 0x1.1399922b2e350p-26, -0x1.c8a9ad5af02c7p-30,
      0x1.4234259ce1256p-33};
  // a <= 27.3; 2^-54.5
  static constexpr double kErfc[] = {
      0x1.3ba5916e9fd7fp+0, -0x1.1df1ad154a28fp-3, 0x1.f7f5df66fb8d0p-7, 0x1.16ecefcfa5457p-4,
      -0x1.9ddb23c3dd2a4p-4, 0x1.7fee004e10c10p-4, -0x1.0fb06dff2ed6cp-4, 0x1.3079edf6af17fp-5,
      -0x1.0962386130891p-6, 0x1.49c6727be8637p-8, -0x1.8d4ab481c1cb5p-11, -0x1.a1df2019b669ep-13,
      0x1.3be1d0bbdcdc6p-13, -0x1.995994e1540bep-16, -0x1.78c4658b4cb5dp-17, 0x1.7f26da1b84436p-18,
      0x1.472afd2405a3fp-22, -0x1.ba862b4c743b5p-21, 0x1.0c33224d518e5p-24, 0x1.ce21b5e858233p-24,
      -0x1.483d7b8a0b879p-27, -0x1.859dc6a35c3b6p-27, -0x1.c8cf283f3ed18p-31};
  // The start of the Halley step: 2^-24.6 and 2^-21.3.
  static constexpr auto& kInverse = ErrorFunctionConstants<float>::kInverse;
  static constexpr double kTailCenter = 4;
  static constexpr double kInverseTail[] = {0x1.eb7e0ep+1, 0x1.026eap+0, 0x1.47ac2ap-10, -0x1.ddaf72p-11,
                                            0x1.6d9f8p-12, -0x1.b5714p-15, 0x1.8937aap-16, -0x1.2d27eap-14,
                                            0x1.38c87ep-15, -0x1.76618cp-21, -0x1.053d88p-19};
};

/// erfc(a), a >= 0.
template <class N>
TENON_MATH_INLINE N erfc_positive(N a) {
  using K = ErrorFunctionConstants<FloatOf<N>>;
  const N highest = like(a, 30);  // erfc is 0 from there on
  const N b = select(a > highest, highest, a);
  const N center = like(a, K::kCenter);
  const N q = (b - center) / (b + center);
  const DoubleWord<N> square = two_product(b, b);
  const N gauss = exp_double_word(DoubleWord<N>{-square.high, -square.low});
  return gauss * (horner(q, K::kErfc) / fma(like(a, 2), b, like(a, 1)));
}

/// erf(x), |x| <= 1.
template <class N>
TENON_MATH_INLINE N erf_small(N x) {
  return fma(x, horner(x * x, ErrorFunctionConstants<FloatOf<N>>::kErf), x);
}

template <class N>
TENON_MATH_INLINE N erfc(N x) {
  const N a = abs(x);
  const N y = erfc_positive(a);
  const N beyond = select(x < like(x, 0), like(x, 2) - y, y);
  return select(a < like(x, 0.5), like(x, 1) - erf_small(x), beyond);
}

/// erf(a), a >= 1.
template <class N>
TENON_MATH_INLINE N erf_large(N a) {
  if constexpr (sizeof(FloatOf<N>) == 8) return like(a, 1) - erfc_positive(a);
  const N highest = like(a, 3.95);
  const N t = select(a > highest, highest, a) - like(a, 1);  // NaN passes
  const auto [r, shifted] = exp_reduce(-horner(t, ErrorFunctionConstants<float>::kMinusLogErfc), FormatOf<N>::kBias);
  const N scale = from_bits(a, to_bits(shifted) << FormatOf<N>::kFractionBits);
  return fma(-horner(r, ExpConstants<float>::kExp), scale, like(a, 1));
}

template <class N>
TENON_MATH_INLINE N erf(N x) {
  const N a = abs(x);
  const N y = select(a < like(x, 1), erf_small(a), erf_large(a));
  return from_bits(x, to_bits(y) | (to_bits(x) & sign_mask(x)));
}

/// Where no more than the absolute error of w counts, which the polynomials hardly amplify: a logarithm of nine
/// operations, and the tail (y beyond 0.9966) only where there is one.
template <class N>
TENON_MATH_INLINE N erf_inv_single(N y) {
  using K = ErrorFunctionConstants<float>;
  const N one = like(y, 1), u = fma(-y, y, one);
  const auto [m, biased] = log_reduce(u);
  const N e = log_exponent(u, biased, like(y, Format<float>::kRound));
  const N f = m - one;
  const N v = fma(f, horner(f, K::kMinusLog), fma(e, like(y, -LogConstants<float>::kLn2High), like(y, -2.5)));  // w - 2.5
  return uncommon(!(u >= like(y, K::kTailBelow)), y * horner(v, K::kInverse), [&] {  // NaN too
    const N a = abs(y);
    const N tail = a * horner(sqrt(v + like(y, 2.5)) - like(y, K::kTailCenter), K::kInverseTail);
    const N of_one = select(a == one, like(y, HUGE_VAL), like(y, std::nan("")));
    return from_bits(y, to_bits(select(a < one, tail, of_one)) | (to_bits(y) & sign_mask(y)));
  });
}

template <class N>
TENON_MATH_INLINE N erf_inv(N y) {
  if constexpr (sizeof(FloatOf<N>) == 4) return erf_inv_single(y);
  using K = ErrorFunctionConstants<FloatOf<N>>;
  const N a = abs(y), one = like(y, 1);
  const MaskOf<N> inside = a < one;
  const N b = select(inside, a, like(y, 0));
  const DoubleWord<N> square = two_product(b, b);
  const N w = -log1p_double_word(DoubleWord<N>{-square.high, -square.low});
  const N center = horner(w - like(y, 2.5), K::kInverse);
  const N tail = horner(sqrt(w) - like(y, K::kTailCenter), K::kInverseTail);
  N x = b * select(w < like(y, 5), center, tail);
  const N error = select(x < one, erf_small(x) - b, (one - b) - erfc_positive(x));
  const N slope = like(y, 1.1283791670955126) * exp(-x * x);
  const N newton = error / slope;
  x = x - newton / fma(x, newton, one);
  const N of_one = select(a == one, like(y, HUGE_VAL), like(y, std::nan("")));
  const N result = select(inside, x, of_one);
  return from_bits(y, to_bits(result) | (to_bits(y) & sign_mask(y)));
}

}  // namespace tenon::math
