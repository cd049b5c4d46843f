// hypot: sqrt(x^2 + y^2), both scaled by a power of two where the squares would overflow or underflow; infinite
// where one is, whatever the other. Operation for operation as JAX has it; its derivatives, the quotients,
// are further results.
#include <cmath>
#include <limits>

#include "base/fail.h"
#include "library/promote.h"
#include "tenon/detail/jitted.h"

namespace tenon::jnp {

/// Exponents of two: squares of numbers from 2^large on overflow, those up to 2^-small lose digits.
struct SquareRange {
  int large, small;
};
static SquareRange square_range(DType dtype) {
  if (dtype == float16) return {7, 5};
  if (dtype == bfloat16) return {63, 4};
  return dtype == float64 ? SquareRange{511, 26} : SquareRange{63, 12};
}

static Arrays hypot_body(const Arrays& in) {
  const Array &x = in[0], &y = in[1];
  const auto [large, small] = square_range(x.dtype());
  const Array x_size = lax::abs(x), y_size = lax::abs(y);
  const Array larger = lax::max(x_size, y_size);
  const Array is_large = lax::ge(larger, detail::constant_like(larger, std::ldexp(1.0, large)));
  const Array is_small = lax::le(larger, detail::constant_like(larger, std::ldexp(1.0, -small)));
  const Array shrink = lax::full_like(x, std::ldexp(1.0, -large - small));
  const Array grow = lax::full_like(x, std::ldexp(1.0, large + small));
  const Array one = lax::full_like(x, 1.0);
  const auto scaled = [&](const Array& v) {
    const Array shrunk = lax::mul(v, shrink), grown = lax::mul(v, grow);
    const Array not_large = lax::select(is_small, grown, v);
    return lax::select(is_large, shrunk, not_large);
  };
  const Array x_scaled = scaled(x), y_scaled = scaled(y);
  const Array back_of_small = lax::select(is_small, shrink, one);
  const Array back = lax::select(is_large, grow, back_of_small);
  const Array x_square = lax::square(x_scaled), y_square = lax::square(y_scaled);
  const Array root = lax::sqrt(lax::add(x_square, y_square));
  const Array size = lax::mul(root, back);
  const Array infinity = lax::full_like(x, std::numeric_limits<double>::infinity());
  const Array x_infinite = lax::eq(x_size, infinity), y_infinite = lax::eq(y_size, infinity);
  const Array result = lax::select(lax::bitwise_or(x_infinite, y_infinite), infinity, size);
  const Array of_x = lax::div(x_scaled, root);
  return {result, of_x, lax::div(y_scaled, root)};
}

static constexpr detail::FunctionWithJvp hypot_function{
    "_hypot", "_hypot_jvp", hypot_body,
    // By the results alone: derivatives of any order come through here, and never through the powers of two.
    [](const Arrays& in, const Tangents& t) -> JvpResult {
      const Array &dx = t[0].value(), &dy = t[1].value();
      const Arrays out = detail::call_custom_jvp(hypot_function, in);
      const Array dr_x = out[1] * dx, dr_y = out[2] * dy;
      const Array dr = dr_x + dr_y;
      const Array x_rest = dx - out[1] * dr;
      const Array of_x = x_rest / out[0];
      const Array y_rest = dy - out[2] * dr;
      return {out, {dr, of_x, y_rest / out[0]}};
    }};

Array hypot(const Operand& x, const Operand& y) {
  detail::FunctionScope site(x.loc);
  auto body = [](const Arrays& xs) -> Arrays {
    const Arrays in = detail::promote_args_inexact("hypot", xs);
    if (!in[0].dtype().is_floating())
      fail<TypeError>("hypot", "does not support complex inputs; got ", in[0].aval(), " and ", in[1].aval());
    return {detail::call_custom_jvp(hypot_function, in)[0]};
  };
  return detail::call_jitted("hypot", body, {x.value, y.value})[0];
}

}  // namespace tenon::jnp
