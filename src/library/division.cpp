// floor_divide and remainder: division that rounds down, as nested programs.
#include "base/fail.h"
#include "library/promote.h"
#include "tenon/detail/jitted.h"

namespace tenon::jnp {

static Arrays remainder_body(const Arrays& operands) {
  Arrays in = detail::promote_args_numeric("remainder", operands);
  Array x = in[0], y = in[1];
  const Array zero = detail::constant_like(x, 0);
  if (y.dtype().is_integer()) y = detail::where_jitted(equal(y, 0), lax::full_like(y, 1), y);  // x % 0 is 0
  const Array truncated = lax::rem(x, y);
  const Array not_zero = lax::ne(truncated, zero);
  const Array is_negative = lax::lt(truncated, zero);
  const Array differs = lax::ne(is_negative, lax::lt(y, zero));
  const Array moves = lax::bitwise_and(differs, not_zero);
  return {lax::select(moves, lax::add(truncated, y), truncated)};
}

Array remainder(const Operand& x, const Operand& y) {
  detail::FunctionScope site(x.loc);
  return detail::call_jitted("remainder", &remainder_body, {x.value, y.value})[0];
}
Array mod(const Operand& x, const Operand& y) { return remainder(x, y); }

static Array integer_floor_divide(const Array& x, const Array& y) {
  const Array quotient = lax::div(x, y);
  const Array sign_x = lax::sign(x);
  const Array differs = not_equal(sign_x, lax::sign(y));
  const Array inexact = not_equal(lax::rem(x, y), 0);
  const Array moves = logical_and(differs, inexact);
  return detail::where_jitted(moves, subtract(quotient, 1), quotient);
}

// As float_divmod of CPython. (Its remainder, which floor_divide drops, is computed as JAX does, so that jaxprs agree.)
static Array float_floor_divide(const Array& x, const Array& y) {
  Array remainder = lax::rem(x, y);
  const Array y_is_zero = equal(y, 0);
  const Array corrected = detail::where_jitted(y_is_zero, x, lax::sub(x, remainder));
  Array quotient = lax::div(corrected, y);
  const Array not_zero = not_equal(remainder, 0);
  const Array sign_y = lax::sign(y);
  const Array differs = not_equal(sign_y, lax::sign(remainder));
  const Array moves = lax::bitwise_and(not_zero, differs);
  remainder = lax::select(moves, add(remainder, y), remainder);
  quotient = lax::select(moves, subtract(quotient, 1.0), quotient);
  return lax::round(quotient);
}

static Arrays floor_divide_body(const Arrays& operands) {
  Arrays in = detail::promote_args_numeric("floor_divide", operands);
  const DType dtype = in[0].dtype();
  if (dtype.is_complex()) fail<TypeError>("floor_divide", "takes no complex numbers; got ", Avals{in[0].aval(), in[1].aval()});
  if (dtype.is_unsigned()) return {lax::div(in[0], in[1])};
  return {dtype.is_integer() ? integer_floor_divide(in[0], in[1]) : float_floor_divide(in[0], in[1])};
}

Array floor_divide(const Operand& x, const Operand& y) {
  detail::FunctionScope site(x.loc);
  return detail::call_jitted("floor_divide", &floor_divide_body, {x.value, y.value})[0];
}

}  // namespace tenon::jnp
