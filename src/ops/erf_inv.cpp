// erf_inv: the inverse of the error function, element by element.
#include "ops/rules.h"

namespace tenon::lax {

constinit const Primitive erf_inv_p{
    .name = "erf_inv",
    .abstract_eval = unary_rule<"erf_inv", kFloat>,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values { return {b.chlo_erf_inv(x[0])}; },
};

Array erf_inv(const Operand& x) { return apply(erf_inv_p, x); }

}  // namespace tenon::lax
