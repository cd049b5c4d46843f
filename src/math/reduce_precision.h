// reduce_precision: a number rounded to a format with fewer bits, in the format it has.
#pragma once

#include "math/number.h"

namespace tenon::math {

/// Rounds the fraction to nearest even; then, where the format has fewer than x's own
/// `own_exponent_bits`, what exceeds its range becomes infinity and what is below its normal numbers
/// zero. With as many, subnormals keep the digits that the fraction leaves them. Without fraction bits there is no NaN: it becomes infinity.
template <class N>
TENON_MATH_INLINE N reduce_precision(N x, int own_exponent_bits, int exponent_bits, int mantissa_bits) {
  using Facts = FormatOf<N>;
  const N infinity = like(x, HUGE_VAL);
  const BitsOf<N> sign = to_bits(x) & sign_mask(x);
  const N magnitude = abs(x);
  N rounded = magnitude;
  if (const int dropped = Facts::kFractionBits - mantissa_bits; dropped > 0) {
    const BitsOf<N> bits = to_bits(magnitude);
    const BitsOf<N> odd = (bits >> dropped) & bits_like(x, 1);
    const BitsOf<N> half = bits_like(x, (std::uint64_t{1} << (dropped - 1)) - 1);
    rounded = from_bits(x, ((bits + half + odd) >> dropped) << dropped);
  }
  if (exponent_bits == own_exponent_bits && own_exponent_bits < Facts::kExponentBits) {  // a half's subnormals, normal here
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const N shift = like(x, std::ldexp(Facts::kRound, 1 - bias - mantissa_bits));
    rounded = select(magnitude < like(x, std::ldexp(1.0, 1 - bias)), magnitude + shift - shift, rounded);
  }
  if (exponent_bits < own_exponent_bits) {
    const int bias = (1 << (exponent_bits - 1)) - 1;
    rounded = select(rounded >= like(x, std::ldexp(1.0, bias + 1)), infinity, rounded);
    rounded = select(rounded < like(x, std::ldexp(1.0, 1 - bias)), like(x, 0), rounded);
  }
  const N of_nan = mantissa_bits == 0 ? infinity : magnitude;
  rounded = select(magnitude < infinity, rounded, select(magnitude == magnitude, infinity, of_nan));
  return from_bits(x, to_bits(rounded) | sign);
}

}  // namespace tenon::math
