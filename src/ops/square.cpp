// square: x * x.
#include "ops/batch.h"
#include "ops/convert.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

static Array square_jvp(const Array& g, const Array&, const Arrays& x, const EqnParams&) {
  return mul(g, mul(constant_like(x[0], 2), x[0]));
}
constinit const Primitive square_p{
    .name = "square",
    .abstract_eval = unary_rule<"square", kNumber>,
    .jvp = jvp_by_operand<square_jvp>,
    .batching = batch_unary,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values {
      return {x[0].aval().dtype.is_inexact() ? b.chlo_square(x[0]) : b.multiply(x[0], x[0])};
    },
};
Array square(const Operand& x) { return apply(square_p, x); }

}  // namespace tenon::lax
