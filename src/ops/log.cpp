// log: the natural logarithm.
#include "ops/rules.h"

namespace tenon::lax {

constinit const Primitive log_p{
    .name = "log",
    .abstract_eval = unary_rule<"log", kInexact>,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values { return {b.log(x[0])}; },
    .prints_param = prints_accuracy,
};
Array log(const Operand& x) { return apply(log_p, x, {{"accuracy", Param()}}); }

}  // namespace tenon::lax
