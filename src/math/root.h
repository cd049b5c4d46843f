// cbrt.
//
// x = 2^(3q + r) m with r in {-1, 0, 1}: the root of 2^r m by a polynomial of degree 4 (2^-9), Halley
// steps (each triples the good bits; one for f32, two for f64), and a Newton step whose residual is
// exact. Then times 2^q. Error below 0.6 ulp.
#pragma once

#include "math/double_word.h"
#include "math/log.h"

namespace tenon::math {

template <class N>
TENON_MATH_INLINE N cbrt(N x) {
  using L = LogConstants<FloatOf<N>>;
  using Facts = FormatOf<N>;
  static constexpr double kStart[] = {0x1.c615bcp-2, 0x1.cbe8d4p-1, -0x1.e452eep-2, 0x1.38626ep-3, -0x1.3d4f14p-6};
  const N magnitude = abs(x);
  const MaskOf<N> subnormal = magnitude < like(x, Facts::kSmallestNormal);
  const N scaled = select(subnormal, magnitude * like(x, L::kSubnormalScale), magnitude);
  const N round = select(subnormal, like(x, Facts::kRound + L::kSubnormalExponent), like(x, Facts::kRound));
  const auto [m, biased] = log_reduce(scaled);
  const N e = log_exponent(x, biased, round);
  const N third = fma(e, like(x, 0x1.5555555555555p-2), like(x, Facts::kRound));
  const N q = third - like(x, Facts::kRound);
  const N r = fma(q, like(x, -3), e);
  const N power = select(r < like(x, 0), like(x, 0.5), select(r > like(x, 0), like(x, 2), like(x, 1)));
  const N a = m * power;

  N y = horner(a, kStart);
  for (int step = sizeof(FloatOf<N>) == 4 ? 1 : 2; step > 0; --step) {
    const N cube = y * y * y;
    y = y * ((cube + (a + a)) / ((cube + cube) + a));
  }
  const DoubleWord<N> square = two_product(y, y);
  const N rest = fma(-y, square.low, fma(-y, square.high, a));
  y = y + rest / (like(x, 3) * square.high);

  // 2^q by its exponent field: q + bias > 0.
  const BitsOf<N> field = to_bits(third) + bits_like(x, Facts::kBias);
  const N result = y * from_bits(x, field << Facts::kFractionBits);
  const N special = select(magnitude == like(x, 0), magnitude, select(magnitude < like(x, HUGE_VAL), result, magnitude));
  return from_bits(x, to_bits(special) | (to_bits(x) & sign_mask(x)));
}

}  // namespace tenon::math
