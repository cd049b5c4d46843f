// atan.
#include "ops/rules.h"

namespace tenon::lax {

constinit const Primitive atan_p{
    .name = "atan",
    .abstract_eval = unary_rule<"atan", kInexact>,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values {
      return {b.chlo_atan(x[0])};
    },
};
Array atan(const Operand& x) { return apply(atan_p, x); }

}  // namespace tenon::lax
