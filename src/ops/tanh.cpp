// tanh.
#include "ops/rules.h"

namespace tenon::lax {

constinit const Primitive tanh_p{
    .name = "tanh",
    .abstract_eval = unary_rule<"tanh", kInexact>,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values { return {b.tanh(x[0])}; },
    .prints_param = prints_accuracy,
};
Array tanh(const Operand& x) { return apply(tanh_p, x, {{"accuracy", Param()}}); }

}  // namespace tenon::lax
