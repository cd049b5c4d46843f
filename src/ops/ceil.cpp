// ceil: the smallest integer not below x.
#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

constinit const Primitive ceil_p{
    .name = "ceil",
    .abstract_eval = unary_rule<"ceil", kFloat>,
    .jvp = jvp_zero,
    .batching = batch_unary,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values {
      return {b.ceil(x[0])};
    },
};
Array ceil(const Operand& x) { return apply(ceil_p, x); }

}  // namespace tenon::lax
