// erf and erfc = 1 - erf.
#include "ops/rules.h"

namespace tenon::lax {

constinit const Primitive erf_p{
    .name = "erf",
    .abstract_eval = unary_rule<"erf", kFloat>,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values {
      return {b.chlo_erf(x[0])};
    },
};
Array erf(const Operand& x) { return apply(erf_p, x); }

constinit const Primitive erfc_p{
    .name = "erfc",
    .abstract_eval = unary_rule<"erfc", kFloat>,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values {
      return {b.chlo_erfc(x[0])};
    },
};
Array erfc(const Operand& x) { return apply(erfc_p, x); }

}  // namespace tenon::lax
