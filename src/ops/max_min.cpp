// max and min; NaN wins.
#include "ops/rules.h"

namespace tenon::lax {

constinit const Primitive max_p{
    .name = "max",
    .abstract_eval = nary_rule<"max", kAny>,
    .lowering = [](StablehloBuilder& b, const Values& operands, const Params&) -> Values {
      Values x = broadcast_values(b, operands);
      return {b.maximum(x[0], x[1])};
    },
};
Array max(const Operand& x, const Operand& y) { return apply(max_p, x, y); }

constinit const Primitive min_p{
    .name = "min",
    .abstract_eval = nary_rule<"min", kAny>,
    .lowering = [](StablehloBuilder& b, const Values& operands, const Params&) -> Values {
      Values x = broadcast_values(b, operands);
      return {b.minimum(x[0], x[1])};
    },
};
Array min(const Operand& x, const Operand& y) { return apply(min_p, x, y); }

}  // namespace tenon::lax
