// power: by multiplication where the exponent is a known integer, or where both are integers.
#include <climits>

#include "base/fail.h"
#include "library/promote.h"

namespace tenon::jnp {

// Binary exponentiation over all bits of y: products wrap, as repeated ones do (JAX takes six bits: 3^64 is 1 there).
// A negative power is the real quotient without its fraction: 0, unless x is 1 or -1 (JAX gives other numbers).
static Array integer_power(Array x, Array y) {
  const Array zero = detail::constant_like(y, 0), one = detail::constant_like(y, 1);
  const Array x_is_zero = lax::eq(x, zero);
  Array vanishes = lax::bitwise_and(x_is_zero, lax::ne(y, zero));
  if (y.dtype().is_signed()) {
    const Array is_unit = lax::bitwise_or(lax::eq(x, one), lax::eq(x, detail::constant_like(x, -1)));
    vanishes = lax::bitwise_or(vanishes, lax::bitwise_and(lax::lt(y, zero), lax::bitwise_not(is_unit)));
  }
  Array result = detail::where_jitted(vanishes, zero, one);
  const int bits = y.dtype().bits() - y.dtype().is_signed();
  for (int bit = 0; bit < bits; ++bit) {
    const Array takes = lax::bitwise_and(y, one);
    result = detail::where_jitted(takes, lax::mul(result, x), result);
    if (bit == bits - 1) break;
    x = lax::mul(x, x);
    y = lax::shift_right_logical(y, one);
  }
  return result;
}

Array power(const Operand& x, const Operand& y) {
  detail::FunctionScope site(x.loc);
  const DType exponent = y.value.dtype();
  // As in JAX, an exponent is known when it is a number of the program's text, not when it is an array.
  const bool is_known = y.value.node("power").kind() == detail::ArrayNode::Kind::scalar && y.value.weak_type();
  if (is_known && exponent.is_integer()) {
    const int64_t n = y.value.item<int64_t>();
    if (n < INT_MIN || n > INT_MAX) fail<ValueError>("power", "the exponent does not fit in 32 bits; got ", n);
    return lax::integer_pow(detail::promote_dtypes_numeric("power", {x.value})[0], static_cast<int>(n));
  }
  Arrays in = detail::promote_shapes("power", {x.value, y.value});
  if (in[0].dtype().is_inexact() && exponent.is_integer()) return lax::pow(in[0], in[1]);  // differentiable at 0
  const Arrays promoted = detail::promote_args_numeric("power", in);
  if (promoted[0].dtype().is_integer()) return integer_power(promoted[0], promoted[1]);
  return lax::pow(promoted[0], promoted[1]);
}
Array pow(const Operand& x, const Operand& y) { return power(x, y); }

}  // namespace tenon::jnp
