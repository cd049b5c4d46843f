// complex: a number from its real and its imaginary part.
#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

static Cotangents complex_transpose(const Primitive&, const Cotangents& ct, const LinearOperands& x, const EqnParams&) {
  Cotangents out = {Cotangent::zero(x[0].aval), Cotangent::zero(x[1].aval)};
  if (x[0].linear) out[0] = unbroadcast(x[0].aval, real(ct[0].value()));
  if (x[1].linear) out[1] = unbroadcast(x[1].aval, imag(neg(ct[0].value())));
  return out;
}
constinit const Primitive complex_p{
    .name = "complex",
    .abstract_eval = [](const Avals& in, const EqnParams& params) -> Avals {
      for (const Aval& operand : in) check_has_complex("complex", operand);
      Avals out = nary_rule<"complex", kFloat>(in, params);
      out[0].dtype = complex_dtype(out[0].dtype);
      return out;
    },
    .jvp = jvp_linear,
    .transpose = complex_transpose,
    .batching = batch_elementwise,
    .lowering = [](StablehloBuilder& b, const Values& operands, const EqnParams&) -> Values {
      Values x = broadcast_values(b, operands);
      return {b.complex(x[0], x[1])};
    },
};
Array complex(const Operand& x, const Operand& y) { return apply(complex_p, x, y); }

}  // namespace tenon::lax
