// tanh.
#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

static Array tanh_jvp(const Array& g, const Array& y, const Arrays&, const EqnParams&) {
  return mul(g, one_minus_square(y));
}
constinit const Primitive tanh_p{
    .name = "tanh",
    .abstract_eval = unary_rule<"tanh", kInexact>,
    .jvp = jvp_by_operand<tanh_jvp>,
    .batching = batch_unary,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values { return {b.tanh(x[0])}; },
    .prints_param = prints_accuracy,
};
Array tanh(const Operand& x) { return apply(tanh_p, x, {{"accuracy", Param()}}); }

}  // namespace tenon::lax
