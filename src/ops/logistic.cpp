// logistic: 1 / (1 + exp(-x)).
#include "ops/batch.h"
#include "ops/convert.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

static Array logistic_jvp(const Array& g, const Array& y, const Arrays&, const EqnParams&) {
  return mul(g, mul(y, sub(constant_like(y, 1), y)));
}
constinit const Primitive logistic_p{
    .name = "logistic",
    .abstract_eval = unary_rule<"logistic", kInexact>,
    .jvp = jvp_by_operand<logistic_jvp>,
    .batching = batch_unary,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values {
      Aval aval = x[0].aval();
      Value e = b.exponential(b.negate(x[0]));
      Value denominator = b.add(full_value(b, 1, aval), e);
      return {b.divide(full_value(b, 1, aval), denominator)};
    },
    .prints_param = prints_accuracy,
};
Array logistic(const Operand& x) { return apply(logistic_p, x, {{"accuracy", Param()}}); }

}  // namespace tenon::lax
