// polygamma: the m-th derivative of digamma. zeta: Hurwitz' zeta function.
#include "ops/batch.h"
#include "ops/convert.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

static Array polygamma_jvp_m(const Array&, const Array&, const Arrays& x, const EqnParams&) {
  fail<ValueError>("polygamma", "it has no derivative by the order m; got a tangent for m, which is ", x[0].aval());
}
static Array polygamma_jvp_x(const Array& g, const Array&, const Arrays& x, const EqnParams&) {
  const Array next = add(x[0], constant_like(x[0], 1));
  return mul(g, polygamma(next, x[1]));
}
constinit const Primitive polygamma_p{
    .name = "polygamma",
    .abstract_eval = nary_rule<"polygamma", kFloat>,
    .jvp = jvp_by_operand<polygamma_jvp_m, polygamma_jvp_x>,
    .batching = batch_elementwise,
    .lowering = [](StablehloBuilder& b, const Values& operands, const EqnParams&) -> Values {
      Values x = broadcast_values(b, operands);
      return {b.chlo_polygamma(x[0], x[1])};
    },
};
Array polygamma(const Operand& m, const Operand& x) { return apply(polygamma_p, m, x); }

constinit const Primitive zeta_p{
    .name = "zeta",
    .abstract_eval = nary_rule<"zeta", kFloat>,
    .batching = batch_elementwise,
    .lowering = [](StablehloBuilder& b, const Values& operands, const EqnParams&) -> Values {
      Values x = broadcast_values(b, operands);
      return {b.chlo_zeta(x[0], x[1])};
    },
};
Array zeta(const Operand& x, const Operand& q) { return apply(zeta_p, x, q); }

}  // namespace tenon::lax
