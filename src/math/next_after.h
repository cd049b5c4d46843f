// nextafter on the bits of a number: the neighbour of x on the way to y.
//
// Positive numbers are ordered as their bits, so a step is an addition of 1 to them; of 0 it is the
// smallest subnormal with the sign of y. y itself when they are equal, NaN when one is NaN.
#pragma once

#include <cstdint>

namespace tenon::math {

/// The bits of a format: sign, infinity, and what makes a NaN quiet.
struct FloatBits {
  std::int64_t sign, infinity, quiet;
};
constexpr FloatBits float_bits(int exponent_bits, int width) {
  const int fraction = width - 1 - exponent_bits;
  return {std::int64_t(std::uint64_t{1} << (width - 1)), ((std::int64_t{1} << exponent_bits) - 1) << fraction,
          std::int64_t{1} << (fraction - 1)};
}

template <class I>
  requires(std::uint64_t(I(-1)) > 0)
constexpr I choose(bool mask, I a, I b) {
  return mask ? a : b;
}

/// I: an unsigned integer, or lanes of them with & | ^ + - == > and choose(mask, I, I).
template <class I>
constexpr I next_after(I x, I y, I sign, I infinity, I quiet, I one, I zero) {
  const I magnitude = I(x & I(sign - one)), y_magnitude = I(y & I(sign - one));
  const auto apart = I((x ^ y) & sign) > zero;
  const auto down = apart | (magnitude > y_magnitude);
  I next = choose(down, I(x - one), I(x + one));
  next = choose(magnitude == zero, I((y & sign) | one), next);
  const auto equal = (x == y) | (I(magnitude | y_magnitude) == zero);
  next = choose(equal, y, next);
  next = choose(y_magnitude > infinity, I(y | quiet), next);
  return choose(magnitude > infinity, I(x | quiet), next);
}

}  // namespace tenon::math
