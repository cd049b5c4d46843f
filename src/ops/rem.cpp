// rem: the remainder of a truncating division.
#include "ops/rules.h"

namespace tenon::lax {

constinit const Primitive rem_p{
    .name = "rem",
    .abstract_eval = nary_rule<"rem", kReal>,
    .lowering = [](StablehloBuilder& b, const Values& operands, const EqnParams&) -> Values {
      Values x = broadcast_values(b, operands);
      return {b.remainder(x[0], x[1])};
    },
};
Array rem(const Operand& x, const Operand& y) { return apply(rem_p, x, y); }

}  // namespace tenon::lax
