// sqrt and rsqrt: the square root and its reciprocal.
#include "ops/batch.h"
#include "ops/convert.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

static Array sqrt_jvp(const Array& g, const Array& y, const Arrays& x, const EqnParams&) {
  return mul(g, div(constant_like(x[0], 0.5), y));
}
constinit const Primitive sqrt_p{
    .name = "sqrt",
    .abstract_eval = unary_rule<"sqrt", kInexact>,
    .jvp = jvp_by_operand<sqrt_jvp>,
    .batching = batch_unary,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values { return {b.sqrt(x[0])}; },
    .prints_param = prints_accuracy,
};
Array sqrt(const Operand& x) { return apply(sqrt_p, x, {{"accuracy", Param()}}); }

static Array rsqrt_jvp(const Array& g, const Array& y, const Arrays& x, const EqnParams&) {
  const Array quotient = div(y, x[0]);
  return mul(g, mul(constant_like(x[0], -0.5), quotient));
}
constinit const Primitive rsqrt_p{
    .name = "rsqrt",
    .abstract_eval = unary_rule<"rsqrt", kInexact>,
    .jvp = jvp_by_operand<rsqrt_jvp>,
    .batching = batch_unary,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values { return {b.rsqrt(x[0])}; },
    .prints_param = prints_accuracy,
};
Array rsqrt(const Operand& x) { return apply(rsqrt_p, x, {{"accuracy", Param()}}); }

}  // namespace tenon::lax
