// shift_left, shift_right_arithmetic, shift_right_logical.
#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

constinit const Primitive shift_left_p{
    .name = "shift_left",
    .abstract_eval = nary_rule<"shift_left", kInt>,
    .jvp = jvp_zero,
    .batching = batch_elementwise,
    .lowering = [](StablehloBuilder& b, const Values& operands, const EqnParams&) -> Values {
      Values x = broadcast_values(b, operands);
      return {b.shift_left(x[0], x[1])};
    },
};
Array shift_left(const Operand& x, const Operand& y) { return apply(shift_left_p, x, y); }

constinit const Primitive shift_right_arithmetic_p{
    .name = "shift_right_arithmetic",
    .abstract_eval = nary_rule<"shift_right_arithmetic", kInt>,
    .jvp = jvp_zero,
    .batching = batch_elementwise,
    .lowering = [](StablehloBuilder& b, const Values& operands, const EqnParams&) -> Values {
      Values x = broadcast_values(b, operands);
      return {b.shift_right_arithmetic(x[0], x[1])};
    },
};
Array shift_right_arithmetic(const Operand& x, const Operand& y) { return apply(shift_right_arithmetic_p, x, y); }

constinit const Primitive shift_right_logical_p{
    .name = "shift_right_logical",
    .abstract_eval = nary_rule<"shift_right_logical", kInt>,
    .jvp = jvp_zero,
    .batching = batch_elementwise,
    .lowering = [](StablehloBuilder& b, const Values& operands, const EqnParams&) -> Values {
      Values x = broadcast_values(b, operands);
      return {b.shift_right_logical(x[0], x[1])};
    },
};
Array shift_right_logical(const Operand& x, const Operand& y) { return apply(shift_right_logical_p, x, y); }

}  // namespace tenon::lax
