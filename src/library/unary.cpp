// Elementwise functions of one operand.
#include <cmath>
#include <limits>

#include "base/fail.h"
#include "library/promote.h"
#include "tenon/detail/jitted.h"

namespace tenon::jnp {

Array sin(const Operand& x) {
  detail::SiteScope site(x.loc);
  return lax::sin(detail::promote_args_inexact("sin", {x.value})[0]);
}
Array cos(const Operand& x) {
  detail::SiteScope site(x.loc);
  return lax::cos(detail::promote_args_inexact("cos", {x.value})[0]);
}
Array tanh(const Operand& x) {
  detail::SiteScope site(x.loc);
  return lax::tanh(detail::promote_args_inexact("tanh", {x.value})[0]);
}
Array exp(const Operand& x) {
  detail::SiteScope site(x.loc);
  return lax::exp(detail::promote_args_inexact("exp", {x.value})[0]);
}
Array log(const Operand& x) {
  detail::SiteScope site(x.loc);
  return lax::log(detail::promote_args_inexact("log", {x.value})[0]);
}
Array sqrt(const Operand& x) {
  detail::SiteScope site(x.loc);
  return lax::sqrt(detail::promote_args_inexact("sqrt", {x.value})[0]);
}
Array rsqrt(const Operand& x) {
  detail::SiteScope site(x.loc);
  return lax::rsqrt(detail::promote_args_inexact("rsqrt", {x.value})[0]);
}
Array reciprocal(const Operand& x) {
  detail::SiteScope site(x.loc);
  return lax::integer_pow(detail::promote_dtypes_inexact("reciprocal", {x.value})[0], -1);
}
Array square(const Operand& x) {
  detail::SiteScope site(x.loc);
  return lax::square(detail::promote_dtypes_numeric("square", {x.value})[0]);
}
Array absolute(const Operand& x) {
  detail::SiteScope site(x.loc);
  const DType dtype = x.value.dtype();
  return dtype.is_bool() || dtype.is_unsigned() ? x.value : lax::abs(x);
}
Array abs(const Operand& x) { return absolute(x); }
Array sign(const Operand& x) { return lax::sign(x); }
Array floor(const Operand& x) {
  detail::SiteScope site(x.loc);
  const DType dtype = x.value.dtype();
  return dtype.is_bool() || dtype.is_integer() ? x.value : lax::floor(x);
}
Array negative(const Operand& x) { return lax::neg(x); }
Array positive(const Operand& x) { return x.value; }
Array isnan(const Operand& x) { return lax::ne(x, x); }
Array isfinite(const Operand& x) {
  detail::SiteScope site(x.loc);
  if (x.value.dtype().is_floating()) return lax::is_finite(x);
  return lax::full(x.value.shape(), true, bool_);
}
static Arrays isinf_body(const Arrays& in) {
  const Array& x = in[0];
  if (!x.dtype().is_floating()) return {lax::full(x.shape(), false, bool_)};
  return {lax::eq(lax::abs(x), detail::constant_like(x, std::numeric_limits<double>::infinity()))};
}
Array isinf(const Operand& x) {
  detail::SiteScope site(x.loc);
  return detail::call_jitted("isinf", &isinf_body, {x.value})[0];
}
Array logical_not(const Operand& x) {
  detail::SiteScope site(x.loc);
  return lax::bitwise_not(detail::to_bool(x.value));
}
Array bitwise_not(const Operand& x) { return lax::bitwise_not(x); }
Array invert(const Operand& x) { return lax::bitwise_not(x); }

Array round(const Operand& operand, int decimals) {
  detail::SiteScope site(operand.loc);
  auto body = [&](const Arrays& in) -> Arrays {
    const Array& x = in[0];
    if (x.dtype().is_integer()) {
      if (decimals < 0) fail<UnimplementedError>("round", "integers to decimals < 0; got ", x.aval(), " and decimals ", decimals);
      return {x};
    }
    if (decimals == 0) return {lax::round(x, lax::RoundingMethod::to_nearest_even)};
    const Array factor = detail::constant_like(x, std::pow(10.0, decimals));
    return {lax::div(lax::round(lax::mul(x, factor), lax::RoundingMethod::to_nearest_even), factor)};
  };
  return detail::call_jitted("round", body, {operand.value})[0];
}

}  // namespace tenon::jnp
