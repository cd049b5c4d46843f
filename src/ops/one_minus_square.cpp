// one_minus_square: 1 - x^2 as (1 + x) (1 - x), exact where |x| is near 1.
#include "ops/batch.h"
#include "ops/convert.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

static Array one_minus_square_jvp(const Array& g, const Array&, const Arrays& x, const EqnParams&) {
  return mul(g, mul(constant_like(x[0], -2), x[0]));
}
constinit const Primitive one_minus_square_p{
    .name = "one_minus_square",
    .abstract_eval = unary_rule<"one_minus_square", kNumber>,
    .jvp = jvp_by_operand<one_minus_square_jvp>,
    .batching = batch_unary,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values {
      const Value sum = b.add(full_value(b, 1, x[0].aval()), x[0]);
      const Value difference = b.subtract(full_value(b, 1, x[0].aval()), x[0]);
      return {b.multiply(sum, difference)};
    },
};
Array one_minus_square(const Operand& x) { return apply(one_minus_square_p, x); }

}  // namespace tenon::lax
