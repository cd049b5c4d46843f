// reduce_and: all of bool, the common bits of integers.
#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/reductions.h"

namespace tenon::lax {

constinit const Primitive reduce_and_p{
    .name = "reduce_and",
    .abstract_eval = reduce_rule<"reduce_and", kBoolOrInt>,
    .jvp = jvp_zero,
    .batching = batch_reduction,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams& params) -> Values {
      Value init = full_integer_value(b, x[0].aval().dtype.is_bool() ? 1 : -1, {{}, x[0].aval().dtype});
      return {b.reduce(x[0], init, params.get<Axes>("axes"), ReduceKind::and_)};
    },
};
Array reduce_and(const Operand& x, const Axes& axes) { return apply(reduce_and_p, x, {{"axes", axes}}); }

}  // namespace tenon::lax
