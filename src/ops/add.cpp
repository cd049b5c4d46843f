// add: x + y.
#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

static JvpResult add_jvp(const Primitive& self, const Arrays& primals, const Tangents& tangents, const EqnParams& params) {
  const Array y = bind(self, primals, params);
  if (tangents[0].is_zero()) return {{y}, {broadcast_like(tangents[1].value(), y)}};
  if (tangents[1].is_zero()) return {{y}, {broadcast_like(tangents[0].value(), y)}};
  return {{y}, {add(tangents[0].value(), tangents[1].value())}};
}
static Cotangents add_transpose(const Primitive&, const Cotangents& ct, const LinearOperands& x, const EqnParams&) {
  Cotangents out;
  for (const LinearOperand& operand : x)
    out.push_back(operand.linear ? Cotangent(unbroadcast(operand.aval, ct[0].value())) : Cotangent::zero(operand.aval));
  return out;
}
constinit const Primitive add_p{
    .name = "add",
    .abstract_eval = nary_rule<"add", kNumber>,
    .jvp = add_jvp,
    .transpose = add_transpose,
    .batching = batch_elementwise,
    .lowering = [](StablehloBuilder& b, const Values& operands, const EqnParams&) -> Values {
      Values x = broadcast_values(b, operands);
      return {b.add(x[0], x[1])};
    },
};
Array add(const Operand& x, const Operand& y) { return apply(add_p, x, y); }

}  // namespace tenon::lax
