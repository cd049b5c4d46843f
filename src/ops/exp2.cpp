// exp2: 2^x, as e^(x log 2).
#include "ops/batch.h"
#include "ops/convert.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

static Array exp2_jvp(const Array& g, const Array& y, const Arrays& x, const EqnParams&) {
  const Array ln2 = log(constant_like(x[0], 2));
  return mul(ln2, mul(g, y));
}
constinit const Primitive exp2_p{
    .name = "exp2",
    .abstract_eval = unary_rule<"exp2", kInexact>,
    .jvp = jvp_by_operand<exp2_jvp>,
    .batching = batch_unary,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values {
      const Value log2 = full_value(b, 0.69314718055994530942, x[0].aval());
      return {b.exponential(b.multiply(log2, x[0]))};
    },
    .prints_param = prints_accuracy,
};
Array exp2(const Operand& x) { return apply(exp2_p, x, {{"accuracy", Param()}}); }

}  // namespace tenon::lax
