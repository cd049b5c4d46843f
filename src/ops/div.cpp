// div: x / y; integers truncate.
#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

static Array div_jvp_x(const Array& g, const Array&, const Arrays& x, const EqnParams&) {
  return div(g, x[1]);
}
static Array div_jvp_y(const Array& g, const Array&, const Arrays& x, const EqnParams&) {
  const Array numerator = mul(neg(g), x[0]);
  return mul(numerator, integer_pow(x[1], -2));
}
static Cotangents div_transpose(const Primitive&, const Cotangents& ct, const LinearOperands& x, const EqnParams&) {
  TENON_CHECK(!x[1].linear, "a quotient is not linear in its divisor");
  return {unbroadcast(x[0].aval, div(ct[0].value(), x[1].value)), Cotangent::zero(x[1].aval)};
}
constinit const Primitive div_p{
    .name = "div",
    .abstract_eval = nary_rule<"div", kNumber>,
    .jvp = jvp_by_operand<div_jvp_x, div_jvp_y>,
    .transpose = div_transpose,
    .batching = batch_elementwise,
    .lowering = [](StablehloBuilder& b, const Values& operands, const EqnParams&) -> Values {
      Values x = broadcast_values(b, operands);
      return {b.divide(x[0], x[1])};
    },
};
Array div(const Operand& x, const Operand& y) { return apply(div_p, x, y); }

}  // namespace tenon::lax
