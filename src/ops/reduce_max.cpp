// reduce_max: the largest over axes; NaN wins.
#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/reductions.h"

namespace tenon::lax {

constinit const Primitive reduce_max_p{
    .name = "reduce_max",
    .abstract_eval = reduce_rule<"reduce_max", kAny>,
    .jvp = jvp_by_operand<chosen_jvp>,
    .batching = batch_reduction,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams& params) -> Values {
      Value init = extreme_value(b, x[0].aval().dtype, false);
      return {b.reduce(x[0], init, params.get<Axes>("axes"), ReduceKind::maximum)};
    },
};
Array reduce_max(const Operand& x, const Axes& axes) { return apply(reduce_max_p, x, {{"axes", axes}, {"out_sharding", Param()}}); }

}  // namespace tenon::lax
