// rev: the order along axes reversed.
#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

constinit const Primitive rev_p{
    .name = "rev",
    .abstract_eval = [](const Avals& in, const EqnParams& params) -> Avals {
      check_count("rev", in, 1);
      check_axes("rev", "dimension", params.get<Axes>("dimensions"), in[0].ndim());
      return {in[0]};
    },
    .jvp = jvp_linear,
    .transpose = transpose_unary<[](const Array& ct, const LinearOperand&, const EqnParams& params) {
      return rev(ct, params.get<Axes>("dimensions"));
    }>,
    .batching = [](const Primitive&, const BatchAxis&, const Arrays& x, const std::vector<int>& axes, const EqnParams& params) -> BatchResult {
      return {{rev(x[0], batched_axes(params.get<Axes>("dimensions"), axes[0]))}, axes};
    },
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams& params) -> Values {
      return {b.reverse(x[0], params.get<Axes>("dimensions"))};
    },
};
Array rev(const Operand& x, const Axes& dimensions) { return apply(rev_p, x, {{"dimensions", dimensions}}); }

}  // namespace tenon::lax
