// rem: the remainder of a truncating division.
#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

static Array rem_jvp_x(const Array& g, const Array& y, const Arrays&, const EqnParams&) {
  return broadcast_like(g, y);
}
static Array rem_jvp_y(const Array& g, const Array&, const Arrays& x, const EqnParams&) {
  const Array minus = neg(g);
  const Array direction = sign(div(x[0], x[1]));
  const Array times = floor(abs(div(x[0], x[1])));
  return mul(minus, mul(direction, times));
}
constinit const Primitive rem_p{
    .name = "rem",
    .abstract_eval = nary_rule<"rem", kReal>,
    .jvp = jvp_by_operand<rem_jvp_x, rem_jvp_y>,
    .batching = batch_elementwise,
    .lowering = [](StablehloBuilder& b, const Values& operands, const EqnParams&) -> Values {
      Values x = broadcast_values(b, operands);
      return {b.remainder(x[0], x[1])};
    },
};
Array rem(const Operand& x, const Operand& y) { return apply(rem_p, x, y); }

}  // namespace tenon::lax
