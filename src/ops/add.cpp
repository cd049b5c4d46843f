// add: x + y.
#include "ops/rules.h"

namespace tenon::lax {

constinit const Primitive add_p{
    .name = "add",
    .abstract_eval = nary_rule<"add", kNumber>,
    .lowering = [](StablehloBuilder& b, const Values& operands, const EqnParams&) -> Values {
      Values x = broadcast_values(b, operands);
      return {b.add(x[0], x[1])};
    },
};
Array add(const Operand& x, const Operand& y) { return apply(add_p, x, y); }

}  // namespace tenon::lax
