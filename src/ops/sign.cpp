// sign: -1, 0, 1.
#include "ops/rules.h"

namespace tenon::lax {

constinit const Primitive sign_p{
    .name = "sign",
    .abstract_eval = unary_rule<"sign", kNumber>,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values {
      Aval aval = x[0].aval();
      if (!aval.dtype.is_unsigned()) return {b.sign(x[0])};
      // StableHLO has no sign of unsigned integers: x == 0 ? 0 : 1
      Value is_zero = b.compare(x[0], full_value(b, 0, aval), ComparisonDirection::EQ);
      Value zero = full_value(b, 0, aval);
      return {b.select(is_zero, zero, full_value(b, 1, aval))};
    },
};
Array sign(const Operand& x) { return apply(sign_p, x); }

}  // namespace tenon::lax
