// clz: how many of the highest bits are 0.
#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

constinit const Primitive clz_p{
    .name = "clz",
    .abstract_eval = unary_rule<"clz", kInt>,
    .jvp = jvp_zero,
    .batching = batch_unary,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values {
      return {b.count_leading_zeros(x[0])};
    },
};
Array clz(const Operand& x) { return apply(clz_p, x); }

}  // namespace tenon::lax
