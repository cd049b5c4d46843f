// Whether arrays are equal, or nearly so.
#include "library/promote.h"
#include "tenon/detail/jitted.h"

namespace tenon::jnp {

Array array_equal(const Operand& x, const Operand& y) {
  detail::FunctionScope site(x.loc);
  if (x.value.shape() != y.value.shape()) return array(false);
  return all(equal(x, y));
}

// in: x, y, then the tolerances that differ from the defaults (a default is a constant of the program).
static Arrays isclose_body(const Arrays& in, const std::optional<Array>& rtol, const std::optional<Array>& atol) {
  Arrays xy = detail::promote_args("isclose", {in[0], in[1]});
  xy = detail::promote_args_inexact("isclose", xy);
  const Array &x = xy[0], &y = xy[1];
  const Array relative = rtol ? lax::convert_type(*rtol, x.dtype(), false) : detail::constant_like(x, 1e-5);
  const Array absolute = atol ? lax::convert_type(*atol, x.dtype(), false) : detail::constant_like(x, 1e-8);
  const Array x_is_nan = isnan(x);
  logical_and(x_is_nan, isnan(y));  // JAX computes it before it drops it
  const Array finite = isfinite(y);
  const Array distance = lax::abs(lax::sub(x, y));
  const Array bound = lax::add(absolute, lax::mul(relative, lax::abs(y)));
  const Array in_range = lax::le(distance, bound);
  const Array same = lax::eq(x, y);
  return {logical_or(same, logical_and(finite, in_range))};
}

Array isclose(const Operand& x, const Operand& y, double rtol, double atol) {
  detail::FunctionScope site(x.loc);
  Arrays operands = {x.value, y.value};
  const bool passes_rtol = rtol != 1e-5, passes_atol = atol != 1e-8;
  if (passes_rtol) operands.push_back(rtol);
  if (passes_atol) operands.push_back(atol);
  auto body = [&](const Arrays& in) {
    std::optional<Array> relative, absolute;
    if (passes_rtol) relative = in[2];
    if (passes_atol) absolute = in.back();
    return isclose_body(in, relative, absolute);
  };
  return detail::call_jitted("isclose", body, operands)[0];
}

Array allclose(const Operand& x, const Operand& y, double rtol, double atol) {
  detail::FunctionScope site(x.loc);
  Arrays operands = {x.value, y.value};
  const bool passes_rtol = rtol != 1e-5, passes_atol = atol != 1e-8;
  if (passes_rtol) operands.push_back(rtol);
  if (passes_atol) operands.push_back(atol);
  auto body = [&](const Arrays& in) -> Arrays {
    auto close = [](const Arrays& inner) { return isclose_body(inner, inner[2], inner[3]); };
    const Array relative = passes_rtol ? in[2] : Array(rtol);
    const Array absolute = passes_atol ? in.back() : Array(atol);
    return {all(detail::call_jitted("isclose", close, {in[0], in[1], relative, absolute})[0])};
  };
  return detail::call_jitted("allclose", body, operands)[0];
}

}  // namespace tenon::jnp
