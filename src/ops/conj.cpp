// conj: x with the imaginary part negated; of a real number a complex one.
#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

static Array conj_transpose(const Array& ct, const LinearOperand& x, const EqnParams&) {
  return x.aval.dtype.is_complex() ? conj(ct) : real(ct);
}
constinit const Primitive conj_p{
    .name = "conj",
    .abstract_eval = [](const Avals& in, const EqnParams& params) -> Avals {
      if (in.size() == 1 && in[0].dtype.is_floating()) check_has_complex("conj", in[0]);
      Avals out = unary_rule<"conj", kInexact>(in, params);
      out[0].dtype = complex_dtype(out[0].dtype);
      return out;
    },
    .jvp = jvp_linear,
    .transpose = transpose_unary<conj_transpose>,
    .batching = batch_unary,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values {
      if (!x[0].aval().dtype.is_complex()) return {b.complex(x[0], full_value(b, 0, x[0].aval()))};
      const Value re = b.real(x[0]);
      return {b.complex(re, b.negate(b.imag(x[0])))};
    },
};
Array conj(const Operand& x) { return apply(conj_p, x, {{"input_dtype", x.value.dtype()}}); }

}  // namespace tenon::lax
