// lgamma: log |gamma(x)|; digamma: its derivative.
#include "ops/batch.h"
#include "ops/convert.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

static Array lgamma_jvp(const Array& g, const Array&, const Arrays& x, const EqnParams&) {
  return mul(g, digamma(x[0]));
}
constinit const Primitive lgamma_p{
    .name = "lgamma",
    .abstract_eval = unary_rule<"lgamma", kFloat>,
    .jvp = jvp_by_operand<lgamma_jvp>,
    .batching = batch_unary,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values {
      return {b.chlo_lgamma(x[0])};
    },
};
Array lgamma(const Operand& x) { return apply(lgamma_p, x); }

static Array digamma_jvp(const Array& g, const Array&, const Arrays& x, const EqnParams&) {
  return mul(g, polygamma(constant_like(x[0], 1), x[0]));
}
constinit const Primitive digamma_p{
    .name = "digamma",
    .abstract_eval = unary_rule<"digamma", kFloat>,
    .jvp = jvp_by_operand<digamma_jvp>,
    .batching = batch_unary,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values {
      return {b.chlo_digamma(x[0])};
    },
};
Array digamma(const Operand& x) { return apply(digamma_p, x); }

}  // namespace tenon::lax
