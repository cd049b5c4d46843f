// div: x / y; integers truncate.
#include "ops/rules.h"

namespace tenon::lax {

constinit const Primitive div_p{
    .name = "div",
    .abstract_eval = nary_rule<"div", kNumber>,
    .lowering = [](StablehloBuilder& b, const Values& operands, const EqnParams&) -> Values {
      Values x = broadcast_values(b, operands);
      return {b.divide(x[0], x[1])};
    },
};
Array div(const Operand& x, const Operand& y) { return apply(div_p, x, y); }

}  // namespace tenon::lax
