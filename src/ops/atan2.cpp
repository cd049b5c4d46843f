// atan2: the angle of the point (y, x).
#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

static Array atan2_jvp_x(const Array& g, const Array&, const Arrays& x, const EqnParams&) {
  const Array x_square = square(x[0]);
  const Array squares = add(x_square, square(x[1]));
  return mul(g, div(x[1], squares));
}
static Array atan2_jvp_y(const Array& g, const Array&, const Arrays& x, const EqnParams&) {
  const Array minus = neg(x[0]);
  const Array x_square = square(x[0]);
  const Array squares = add(x_square, square(x[1]));
  return mul(g, div(minus, squares));
}
constinit const Primitive atan2_p{
    .name = "atan2",
    .abstract_eval = nary_rule<"atan2", kInexact>,
    .jvp = jvp_by_operand<atan2_jvp_x, atan2_jvp_y>,
    .batching = batch_elementwise,
    .lowering = [](StablehloBuilder& b, const Values& operands, const EqnParams&) -> Values {
      Values x = broadcast_values(b, operands);
      return {b.atan2(x[0], x[1])};
    },
};
Array atan2(const Operand& y, const Operand& x) { return apply(atan2_p, y, x); }

}  // namespace tenon::lax
