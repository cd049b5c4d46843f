// floor: the largest integer not above.
#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

constinit const Primitive floor_p{
    .name = "floor",
    .abstract_eval = unary_rule<"floor", kFloat>,
    .jvp = jvp_zero,
    .batching = batch_unary,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values { return {b.floor(x[0])}; },
};
Array floor(const Operand& x) { return apply(floor_p, x); }

}  // namespace tenon::lax
