// pow: x to the power y, both arrays.
#include "ops/batch.h"
#include "ops/convert.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

// x, but 1 where it is 0.
static Array without_zero(const Array& x) {
  const Array is_zero = eq(x, constant_like(x, 0));
  return select(is_zero, full_like(x, 1), x);
}
static Array pow_jvp_x(const Array& g, const Array& result, const Arrays& operands, const EqnParams&) {
  const bool integer = !operands[1].dtype().is_inexact();
  Array x = convert_type(operands[0], result.dtype(), false);
  Array y = convert_type(operands[1], result.dtype(), false);
  if (!integer) {
    const Array power = pow(x, sub(y, full_like(y, 1)));
    return mul(g, mul(y, power));
  }
  if (x.shape() != y.shape()) {
    x = broadcast_like(x, result);
    y = broadcast_like(y, result);
  }
  const Array is_zero = eq(y, constant_like(y, 0));
  const Array factor = without_zero(y);
  const Array product = mul(factor, pow(x, sub(y, full_like(y, 1))));
  return mul(g, select(is_zero, full_like(y, 0), product));
}
static Array pow_jvp_y(const Array& g, const Array& result, const Arrays& operands, const EqnParams&) {
  const Array logarithm = log(without_zero(operands[0]));
  return convert_type(mul(g, mul(logarithm, result)), operands[1].dtype(), false);
}
constinit const Primitive pow_p{
    .name = "pow",
    .abstract_eval = [](const Avals& in, const EqnParams&) -> Avals {
      check_count("pow", in, 2);
      check_kind("pow", in[0], kInexact, 0);
      check_kind("pow", in[1], kNumber, 1);
      if (in[1].dtype.is_inexact()) check_same_dtype("pow", in);
      return {{broadcast_shapes("pow", in), in[0].dtype, all_weak(in)}};
    },
    .jvp = jvp_by_operand<pow_jvp_x, pow_jvp_y>,
    .batching = batch_elementwise,
    .lowering = [](StablehloBuilder& b, const Values& operands, const EqnParams&) -> Values {
      Values x = operands;
      Aval y = x[1].aval();
      if (!y.dtype.is_inexact()) x[1] = b.convert(x[1], x[0].aval().dtype);
      x = broadcast_values(b, x);
      return {b.power(x[0], x[1])};
    },
};
Array pow(const Operand& x, const Operand& y) { return apply(pow_p, x, y); }

}  // namespace tenon::lax
