// Arithmetic of two operands.
#include "library/promote.h"

namespace tenon::jnp {

Array add(const Operand& x, const Operand& y) {
  detail::SiteScope site(x.loc);
  Arrays in = detail::promote_args("add", {x.value, y.value});
  if (in[0].dtype().is_bool()) return lax::bitwise_or(in[0], in[1]);
  return lax::add(in[0], in[1]);
}
Array subtract(const Operand& x, const Operand& y) {
  detail::SiteScope site(x.loc);
  Arrays in = detail::promote_args("subtract", {x.value, y.value});
  return lax::sub(in[0], in[1]);
}
Array multiply(const Operand& x, const Operand& y) {
  detail::SiteScope site(x.loc);
  Arrays in = detail::promote_args("multiply", {x.value, y.value});
  if (in[0].dtype().is_bool()) return lax::bitwise_and(in[0], in[1]);
  return lax::mul(in[0], in[1]);
}
Array true_divide(const Operand& x, const Operand& y) {
  detail::SiteScope site(x.loc);
  Arrays in = detail::promote_args_inexact("true_divide", {x.value, y.value});
  return lax::div(in[0], in[1]);
}
Array divide(const Operand& x, const Operand& y) { return true_divide(x, y); }
Array maximum(const Operand& x, const Operand& y) {
  detail::SiteScope site(x.loc);
  Arrays in = detail::promote_args("maximum", {x.value, y.value});
  return lax::max(in[0], in[1]);
}
Array minimum(const Operand& x, const Operand& y) {
  detail::SiteScope site(x.loc);
  Arrays in = detail::promote_args("minimum", {x.value, y.value});
  return lax::min(in[0], in[1]);
}

}  // namespace tenon::jnp
