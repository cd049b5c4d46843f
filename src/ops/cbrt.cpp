// cbrt: the cube root.
#include "ops/batch.h"
#include "ops/convert.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

static Array cbrt_jvp(const Array& g, const Array& y, const Arrays& x, const EqnParams&) {
  const Array inverse = integer_pow(y, -2);
  return mul(g, mul(constant_like(x[0], 1.0 / 3), inverse));
}
constinit const Primitive cbrt_p{
    .name = "cbrt",
    .abstract_eval = unary_rule<"cbrt", kFloat>,
    .jvp = jvp_by_operand<cbrt_jvp>,
    .batching = batch_unary,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values {
      return {b.cbrt(x[0])};
    },
    .prints_param = prints_accuracy,
};
Array cbrt(const Operand& x) { return apply(cbrt_p, x, {{"accuracy", Param()}}); }

}  // namespace tenon::lax
