// mul: x * y. The parameter out_dtype is JAX's, for products of a wider dtype; always None here.
#include "ops/rules.h"

namespace tenon::lax {

constinit const Primitive mul_p{
    .name = "mul",
    .abstract_eval = nary_rule<"mul", kNumber>,
    .lowering = [](StablehloBuilder& b, const Values& operands, const EqnParams&) -> Values {
      Values x = broadcast_values(b, operands);
      return {b.multiply(x[0], x[1])};
    },
    .prints_param = [](std::string_view, const Param& value, const EqnParams&) { return !value.is_none(); },
};
Array mul(const Operand& x, const Operand& y) { return apply(mul_p, x, y, {{"out_dtype", Param()}}); }

}  // namespace tenon::lax
