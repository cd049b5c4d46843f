// where, clip, and what replaces NaN.
#include <limits>

#include "base/fail.h"
#include "library/promote.h"
#include "tenon/detail/jitted.h"

namespace tenon::jnp {

Array where(const Operand& condition, const Operand& x, const Operand& y) {
  detail::FunctionScope site(condition.loc);
  return detail::where_jitted(condition.value, x.value, y.value);
}

// The other one where one is NaN.
static Array extreme_number(const char* who, const Operand& x, const Operand& y, Array (*is_first)(const Operand&, const Operand&)) {
  detail::FunctionScope site(x.loc);
  auto body = [is_first](const Arrays& in) -> Arrays {
    const Array first = is_first(in[0], in[1]);
    return {detail::where_jitted(bitwise_or(first, isnan(in[1])), in[0], in[1])};
  };
  return detail::call_jitted(who, body, {x.value, y.value})[0];
}
Array fmax(const Operand& x, const Operand& y) { return extreme_number("fmax", x, y, greater); }
Array fmin(const Operand& x, const Operand& y) { return extreme_number("fmin", x, y, less); }

static double largest_number(DType dtype) {
  switch (dtype.code()) {
    case DType::kFloat16: return 65504;
    case DType::kBFloat16: return 0x1.fep127;
    case DType::kFloat32: return std::numeric_limits<float>::max();
    default: return std::numeric_limits<double>::max();
  }
}
Array nan_to_num(const Operand& x, const NanToNumOptions& options) {
  detail::FunctionScope site(x.loc);
  auto body = [&](const Arrays& in) -> Arrays {
    const DType dtype = in[0].dtype();
    if (!dtype.is_inexact()) return {in[0]};
    if (dtype.is_complex()) {
      const Array real = nan_to_num(lax::real(in[0]), options);
      return {lax::complex(real, nan_to_num(lax::imag(in[0]), options))};
    }
    const double infinity = std::numeric_limits<double>::infinity(), largest = largest_number(dtype);
    Array y = detail::where_jitted(lax::ne(in[0], in[0]), detail::constant_like(in[0], options.nan), in[0]);
    y = detail::where_jitted(lax::eq(y, detail::constant_like(y, infinity)), detail::constant_like(y, options.posinf.value_or(largest)), y);
    return {detail::where_jitted(lax::eq(y, detail::constant_like(y, -infinity)), detail::constant_like(y, options.neginf.value_or(-largest)), y)};
  };
  return detail::call_jitted("nan_to_num", body, {x.value})[0];
}

Array clip(const Operand& x, const Operand& low, const Operand& high) {
  detail::FunctionScope site(x.loc);
  auto body = [](const Arrays& in) -> Arrays { return {minimum(in[2], maximum(in[1], in[0]))}; };
  return detail::call_jitted("clip", body, {x.value, low.value, high.value})[0];
}

Array clip(const Operand& x, const ClipOptions& options) {
  detail::FunctionScope site(x.loc);
  if (!options.min.is_empty() && !options.max.is_empty()) return clip(x, options.min, options.max);
  auto below = [](const Arrays& in) -> Arrays { return {maximum(in[1], in[0])}; };
  auto above = [](const Arrays& in) -> Arrays { return {minimum(in[1], in[0])}; };
  if (!options.min.is_empty()) return detail::call_jitted("clip", below, {x.value, options.min})[0];
  if (!options.max.is_empty()) return detail::call_jitted("clip", above, {x.value, options.max})[0];
  return detail::call_jitted("clip", [](const Arrays& in) -> Arrays { return in; }, {x.value})[0];
}

}  // namespace tenon::jnp
