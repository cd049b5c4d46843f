// reduce_sum: the sum over axes.
#include "ops/reductions.h"

namespace tenon::lax {

constinit const Primitive reduce_sum_p{
    .name = "reduce_sum",
    .abstract_eval = reduce_rule<"reduce_sum", kNumber>,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams& params) -> Values {
      Value init = full_value(b, 0, {{}, x[0].aval().dtype});
      return {b.reduce(x[0], init, params.get<Axes>("axes"), ReduceKind::add)};
    },
};
Array reduce_sum(const Operand& x, const Axes& axes) { return apply(reduce_sum_p, x, {{"axes", axes}, {"out_sharding", Param()}}); }

}  // namespace tenon::lax
