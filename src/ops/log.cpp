// log: the natural logarithm.
#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

static Array log_jvp(const Array& g, const Array&, const Arrays& x, const EqnParams&) {
  return div(g, x[0]);
}
constinit const Primitive log_p{
    .name = "log",
    .abstract_eval = unary_rule<"log", kInexact>,
    .jvp = jvp_by_operand<log_jvp>,
    .batching = batch_unary,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values { return {b.log(x[0])}; },
    .prints_param = prints_accuracy,
};
Array log(const Operand& x) { return apply(log_p, x, {{"accuracy", Param()}}); }

}  // namespace tenon::lax
