// nextafter: the neighbour of x on the way to y.
#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

static Array nextafter_jvp(const Array& g, const Array& y, const Arrays&, const EqnParams&) {
  return broadcast_like(g, y);
}
constinit const Primitive nextafter_p{
    .name = "nextafter",
    .abstract_eval = nary_rule<"nextafter", kFloat>,
    .jvp = jvp_by_operand<nextafter_jvp, nullptr>,
    .batching = batch_elementwise,
    .lowering = [](StablehloBuilder& b, const Values& operands, const EqnParams&) -> Values {
      Values x = broadcast_values(b, operands);
      return {b.chlo_next_after(x[0], x[1])};
    },
};
Array nextafter(const Operand& x, const Operand& y) { return apply(nextafter_p, x, y); }

}  // namespace tenon::lax
