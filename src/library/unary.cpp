// Elementwise functions of one operand.
#include <cmath>
#include <limits>

#include "base/fail.h"
#include "library/promote.h"
#include "tenon/detail/jitted.h"

namespace tenon::jnp {

// Functions whose operand becomes floating first.
#define TENON_INEXACT(name, primitive)                                              \
  Array name(const Operand& x) {                                                    \
    detail::FunctionScope site(x);                                                  \
    return lax::primitive(detail::promote_args_inexact(#name, {x.value})[0]);       \
  }
TENON_INEXACT(sin, sin)
TENON_INEXACT(cos, cos)
TENON_INEXACT(tan, tan)
TENON_INEXACT(tanh, tanh)
TENON_INEXACT(sinh, sinh)
TENON_INEXACT(cosh, cosh)
TENON_INEXACT(exp, exp)
TENON_INEXACT(exp2, exp2)
TENON_INEXACT(expm1, expm1)
TENON_INEXACT(log, log)
TENON_INEXACT(log1p, log1p)
TENON_INEXACT(log2, log2)
TENON_INEXACT(sqrt, sqrt)
TENON_INEXACT(rsqrt, rsqrt)
TENON_INEXACT(cbrt, cbrt)
TENON_INEXACT(arcsin, asin)
TENON_INEXACT(asin, asin)
TENON_INEXACT(arccos, acos)
TENON_INEXACT(acos, acos)
TENON_INEXACT(arctan, atan)
TENON_INEXACT(atan, atan)
TENON_INEXACT(arcsinh, asinh)
TENON_INEXACT(asinh, asinh)
TENON_INEXACT(arctanh, atanh)
TENON_INEXACT(atanh, atanh)
#undef TENON_INEXACT

// The branch with a positive real part.
Array arccosh(const Operand& x) {
  detail::FunctionScope site(x);
  auto body = [](const Arrays& in) -> Arrays {
    const Array y = lax::acosh(detail::promote_dtypes_inexact("arccosh", in)[0]);
    if (!y.dtype().is_complex()) return {y};
    const Array re = lax::real(y);
    const Array is_negative = lax::lt(re, detail::constant_like(re, 0));
    return {detail::where_jitted(is_negative, lax::neg(y), y)};
  };
  return detail::call_jitted("arccosh", body, {x.value})[0];
}
Array acosh(const Operand& x) { return arccosh(x); }
Array log10(const Operand& x) {
  detail::FunctionScope site(x);
  const Array y = lax::log(detail::promote_args_inexact("log10", {x.value})[0]);
  const double scale = 1 / std::log(10.0);
  if (!y.dtype().is_complex()) return lax::mul(y, detail::constant_like(y, scale));
  const Array re = lax::real(y), im = lax::imag(y);
  return lax::complex(lax::mul(re, detail::constant_like(re, scale)), lax::mul(im, detail::constant_like(im, scale)));
}
static Array scaled(const char* who, const Operand& x, double factor) {
  detail::FunctionScope site(x);
  const Array y = detail::promote_dtypes_inexact(who, {x.value})[0];
  return lax::mul(y, detail::constant_like(y, factor));
}
Array deg2rad(const Operand& x) { return scaled("deg2rad", x, pi / 180); }
Array radians(const Operand& x) { return scaled("radians", x, pi / 180); }
Array rad2deg(const Operand& x) { return scaled("rad2deg", x, 180 / pi); }
Array degrees(const Operand& x) { return scaled("degrees", x, 180 / pi); }
Array reciprocal(const Operand& x) {
  detail::FunctionScope site(x);
  return lax::integer_pow(detail::promote_dtypes_inexact("reciprocal", {x.value})[0], -1);
}
Array square(const Operand& x) {
  detail::FunctionScope site(x);
  return lax::square(detail::promote_dtypes_numeric("square", {x.value})[0]);
}
Array absolute(const Operand& x) {
  detail::FunctionScope site(x);
  const DType dtype = x.value.dtype();
  return dtype.is_bool() || dtype.is_unsigned() ? x.value : lax::abs(x);
}
Array abs(const Operand& x) { return absolute(x); }
Array sign(const Operand& x) { return lax::sign(x); }
Array floor(const Operand& x) {
  detail::FunctionScope site(x);
  const DType dtype = x.value.dtype();
  return dtype.is_bool() || dtype.is_integer() ? x.value : lax::floor(x);
}
Array ceil(const Operand& x) {
  detail::FunctionScope site(x);
  const DType dtype = x.value.dtype();
  return dtype.is_bool() || dtype.is_integer() ? x.value : lax::ceil(x);
}
Array trunc(const Operand& x) {
  detail::FunctionScope site(x);
  auto body = [](const Arrays& in) -> Arrays {
    const Array& y = in[0];
    if (y.dtype().is_bool() || y.dtype().is_integer()) return {y};
    const Array is_negative = lax::lt(y, detail::constant_like(y, 0));
    const Array up = lax::ceil(y);
    return {detail::where_jitted(is_negative, up, lax::floor(y))};
  };
  return detail::call_jitted("trunc", body, {x.value})[0];
}
Array fabs(const Operand& x) {
  detail::FunctionScope site(x);
  if (x.value.dtype().is_complex()) fail<TypeError>("fabs", "does not support complex dtypes; got ", x.value.aval());
  return lax::abs(detail::promote_dtypes_inexact("fabs", {x.value})[0]);
}
Array real(const Operand& x) { return x.value.dtype().is_complex() ? lax::real(x) : x.value; }
Array imag(const Operand& x) { return x.value.dtype().is_complex() ? lax::imag(x) : lax::full_like(x, 0); }
Array conj(const Operand& x) { return x.value.dtype().is_complex() ? lax::conj(x) : x.value; }
Array conjugate(const Operand& x) { return conj(x); }
Array angle(const Operand& x) {
  detail::FunctionScope site(x);
  auto body = [](const Arrays& in) -> Arrays {
    Array re = real(in[0]), im = imag(in[0]);
    const DType dtype = in[0].dtype();
    if (!dtype.is_inexact() || (in[0].ndim() == 0 && !dtype.is_complex())) {
      re = lax::convert_type(re, default_float(), false);
      im = lax::convert_type(im, default_float(), false);
    }
    return {lax::atan2(im, re)};
  };
  return detail::call_jitted("angle", body, {x.value})[0];
}
Array bitwise_count(const Operand& x) {
  detail::FunctionScope site(x);
  auto body = [](const Arrays& in) -> Arrays {
    const Array y = detail::promote_dtypes_numeric("bitwise_count", in)[0];
    const Array count = lax::population_count(absolute(y));
    return {lax::convert_element_type(count, uint8)};
  };
  return detail::call_jitted("bitwise_count", body, {x.value})[0];
}
Array signbit(const Operand& x) {
  detail::FunctionScope site(x);
  auto body = [](const Arrays& in) -> Arrays {
    const Array& y = in[0];
    const DType dtype = y.dtype();
    if (dtype.is_bool() || dtype.is_unsigned()) return {lax::full_like(y, false, bool_)};
    if (dtype.is_integer()) return {lax::lt(y, detail::constant_like(y, 0))};
    const DType bits = dtype.bits() == 16 ? int16 : dtype.bits() == 32 ? int32 : int64;
    const Array word = lax::bitcast_convert_type(y, bits);
    const Array sign = lax::shift_right_arithmetic(word, detail::constant_like(word, dtype.bits() - 1));
    return {lax::convert_element_type(sign, bool_)};
  };
  return detail::call_jitted("signbit", body, {x.value})[0];
}
Array negative(const Operand& x) { return lax::neg(x); }
Array positive(const Operand& x) { return x.value; }
Array isnan(const Operand& x) { return lax::ne(x, x); }
Array isfinite(const Operand& x) {
  detail::FunctionScope site(x);
  if (x.value.dtype().is_floating()) return lax::is_finite(x);
  if (x.value.dtype().is_complex()) {
    const Array real = lax::is_finite(lax::real(x)), imag = lax::is_finite(lax::imag(x));
    return lax::bitwise_and(real, imag);
  }
  return lax::full(x.value.shape(), true, bool_);
}
static Arrays isinf_body(const Arrays& in) {
  const Array& x = in[0];
  const auto is_infinite = [](const Array& part) {
    return lax::eq(lax::abs(part), detail::constant_like(part, std::numeric_limits<double>::infinity()));
  };
  if (x.dtype().is_complex()) {
    const Array real = lax::real(x), imag = lax::imag(x);
    const Array real_is = is_infinite(real), imag_is = is_infinite(imag);
    return {lax::bitwise_or(real_is, imag_is)};
  }
  if (!x.dtype().is_floating()) return {lax::full(x.shape(), false, bool_)};
  return {is_infinite(x)};
}
Array isinf(const Operand& x) {
  detail::FunctionScope site(x);
  return detail::call_jitted("isinf", &isinf_body, {x.value})[0];
}
Array logical_not(const Operand& x) {
  detail::FunctionScope site(x);
  return lax::bitwise_not(detail::to_bool(x.value));
}
Array bitwise_not(const Operand& x) { return lax::bitwise_not(x); }
Array invert(const Operand& x) { return lax::bitwise_not(x); }

Array rint(const Operand& operand) {
  detail::FunctionScope site(operand);
  auto body = [](const Arrays& in) -> Arrays {
    const Array& x = in[0];
    if (!x.dtype().is_inexact()) return {lax::convert_element_type(x, detail::to_inexact(x.dtype()))};
    if (x.dtype().is_complex()) {
      const Array real = rint(lax::real(x));
      return {lax::complex(real, rint(lax::imag(x)))};
    }
    return {lax::round(x, lax::RoundingMethod::to_nearest_even)};
  };
  return detail::call_jitted("rint", body, {operand.value})[0];
}
Array around(const Operand& x, int decimals) {
  detail::FunctionScope site(x);
  return detail::call_jitted("around", [decimals](const Arrays& in) -> Arrays { return {round(in[0], decimals)}; }, {x.value})[0];
}
Array round(const Operand& operand, int decimals) {
  detail::FunctionScope site(operand);
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
