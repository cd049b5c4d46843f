// Arithmetic of two operands.
#include <limits>

#include "base/fail.h"
#include "library/promote.h"
#include "ops/logaddexp.h"
#include "tenon/detail/jitted.h"

namespace tenon::jnp {

Array add(const Operand& x, const Operand& y) {
  detail::FunctionScope site(x.loc);
  Arrays in = detail::promote_args("add", {x.value, y.value});
  if (in[0].dtype().is_bool()) return lax::bitwise_or(in[0], in[1]);
  return lax::add(in[0], in[1]);
}
Array subtract(const Operand& x, const Operand& y) {
  detail::FunctionScope site(x.loc);
  Arrays in = detail::promote_args("subtract", {x.value, y.value});
  return lax::sub(in[0], in[1]);
}
Array multiply(const Operand& x, const Operand& y) {
  detail::FunctionScope site(x.loc);
  Arrays in = detail::promote_args("multiply", {x.value, y.value});
  if (in[0].dtype().is_bool()) return lax::bitwise_and(in[0], in[1]);
  return lax::mul(in[0], in[1]);
}
Array true_divide(const Operand& x, const Operand& y) {
  detail::FunctionScope site(x.loc);
  Arrays in = detail::promote_args_inexact("true_divide", {x.value, y.value});
  return lax::div(in[0], in[1]);
}
Array divide(const Operand& x, const Operand& y) { return true_divide(x, y); }
Array maximum(const Operand& x, const Operand& y) {
  detail::FunctionScope site(x.loc);
  Arrays in = detail::promote_args("maximum", {x.value, y.value});
  return lax::max(in[0], in[1]);
}
Array minimum(const Operand& x, const Operand& y) {
  detail::FunctionScope site(x.loc);
  Arrays in = detail::promote_args("minimum", {x.value, y.value});
  return lax::min(in[0], in[1]);
}


// Two operands that become floating first.
#define TENON_INEXACT(name, primitive)                                                         \
  Array name(const Operand& x, const Operand& y) {                                             \
    detail::FunctionScope site(x.loc);                                                             \
    const Arrays in = detail::promote_args_inexact(#name, {x.value, y.value});                 \
    return lax::primitive(in[0], in[1]);                                                       \
  }
TENON_INEXACT(arctan2, atan2)
TENON_INEXACT(atan2, atan2)
TENON_INEXACT(float_power, pow)
TENON_INEXACT(nextafter, nextafter)
#undef TENON_INEXACT

Array logaddexp(const Operand& x, const Operand& y) {
  detail::FunctionScope site(x.loc);
  return detail::call_custom_jvp(lax::logaddexp_function, detail::promote_args_inexact("logaddexp", {x.value, y.value}))[0];
}
Array copysign(const Operand& x, const Operand& y) {
  detail::FunctionScope site(x.loc);
  auto body = [](const Arrays& xs) -> Arrays {
    const Arrays in = detail::promote_args_inexact("copysign", xs);
    const Array is_negative = signbit(in[1]);
    const Array below = lax::neg(lax::abs(in[0]));
    return {detail::where_jitted(is_negative, below, lax::abs(in[0]))};
  };
  return detail::call_jitted("copysign", body, {x.value, y.value})[0];
}
Array left_shift(const Operand& x, const Operand& y) {
  detail::FunctionScope site(x.loc);
  const Arrays in = detail::promote_args_numeric("left_shift", {x.value, y.value});
  return lax::shift_left(in[0], in[1]);
}
Array right_shift(const Operand& x, const Operand& y) {
  detail::FunctionScope site(x.loc);
  const Arrays in = detail::promote_args_numeric("right_shift", {x.value, y.value});
  return in[0].dtype().is_unsigned() ? lax::shift_right_logical(in[0], in[1]) : lax::shift_right_arithmetic(in[0], in[1]);
}
Array fmod(const Operand& x, const Operand& y) {
  detail::FunctionScope site(x.loc);
  auto body = [](const Arrays& xs) -> Arrays {
    Arrays in = detail::promote_args_numeric("fmod", xs);
    if (in[0].dtype().is_integer()) {
      const Array is_zero = lax::eq(in[1], detail::constant_like(in[1], 0));
      in[1] = detail::where_jitted(is_zero, lax::full_like(in[1], 1), in[1]);
    }
    return {lax::rem(in[0], in[1])};
  };
  return detail::call_jitted("fmod", body, {x.value, y.value})[0];
}

}  // namespace tenon::jnp
