// atan2: the angle of the point (y, x).
#include "ops/rules.h"

namespace tenon::lax {

constinit const Primitive atan2_p{
    .name = "atan2",
    .abstract_eval = nary_rule<"atan2", kInexact>,
    .lowering = [](StablehloBuilder& b, const Values& operands, const EqnParams&) -> Values {
      Values x = broadcast_values(b, operands);
      return {b.atan2(x[0], x[1])};
    },
};
Array atan2(const Operand& y, const Operand& x) { return apply(atan2_p, y, x); }

}  // namespace tenon::lax
