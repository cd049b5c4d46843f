// exp2: 2^x, as e^(x log 2).
#include "ops/rules.h"

namespace tenon::lax {

constinit const Primitive exp2_p{
    .name = "exp2",
    .abstract_eval = unary_rule<"exp2", kInexact>,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values {
      const Value log2 = full_value(b, 0.69314718055994530942, x[0].aval());
      return {b.exponential(b.multiply(log2, x[0]))};
    },
    .prints_param = prints_accuracy,
};
Array exp2(const Operand& x) { return apply(exp2_p, x, {{"accuracy", Param()}}); }

}  // namespace tenon::lax
