// reduce_sum: the sum over axes.
#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/reductions.h"

namespace tenon::lax {

static Array transpose_sum(const Array& ct, const LinearOperand& x, const EqnParams& params) {
  Axes kept;
  for (int axis = 0; axis < x.aval.ndim(); ++axis)
    if (!params.get<Axes>("axes").contains(axis)) kept.push_back(axis);
  return broadcast_in_dim(ct, x.aval.shape, kept);
}

constinit const Primitive reduce_sum_p{
    .name = "reduce_sum",
    .abstract_eval = reduce_rule<"reduce_sum", kNumber>,
    .jvp = jvp_linear,
    .transpose = transpose_unary<transpose_sum>,
    .batching = batch_reduction,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams& params) -> Values {
      Value init = full_value(b, 0, {{}, x[0].aval().dtype});
      return {b.reduce(x[0], init, params.get<Axes>("axes"), ReduceKind::add)};
    },
};
Array reduce_sum(const Operand& x, const Axes& axes) { return apply(reduce_sum_p, x, {{"axes", axes}, {"out_sharding", Param()}}); }

}  // namespace tenon::lax
