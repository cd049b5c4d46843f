// log and log1p.
//
// Range reduction: x = 2^e m with sqrt(1/2) <= m < sqrt(2), by integer operations on the bits
// (subnormals are scaled up before). With f = m - 1 (exact) and s = f / (2 + f),
//
//     log(1 + f) = 2 atanh(s) = f - f^2/2 + s (f^2/2 + R(s^2))
//
// as in FDLIBM (Sun Microsystems, 1993), whose form keeps f exact and everything else small; R is
// our own minimax polynomial (coefficients.py). e ln2 joins by fma at the end, its low part before.
// Error below 1 ulp; measured in tests/math.
#pragma once

#include "math/double_word.h"
#include "math/number.h"

namespace tenon::math {

template <class F>
struct LogConstants;

template <>
struct LogConstants<float> {
  static constexpr std::uint64_t kSqrtHalfBits = 0x3f3504f3;
  static constexpr double kSubnormalScale = 0x1p24;
  static constexpr int kSubnormalExponent = 24;
  static constexpr double kLn2High = 0x1.62e43p-1;
  static constexpr double kLn2Low = -0x1.05c61p-29;
  // 2 atanh(s) = 2 s + s (c0 s^2 + c1 s^4 + ...), relative error 2^-30.2
  static constexpr double kLog[] = {0x1.55557ap-1, 0x1.995ec6p-2, 0x1.31e36p-2};
};

template <>
struct LogConstants<double> {
  static constexpr std::uint64_t kSqrtHalfBits = 0x3fe6a09e667f3bcd;
  static constexpr double kSubnormalScale = 0x1p54;
  static constexpr int kSubnormalExponent = 54;
  static constexpr double kLn2High = 0x1.62e42fefa39efp-1;
  static constexpr double kLn2Low = 0x1.abc9e3b39803fp-56;
  // relative error 2^-59.5
  static constexpr double kLog[] = {
      0x1.5555555555593p-1, 0x1.999999997f9c9p-2, 0x1.249249422f3fep-2, 0x1.c71c51d1f70bfp-3,
      0x1.74664b3a92e31p-3, 0x1.39a06562c1a21p-3, 0x1.2f13b464dcd61p-3};
};

/// A positive normal number as 2^e m, sqrt(1/2) <= m < sqrt(2). `biased` is e + kBias + 1.
template <class N>
struct LogReduced {
  N m;
  BitsOf<N> biased;
};

template <class N>
TENON_MATH_INLINE LogReduced<N> log_reduce(N x) {
  using K = LogConstants<FloatOf<N>>;
  using Facts = FormatOf<N>;
  constexpr int fraction = Facts::kFractionBits;
  constexpr std::uint64_t fraction_mask = (std::uint64_t{1} << fraction) - 1;
  constexpr std::uint64_t offset = Facts::kBias + 1;  // keeps e + offset positive: logical shifts do
  const BitsOf<N> u = to_bits(x) - bits_like(x, K::kSqrtHalfBits - (offset << fraction));
  const N m = from_bits(x, (u & bits_like(x, fraction_mask)) + bits_like(x, K::kSqrtHalfBits));
  return {m, u >> fraction};
}

/// e as a number: the rounding constant plus e, less that constant (and what the caller adds to it).
template <class N>
TENON_MATH_INLINE N log_exponent(N x, BitsOf<N> biased, N round) {
  using Facts = FormatOf<N>;
  return from_bits(x, biased + bits_like(x, Facts::kRoundBits - (Facts::kBias + 1))) - round;
}

/// e ln2 + log(1 + f).
template <class N>
TENON_MATH_INLINE N log_core(N e, N f) {
  using K = LogConstants<FloatOf<N>>;
  const N s = f / (f + like(f, 2));
  const N z = s * s;
  const N half_square = like(f, 0.5) * f * f;
  const N tail = fma(s, fma(horner(z, K::kLog), z, half_square), -half_square);
  return fma(e, like(f, K::kLn2High), f + fma(e, like(f, K::kLn2Low), tail));
}

/// log(x) where x is no positive normal number.
template <class N>
TENON_MATH_INLINE N log_of_special(N x) {
  using K = LogConstants<FloatOf<N>>;
  using Facts = FormatOf<N>;
  const auto [m, biased] = log_reduce(x * like(x, K::kSubnormalScale));
  const N y = log_core(log_exponent(x, biased, like(x, Facts::kRound + K::kSubnormalExponent)), m - like(x, 1));
  const N of_infinity = select(x < like(x, HUGE_VAL), y, x);  // inf and NaN give themselves
  const N of_zero = select(x == like(x, 0), like(x, -HUGE_VAL), like(x, std::nan("")));
  return select(x > like(x, 0), of_infinity, of_zero);  // NaN compares false: NaN
}

template <class N>
TENON_MATH_INLINE N log(N x) {
  using Facts = FormatOf<N>;
  const auto [m, biased] = log_reduce(x);
  const N y = log_core(log_exponent(x, biased, like(x, Facts::kRound)), m - like(x, 1));
  const MaskOf<N> is_normal = x >= like(x, Facts::kSmallestNormal), is_finite = x < like(x, HUGE_VAL);
  return uncommon(!(is_normal & is_finite), y, [&] { return log_of_special(x); });
}

/// log(1 + x.high + x.low), x > -1. The rounding of 1 + x is known exactly (Knuth, TAOCP 4.2.2) and
/// added, scaled, to f; so f = x where x is small.
template <class N>
TENON_MATH_INLINE N log1p_double_word(DoubleWord<N> x) {
  using Facts = FormatOf<N>;
  const N one = like(x.high, 1);
  const auto [u, rounded] = two_sum(x.high, one);
  const N lost = rounded + x.low;
  const auto [m, biased] = log_reduce(u);
  // 2^(1-e), whose exponent field bias + 1 - e is 0 and no less for the highest e; then 2^-e.
  const BitsOf<N> field = bits_like(one, 2 * Facts::kBias + 2) - biased;
  const N scale = like(one, 0.5) * from_bits(one, field << Facts::kFractionBits);
  return log_core(log_exponent(one, biased, like(one, Facts::kRound)), fma(lost, scale, m - one));
}

template <class N>
TENON_MATH_INLINE N log1p(N x) {
  const N one = like(x, 1);
  const N y = log1p_double_word(DoubleWord<N>{x, like(x, 0)});
  const N of_infinity = select(x < like(x, HUGE_VAL), y, x);
  const N of_minus_one = select(x == -one, like(x, -HUGE_VAL), like(x, std::nan("")));
  const N result = select(x > -one, of_infinity, of_minus_one);
  return from_bits(x, to_bits(result) | (to_bits(x) & sign_mask(x)));  // -0
}

}  // namespace tenon::math
