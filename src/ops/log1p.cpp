// log1p: log(1 + x).
#include "ops/batch.h"
#include "ops/convert.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

static Array log1p_jvp(const Array& g, const Array&, const Arrays& x, const EqnParams&) {
  return div(g, add(x[0], constant_like(x[0], 1)));
}
constinit const Primitive log1p_p{
    .name = "log1p",
    .abstract_eval = unary_rule<"log1p", kInexact>,
    .jvp = jvp_by_operand<log1p_jvp>,
    .batching = batch_unary,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values {
      return {b.log_plus_one(x[0])};
    },
    .prints_param = prints_accuracy,
};
Array log1p(const Operand& x) { return apply(log1p_p, x, {{"accuracy", Param()}}); }

}  // namespace tenon::lax
