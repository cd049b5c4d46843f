// stop_gradient: the identity, with a derivative of zero.
#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

constinit const Primitive stop_gradient_p{
    .name = "stop_gradient",
    .abstract_eval = unary_rule<"stop_gradient", kAny | kKey>,
    .jvp = jvp_zero,
    .batching = batch_unary,
    .lowering = [](StablehloBuilder&, const Values& x, const EqnParams&) -> Values { return {x[0]}; },
};
Array stop_gradient(const Operand& x) { return apply(stop_gradient_p, x); }

}  // namespace tenon::lax
