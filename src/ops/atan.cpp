// atan.
#include "ops/batch.h"
#include "ops/convert.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

static Array atan_jvp(const Array& g, const Array&, const Arrays& x, const EqnParams&) {
  return div(g, add(constant_like(x[0], 1), square(x[0])));
}
constinit const Primitive atan_p{
    .name = "atan",
    .abstract_eval = unary_rule<"atan", kInexact>,
    .jvp = jvp_by_operand<atan_jvp>,
    .batching = batch_unary,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values {
      return {b.chlo_atan(x[0])};
    },
};
Array atan(const Operand& x) { return apply(atan_p, x); }

}  // namespace tenon::lax
