// reduce_prod: the product over axes.
#include "ops/batch.h"
#include "ops/convert.h"
#include "ops/differentiate.h"
#include "ops/reductions.h"

namespace tenon::lax {

static JvpResult jvp_product(const Primitive&, const Arrays& primals, const Tangents& tangents, const EqnParams& params) {
  auto multiply = [](const Duals& x) -> Duals { return {apply(mul_p, x)}; };
  return jvp_of_tree(multiply, {constant_like(primals[0], 1)}, primals, tangents, params.get<Axes>("axes"));
}

constinit const Primitive reduce_prod_p{
    .name = "reduce_prod",
    .abstract_eval = reduce_rule<"reduce_prod", kNumber>,
    .jvp = jvp_product,
    .batching = batch_reduction,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams& params) -> Values {
      Value init = full_value(b, 1, {{}, x[0].aval().dtype});
      return {b.reduce(x[0], init, params.get<Axes>("axes"), ReduceKind::multiply)};
    },
};
Array reduce_prod(const Operand& x, const Axes& axes) { return apply(reduce_prod_p, x, {{"axes", axes}}); }

}  // namespace tenon::lax
