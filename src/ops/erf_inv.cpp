// erf_inv: the inverse of the error function, element by element.
#include <cmath>
#include <numbers>

#include "ops/batch.h"
#include "ops/convert.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

static Array erf_inv_jvp(const Array& g, const Array& y, const Arrays& x, const EqnParams&) {
  const Array product = mul(g, exp(square(y)));
  return mul(constant_like(x[0], std::sqrt(std::numbers::pi) / 2), product);
}
constinit const Primitive erf_inv_p{
    .name = "erf_inv",
    .abstract_eval = unary_rule<"erf_inv", kFloat>,
    .jvp = jvp_by_operand<erf_inv_jvp>,
    .batching = batch_unary,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values { return {b.chlo_erf_inv(x[0])}; },
};

Array erf_inv(const Operand& x) { return apply(erf_inv_p, x); }

}  // namespace tenon::lax
