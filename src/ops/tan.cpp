// tan.
#include "ops/rules.h"

namespace tenon::lax {

constinit const Primitive tan_p{
    .name = "tan",
    .abstract_eval = unary_rule<"tan", kInexact>,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values {
      return {b.tan(x[0])};
    },
    .prints_param = prints_accuracy,
};
Array tan(const Operand& x) { return apply(tan_p, x, {{"accuracy", Param()}}); }

}  // namespace tenon::lax
