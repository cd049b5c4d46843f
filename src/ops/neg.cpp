// neg: -x.
#include "ops/rules.h"

namespace tenon::lax {

constinit const Primitive neg_p{
    .name = "neg",
    .abstract_eval = unary_rule<"neg", kNumber>,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values { return {b.negate(x[0])}; },
};
Array neg(const Operand& x) { return apply(neg_p, x); }

}  // namespace tenon::lax
