// sub: x - y.
#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

static JvpResult sub_jvp(const Primitive& self, const Arrays& primals, const Tangents& tangents, const EqnParams& params) {
  const Array y = bind(self, primals, params);
  if (tangents[0].is_zero()) return {{y}, {broadcast_like(neg(tangents[1].value()), y)}};
  if (tangents[1].is_zero()) return {{y}, {broadcast_like(tangents[0].value(), y)}};
  return {{y}, {sub(tangents[0].value(), tangents[1].value())}};
}
static Cotangents sub_transpose(const Primitive&, const Cotangents& ct, const LinearOperands& x, const EqnParams&) {
  Cotangents out = {Cotangent::zero(x[0].aval), Cotangent::zero(x[1].aval)};
  if (x[0].linear) out[0] = unbroadcast(x[0].aval, ct[0].value());
  if (x[1].linear) out[1] = unbroadcast(x[1].aval, neg(ct[0].value()));
  return out;
}
constinit const Primitive sub_p{
    .name = "sub",
    .abstract_eval = nary_rule<"sub", kNumber>,
    .jvp = sub_jvp,
    .transpose = sub_transpose,
    .batching = batch_elementwise,
    .lowering = [](StablehloBuilder& b, const Values& operands, const EqnParams&) -> Values {
      Values x = broadcast_values(b, operands);
      return {b.subtract(x[0], x[1])};
    },
};
Array sub(const Operand& x, const Operand& y) { return apply(sub_p, x, y); }

}  // namespace tenon::lax
