// All scalar functions over a number type: the header to include.
#pragma once

#include "math/arctan.h"
#include "math/error_function.h"
#include "math/exp.h"
#include "math/hyperbolic.h"
#include "math/log.h"
#include "math/number.h"
#include "math/power.h"
#include "math/root.h"
#include "math/trig.h"

namespace tenon::math {

/// 1 / sqrt(x): two roundings, at most 1 ulp. rsqrt(+-0) = +-inf, rsqrt(x < 0) = NaN.
template <class N>
TENON_MATH_INLINE N rsqrt(N x) {
  return like(x, 1) / sqrt(x);
}

/// Lane by lane: a call, not vectors.
template <class N>
TENON_MATH_INLINE N lgamma(N x) {
  return rare<Lgamma>(x == x, x, x);
}
template <class N>
TENON_MATH_INLINE N digamma(N x) {
  return rare<Digamma>(x == x, x, x);
}

/// -1, -0, +0 or 1; NaN for NaN.
template <class N>
TENON_MATH_INLINE N sign(N x) {
  const N one = from_bits(x, to_bits(like(x, 1)) | (to_bits(x) & sign_mask(x)));
  return select(abs(x) > like(x, 0), one, x);  // zeros and NaN give themselves
}

/// x^exponent by repeated squaring, in the order JAX multiplies; negative: 1 / x^-exponent.
template <class N>
TENON_MATH_INLINE N integer_pow(N x, int exponent) {
  if (exponent == 0) return like(x, 1);
  unsigned left = exponent < 0 ? 0u - static_cast<unsigned>(exponent) : static_cast<unsigned>(exponent);
  N square = x, product = x;
  for (bool first = true; left != 0; left >>= 1) {
    if (left & 1) {
      product = first ? square : product * square;
      first = false;
    }
    if (left > 1) square = square * square;
  }
  return exponent < 0 ? like(x, 1) / product : product;
}

}  // namespace tenon::math
