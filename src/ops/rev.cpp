// rev: the order along axes reversed.
#include "ops/rules.h"

namespace tenon::lax {

constinit const Primitive rev_p{
    .name = "rev",
    .abstract_eval = [](const Avals& in, const EqnParams& params) -> Avals {
      check_count("rev", in, 1);
      check_axes("rev", "dimension", params.get<Axes>("dimensions"), in[0].ndim());
      return {in[0]};
    },
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams& params) -> Values {
      return {b.reverse(x[0], params.get<Axes>("dimensions"))};
    },
};
Array rev(const Operand& x, const Axes& dimensions) { return apply(rev_p, x, {{"dimensions", dimensions}}); }

}  // namespace tenon::lax
