// tan.
#include "ops/batch.h"
#include "ops/convert.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

static Array tan_jvp(const Array& g, const Array& y, const Arrays& x, const EqnParams&) {
  return mul(g, add(constant_like(x[0], 1), square(y)));
}
constinit const Primitive tan_p{
    .name = "tan",
    .abstract_eval = unary_rule<"tan", kInexact>,
    .jvp = jvp_by_operand<tan_jvp>,
    .batching = batch_unary,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values {
      return {b.tan(x[0])};
    },
    .prints_param = prints_accuracy,
};
Array tan(const Operand& x) { return apply(tan_p, x, {{"accuracy", Param()}}); }

}  // namespace tenon::lax
