// acos.
#include "ops/rules.h"

namespace tenon::lax {

constinit const Primitive acos_p{
    .name = "acos",
    .abstract_eval = unary_rule<"acos", kInexact>,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values {
      return {b.chlo_acos(x[0])};
    },
};
Array acos(const Operand& x) { return apply(acos_p, x); }

}  // namespace tenon::lax
