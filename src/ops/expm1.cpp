// expm1: e^x - 1.
#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

static Array expm1_jvp(const Array& g, const Array&, const Arrays& x, const EqnParams&) {
  return mul(g, exp(x[0]));
}
constinit const Primitive expm1_p{
    .name = "expm1",
    .abstract_eval = unary_rule<"expm1", kInexact>,
    .jvp = jvp_by_operand<expm1_jvp>,
    .batching = batch_unary,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values {
      return {b.exponential_minus_one(x[0])};
    },
    .prints_param = prints_accuracy,
};
Array expm1(const Operand& x) { return apply(expm1_p, x, {{"accuracy", Param()}}); }

}  // namespace tenon::lax
