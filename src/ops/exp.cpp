// exp.
#include "ops/rules.h"

namespace tenon::lax {

constinit const Primitive exp_p{
    .name = "exp",
    .abstract_eval = unary_rule<"exp", kInexact>,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values { return {b.exponential(x[0])}; },
    .prints_param = prints_accuracy,
};
Array exp(const Operand& x) { return apply(exp_p, x, {{"accuracy", Param()}}); }

}  // namespace tenon::lax
