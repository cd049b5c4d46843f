// sin and cos.
#include "ops/rules.h"

namespace tenon::lax {

constinit const Primitive sin_p{
    .name = "sin",
    .abstract_eval = unary_rule<"sin", kInexact>,
    .lowering = [](StablehloBuilder& b, const Values& x, const Params&) -> Values { return {b.sine(x[0])}; },
    .prints_param = prints_accuracy,
};
Array sin(const Operand& x) { return apply(sin_p, x, {{"accuracy", Param()}}); }

constinit const Primitive cos_p{
    .name = "cos",
    .abstract_eval = unary_rule<"cos", kInexact>,
    .lowering = [](StablehloBuilder& b, const Values& x, const Params&) -> Values { return {b.cosine(x[0])}; },
    .prints_param = prints_accuracy,
};
Array cos(const Operand& x) { return apply(cos_p, x, {{"accuracy", Param()}}); }

}  // namespace tenon::lax
