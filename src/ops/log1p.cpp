// log1p: log(1 + x).
#include "ops/rules.h"

namespace tenon::lax {

constinit const Primitive log1p_p{
    .name = "log1p",
    .abstract_eval = unary_rule<"log1p", kInexact>,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values {
      return {b.log_plus_one(x[0])};
    },
    .prints_param = prints_accuracy,
};
Array log1p(const Operand& x) { return apply(log1p_p, x, {{"accuracy", Param()}}); }

}  // namespace tenon::lax
