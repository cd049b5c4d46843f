// sign: -1, 0, 1.
#include "ops/batch.h"
#include "ops/convert.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

// 0 for real numbers. For complex ones the angle alone changes the result: i sign(z) Im(conj(sign(z)) dz) / |z|.
static JvpResult sign_jvp(const Primitive& self, const Arrays& primals, const Tangents& tangents, const EqnParams& params) {
  const Array& x = primals[0];
  if (!x.dtype().is_complex()) return jvp_zero(self, primals, tangents, params);
  const Array y = bind(self, primals, params);
  const Array turn = imag(mul(conj(y), tangents[0].value()));
  const Array size = abs(x);
  const Array is_zero = eq(size, constant_like(size, 0));
  const Array angle = div(turn, select(is_zero, full_like(size, 1), size));
  return {{y}, {mul(y, complex(full_like(angle, 0), angle))}};
}
constinit const Primitive sign_p{
    .name = "sign",
    .abstract_eval = unary_rule<"sign", kNumber>,
    .jvp = sign_jvp,
    .batching = batch_unary,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values {
      Aval aval = x[0].aval();
      if (!aval.dtype.is_unsigned()) return {b.sign(x[0])};
      // StableHLO has no sign of unsigned integers: x == 0 ? 0 : 1
      Value is_zero = b.compare(x[0], full_value(b, 0, aval), ComparisonDirection::EQ);
      Value zero = full_value(b, 0, aval);
      return {b.select(is_zero, zero, full_value(b, 1, aval))};
    },
};
Array sign(const Operand& x) { return apply(sign_p, x); }

}  // namespace tenon::lax
