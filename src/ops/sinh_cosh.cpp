// sinh and cosh.
#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

static Array sinh_jvp(const Array& g, const Array&, const Arrays& x, const EqnParams&) {
  return mul(g, cosh(x[0]));
}
constinit const Primitive sinh_p{
    .name = "sinh",
    .abstract_eval = unary_rule<"sinh", kInexact>,
    .jvp = jvp_by_operand<sinh_jvp>,
    .batching = batch_unary,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values {
      return {b.chlo_sinh(x[0])};
    },
};
Array sinh(const Operand& x) { return apply(sinh_p, x); }

static Array cosh_jvp(const Array& g, const Array&, const Arrays& x, const EqnParams&) {
  return mul(g, sinh(x[0]));
}
constinit const Primitive cosh_p{
    .name = "cosh",
    .abstract_eval = unary_rule<"cosh", kInexact>,
    .jvp = jvp_by_operand<cosh_jvp>,
    .batching = batch_unary,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values {
      return {b.chlo_cosh(x[0])};
    },
};
Array cosh(const Operand& x) { return apply(cosh_p, x); }

}  // namespace tenon::lax
