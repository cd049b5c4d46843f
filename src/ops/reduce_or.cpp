// reduce_or: any of bool, the united bits of integers.
#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/reductions.h"

namespace tenon::lax {

constinit const Primitive reduce_or_p{
    .name = "reduce_or",
    .abstract_eval = reduce_rule<"reduce_or", kBoolOrInt>,
    .jvp = jvp_zero,
    .batching = batch_reduction,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams& params) -> Values {
      Value init = full_value(b, 0, {{}, x[0].aval().dtype});
      return {b.reduce(x[0], init, params.get<Axes>("axes"), ReduceKind::or_)};
    },
};
Array reduce_or(const Operand& x, const Axes& axes) { return apply(reduce_or_p, x, {{"axes", axes}}); }

}  // namespace tenon::lax
