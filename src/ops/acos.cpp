// acos.
#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

static Array acos_jvp(const Array& g, const Array&, const Arrays& x, const EqnParams&) {
  return mul(g, neg(rsqrt(one_minus_square(x[0]))));
}
constinit const Primitive acos_p{
    .name = "acos",
    .abstract_eval = unary_rule<"acos", kInexact>,
    .jvp = jvp_by_operand<acos_jvp>,
    .batching = batch_unary,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values {
      return {b.chlo_acos(x[0])};
    },
};
Array acos(const Operand& x) { return apply(acos_p, x); }

}  // namespace tenon::lax
