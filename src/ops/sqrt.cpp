// sqrt and rsqrt: the square root and its reciprocal.
#include "ops/rules.h"

namespace tenon::lax {

constinit const Primitive sqrt_p{
    .name = "sqrt",
    .abstract_eval = unary_rule<"sqrt", kInexact>,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values { return {b.sqrt(x[0])}; },
    .prints_param = prints_accuracy,
};
Array sqrt(const Operand& x) { return apply(sqrt_p, x, {{"accuracy", Param()}}); }

constinit const Primitive rsqrt_p{
    .name = "rsqrt",
    .abstract_eval = unary_rule<"rsqrt", kInexact>,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values { return {b.rsqrt(x[0])}; },
    .prints_param = prints_accuracy,
};
Array rsqrt(const Operand& x) { return apply(rsqrt_p, x, {{"accuracy", Param()}}); }

}  // namespace tenon::lax
