// asin: of a real number atan2(x, sqrt((1 - x) (1 + x))).
#include "ops/rules.h"

namespace tenon::lax {

constinit const Primitive asin_p{
    .name = "asin",
    .abstract_eval = unary_rule<"asin", kInexact>,
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
