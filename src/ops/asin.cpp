// asin: of a real number atan2(x, sqrt((1 - x) (1 + x))).
#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

static Array asin_jvp(const Array& g, const Array&, const Arrays& x, const EqnParams&) {
  return mul(g, rsqrt(one_minus_square(x[0])));
}
constinit const Primitive asin_p{
    .name = "asin",
    .abstract_eval = unary_rule<"asin", kInexact>,
    .jvp = jvp_by_operand<asin_jvp>,
    .batching = batch_unary,
    .lowering = [](StablehloBuilder& b, const Values& operands, const EqnParams&) -> Values {
      const Value x = operands[0];
      if (x.aval().dtype.is_complex()) return {b.chlo_asin(x)};
      const Value below = b.subtract(full_value(b, 1, x.aval()), x);
      const Value above = b.add(full_value(b, 1, x.aval()), x);
      return {b.atan2(x, b.sqrt(b.multiply(below, above)))};
    },
};
Array asin(const Operand& x) { return apply(asin_p, x); }

}  // namespace tenon::lax
