// logistic: 1 / (1 + exp(-x)).
#include "ops/rules.h"

namespace tenon::lax {

constinit const Primitive logistic_p{
    .name = "logistic",
    .abstract_eval = unary_rule<"logistic", kInexact>,
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
