// reduce_xor: the exclusive or over axes.
#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/reductions.h"

namespace tenon::lax {

constinit const Primitive reduce_xor_p{
    .name = "reduce_xor",
    .abstract_eval = reduce_rule<"reduce_xor", kBoolOrInt>,
    .jvp = jvp_zero,
    .batching = batch_reduction,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams& params) -> Values {
      Value init = full_value(b, 0, {{}, x[0].aval().dtype});
      auto combine = [&](const Values& left, const Values& right) -> Values { return {b.xor_(left[0], right[0])}; };
      return b.reduce({x[0]}, {init}, params.get<Axes>("axes"), combine);
    },
};
Array reduce_xor(const Operand& x, const Axes& axes) { return apply(reduce_xor_p, x, {{"axes", axes}}); }

}  // namespace tenon::lax
