// sub: x - y.
#include "ops/rules.h"

namespace tenon::lax {

constinit const Primitive sub_p{
    .name = "sub",
    .abstract_eval = nary_rule<"sub", kNumber>,
    .lowering = [](StablehloBuilder& b, const Values& operands, const EqnParams&) -> Values {
      Values x = broadcast_values(b, operands);
      return {b.subtract(x[0], x[1])};
    },
};
Array sub(const Operand& x, const Operand& y) { return apply(sub_p, x, y); }

}  // namespace tenon::lax
