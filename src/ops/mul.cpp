// mul: x * y. The parameter out_dtype is JAX's, for products of a wider dtype; always None here.
#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

static Array mul_transpose_x(const Array& ct, const LinearOperand& x, const LinearOperand& y, const EqnParams&) {
  return unbroadcast(x.aval, mul(ct, y.value));
}
static Array mul_transpose_y(const Array& ct, const LinearOperand& x, const LinearOperand& y, const EqnParams&) {
  return unbroadcast(y.aval, mul(x.value, ct));
}
constinit const Primitive mul_p{
    .name = "mul",
    .abstract_eval = nary_rule<"mul", kNumber>,
    .jvp = jvp_bilinear,
    .transpose = transpose_bilinear<mul_transpose_x, mul_transpose_y>,
    .batching = batch_elementwise,
    .lowering = [](StablehloBuilder& b, const Values& operands, const EqnParams&) -> Values {
      Values x = broadcast_values(b, operands);
      return {b.multiply(x[0], x[1])};
    },
    .prints_param = [](std::string_view, const Param& value, const EqnParams&) { return !value.is_none(); },
};
Array mul(const Operand& x, const Operand& y) { return apply(mul_p, x, y, {{"out_dtype", Param()}}); }

}  // namespace tenon::lax
