// is_finite: neither infinite nor NaN.
#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

constinit const Primitive is_finite_p{
    .name = "is_finite",
    .abstract_eval = predicate_rule<"is_finite", kFloat, 1>,
    .jvp = jvp_zero,
    .batching = batch_unary,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values { return {b.is_finite(x[0])}; },
};
Array is_finite(const Operand& x) { return apply(is_finite_p, x); }

}  // namespace tenon::lax
