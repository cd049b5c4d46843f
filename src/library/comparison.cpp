// Comparisons, logic and bits of two operands.
#include "library/promote.h"

namespace tenon::jnp {

Array equal(const Operand& x, const Operand& y) {
  detail::FunctionScope site(x.loc);
  Arrays in = detail::promote_args("equal", {x.value, y.value});
  return lax::eq(in[0], in[1]);
}
Array not_equal(const Operand& x, const Operand& y) {
  detail::FunctionScope site(x.loc);
  Arrays in = detail::promote_args("not_equal", {x.value, y.value});
  return lax::ne(in[0], in[1]);
}
Array less(const Operand& x, const Operand& y) {
  detail::FunctionScope site(x.loc);
  Arrays in = detail::promote_args("less", {x.value, y.value});
  return lax::lt(in[0], in[1]);
}
Array less_equal(const Operand& x, const Operand& y) {
  detail::FunctionScope site(x.loc);
  Arrays in = detail::promote_args("less_equal", {x.value, y.value});
  return lax::le(in[0], in[1]);
}
Array greater(const Operand& x, const Operand& y) {
  detail::FunctionScope site(x.loc);
  Arrays in = detail::promote_args("greater", {x.value, y.value});
  return lax::gt(in[0], in[1]);
}
Array greater_equal(const Operand& x, const Operand& y) {
  detail::FunctionScope site(x.loc);
  Arrays in = detail::promote_args("greater_equal", {x.value, y.value});
  return lax::ge(in[0], in[1]);
}
Array bitwise_and(const Operand& x, const Operand& y) {
  detail::FunctionScope site(x.loc);
  Arrays in = detail::promote_args("bitwise_and", {x.value, y.value});
  return lax::bitwise_and(in[0], in[1]);
}
Array bitwise_or(const Operand& x, const Operand& y) {
  detail::FunctionScope site(x.loc);
  Arrays in = detail::promote_args("bitwise_or", {x.value, y.value});
  return lax::bitwise_or(in[0], in[1]);
}
Array bitwise_xor(const Operand& x, const Operand& y) {
  detail::FunctionScope site(x.loc);
  Arrays in = detail::promote_args("bitwise_xor", {x.value, y.value});
  return lax::bitwise_xor(in[0], in[1]);
}
Array logical_and(const Operand& x, const Operand& y) {
  detail::FunctionScope site(x.loc);
  Arrays in = detail::promote_args("logical_and", {x.value, y.value});
  Array a = detail::to_bool(in[0]);
  return lax::bitwise_and(a, detail::to_bool(in[1]));
}
Array logical_or(const Operand& x, const Operand& y) {
  detail::FunctionScope site(x.loc);
  Arrays in = detail::promote_args("logical_or", {x.value, y.value});
  Array a = detail::to_bool(in[0]);
  return lax::bitwise_or(a, detail::to_bool(in[1]));
}
Array logical_xor(const Operand& x, const Operand& y) {
  detail::FunctionScope site(x.loc);
  Arrays in = detail::promote_args("logical_xor", {x.value, y.value});
  Array a = detail::to_bool(in[0]);
  return lax::bitwise_xor(a, detail::to_bool(in[1]));
}

}  // namespace tenon::jnp
