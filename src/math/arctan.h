// atan, atan2, asin and acos: one function of two numbers.
//
// For a, b >= 0, atan(a / b) = base + atan(t), where t = a / b and base = 0 for a / b <= tan(pi/8),
// t = (a - b) / (a + b) and pi/4 up to tan(3 pi/8), t = -b / a and pi/2 above; numerator and
// denominator are selected first, so there is one division; what it
// rounds off joins the tail. atan(t) is an odd polynomial (coefficients.py); base is a double word. The
// other quadrants: pi - that.
//
// asin(x) = atan2(x, c), acos(x) = atan2(c, x) with c = sqrt(1 - x^2) as a double word.
// Error below 2 ulp; measured in tests/math.
#pragma once

#include "math/double_word.h"
#include "math/number.h"

namespace tenon::math {

template <class F>
struct ArctanConstants;

template <>
struct ArctanConstants<float> {
  static constexpr double kHalfPi[] = {0x1.921fb6p+0, -0x1.777a5cp-25};
  static constexpr double kLarge = 0x1p100;
  static constexpr double kSmall = 0x1p-90;
  static constexpr double kShrink = 0x1p-30;
  // (atan(t) - t) / t^3 in t^2, |t| <= tan(pi/8); relative error of atan 2^-30.4
  static constexpr double kAtan[] = {-0x1.55554ap-2, 0x1.9991dep-3, -0x1.23b924p-3, 0x1.b21ae4p-4, -0x1.f2ad1ap-5};
};

template <>
struct ArctanConstants<double> {
  static constexpr double kHalfPi[] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
  static constexpr double kLarge = 0x1p1000;
  static constexpr double kSmall = 0x1p-900;
  static constexpr double kShrink = 0x1p-60;
  // 2^-63.8
  static constexpr double kAtan[] = {
      -0x1.5555555555554p-2, 0x1.9999999999584p-3, -0x1.249249246f58ep-3, 0x1.c71c71b458e2cp-4,
      -0x1.745d14504c757p-4, 0x1.3b1364f0d1b81p-4, -0x1.110beb85c3d30p-4, 0x1.e167bd0ad9cb3p-5,
      -0x1.ab3c022c13e9ep-5, 0x1.6fe53c3979b69p-5, -0x1.0fd6324eace44p-5, 0x1.e8510ab87ca73p-7};
};

/// The angle of (b, a), a, b >= 0 and finite, their inverses too; `left` lanes have -b for b: pi minus
/// the angle. `HasLow`: a and b are double words, else their low words are not looked at.
template <bool HasLow, class N>
TENON_MATH_INLINE N arctan_of_ratio(DoubleWord<N> a, DoubleWord<N> b, MaskOf<N> left) {
  using K = ArctanConstants<FloatOf<N>>;
  const N zero = like(a.high, 0), one = like(a.high, 1);
  const MaskOf<N> steep = a.high > b.high * like(zero, 2.414213562373095);
  const MaskOf<N> middle = a.high > b.high * like(zero, 0.41421356237309503);
  const auto pick = [&](N if_steep, N if_middle, N otherwise) {
    return select(steep, if_steep, select(middle, if_middle, otherwise));
  };
  const N top = pick(-b.high, a.high - b.high, a.high);
  N bottom = pick(a.high, a.high + b.high, b.high);
  bottom = select(bottom == zero, one, bottom);  // 0 / 0
  const N inverse = one / bottom;
  const N t = top * inverse;
  N rest = fma(-t, bottom, top);
  if constexpr (HasLow) {
    const N top_low = pick(-b.low, a.low - b.low, a.low);
    rest = rest + fma(-t, pick(a.low, a.low + b.low, b.low), top_low);
  }
  const N halves = pick(one, like(zero, 0.5), zero);
  const N base = halves * like(zero, K::kHalfPi[0]);
  const N base_low = halves * like(zero, K::kHalfPi[1]);
  const N z = t * t;
  const N tail = fma(z * t, horner(z, K::kAtan), fma(rest, inverse, base_low));
  // pi - (base + t + tail): base, t and tail change sign, and base is a multiple of pi/4.
  const N flipped_base = like(zero, 2 * K::kHalfPi[0]) - base;  // exact
  const N flipped_tail = like(zero, 2 * K::kHalfPi[1]) - tail;
  return select(left, flipped_base + (flipped_tail - t), base + (t + tail));
}

template <class N>
TENON_MATH_INLINE N atan(N x) {
  const N a = abs(x), one = like(x, 1);
  const MaskOf<N> infinite = a == like(x, HUGE_VAL);
  const N zero = like(x, 0);
  const N y = arctan_of_ratio<false>(DoubleWord<N>{select(infinite, one, a), zero},
                                     DoubleWord<N>{select(infinite, zero, one), zero}, x != x);
  return from_bits(x, to_bits(y) | (to_bits(x) & sign_mask(x)));
}

/// The angle of the point (x, y), as IEEE 754-2019 (atan2): signed zeros and infinities included.
template <class N>
TENON_MATH_INLINE N atan2(N y, N x) {
  using K = ArctanConstants<FloatOf<N>>;
  const N zero = like(x, 0), one = like(x, 1), infinity = like(x, HUGE_VAL);
  N a = abs(y), b = abs(x);
  const N larger = select(a > b, a, b);
  // Neither a + b nor 1 / (a + b) may overflow.
  const N grow = select(larger < like(x, K::kSmall), like(x, 1 / K::kShrink), one);
  const N scale = select(larger > like(x, K::kLarge), like(x, K::kShrink), grow);
  a = select(larger == infinity, select(a == infinity, one, select(a == a, zero, a)), a * scale);
  b = select(larger == infinity, select(b == infinity, one, select(b == b, zero, b)), b * scale);
  const N signed_one = from_bits(x, (to_bits(x) & sign_mask(x)) | to_bits(one));
  const N angle = arctan_of_ratio<false>(DoubleWord<N>{a, zero}, DoubleWord<N>{b, zero}, signed_one < zero);
  const N result = from_bits(x, to_bits(angle) | (to_bits(y) & sign_mask(y)));
  return select(x != x, x, result);
}

/// sqrt(1 - x^2) for |x| <= 1; NaN beyond.
template <class N>
TENON_MATH_INLINE DoubleWord<N> other_leg(N x) {
  const DoubleWord<N> square = two_product(x, x);
  const DoubleWord<N> radicand = fast_two_sum(like(x, 1), -square.high);
  return sqrt(DoubleWord<N>{radicand.high, radicand.low - square.low});
}

template <class N>
TENON_MATH_INLINE N asin(N x) {
  const N y = arctan_of_ratio<true>(DoubleWord<N>{abs(x), like(x, 0)}, other_leg(x), x != x);
  return from_bits(x, to_bits(y) | (to_bits(x) & sign_mask(x)));
}

template <class N>
TENON_MATH_INLINE N acos(N x) {
  return arctan_of_ratio<true>(other_leg(x), DoubleWord<N>{abs(x), like(x, 0)}, x < like(x, 0));
}

}  // namespace tenon::math
