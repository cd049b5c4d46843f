// exp.
#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

static Array exp_jvp(const Array& g, const Array& y, const Arrays&, const EqnParams&) {
  return mul(g, y);
}
constinit const Primitive exp_p{
    .name = "exp",
    .abstract_eval = unary_rule<"exp", kInexact>,
    .jvp = jvp_by_operand<exp_jvp>,
    .batching = batch_unary,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values { return {b.exponential(x[0])}; },
    .prints_param = prints_accuracy,
};
Array exp(const Operand& x) { return apply(exp_p, x, {{"accuracy", Param()}}); }

}  // namespace tenon::lax
