// reduce_prod: the product over axes.
#include "ops/reductions.h"

namespace tenon::lax {

constinit const Primitive reduce_prod_p{
    .name = "reduce_prod",
    .abstract_eval = reduce_rule<"reduce_prod", kNumber>,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams& params) -> Values {
      Value init = full_value(b, 1, {{}, x[0].aval().dtype});
      return {b.reduce(x[0], init, params.get<Axes>("axes"), ReduceKind::multiply)};
    },
};
Array reduce_prod(const Operand& x, const Axes& axes) { return apply(reduce_prod_p, x, {{"axes", axes}}); }

}  // namespace tenon::lax
