// copy: a new array of the same elements. A program has only values, so it lowers to nothing.
#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

static Array copy_transpose(const Array& ct, const LinearOperand&, const EqnParams&) { return copy(ct); }
constinit const Primitive copy_p{
    .name = "copy",
    .abstract_eval = unary_rule<"copy", kAny | kKey>,
    .jvp = jvp_linear,
    .transpose = transpose_unary<copy_transpose>,
    .batching = batch_unary,
    .lowering = [](StablehloBuilder&, const Values& x, const EqnParams&) -> Values { return {x[0]}; },
};
Array copy(const Operand& x) { return apply(copy_p, x); }

}  // namespace tenon::lax
