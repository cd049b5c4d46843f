// neg: -x.
#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

static Array neg_transpose(const Array& ct, const LinearOperand&, const EqnParams&) { return neg(ct); }
constinit const Primitive neg_p{
    .name = "neg",
    .abstract_eval = unary_rule<"neg", kNumber>,
    .jvp = jvp_linear,
    .transpose = transpose_unary<neg_transpose>,
    .batching = batch_unary,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values { return {b.negate(x[0])}; },
};
Array neg(const Operand& x) { return apply(neg_p, x); }

}  // namespace tenon::lax
