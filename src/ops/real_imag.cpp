// real and imag: the parts of a complex number.
#include "ops/batch.h"
#include "ops/convert.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

static Array real_transpose(const Array& ct, const LinearOperand&, const EqnParams&) { return complex(ct, constant_like(ct, 0)); }
constinit const Primitive real_p{
    .name = "real",
    .abstract_eval = [](const Avals& in, const EqnParams& params) -> Avals {
      Avals out = unary_rule<"real", kComplex>(in, params);
      out[0].dtype = real_dtype(out[0].dtype);
      return out;
    },
    .jvp = jvp_linear,
    .transpose = transpose_unary<real_transpose>,
    .batching = batch_unary,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values {
      return {b.real(x[0])};
    },
};
Array real(const Operand& x) { return apply(real_p, x); }

static Array imag_transpose(const Array& ct, const LinearOperand&, const EqnParams&) {
  return complex(constant_like(ct, 0), neg(ct));
}
constinit const Primitive imag_p{
    .name = "imag",
    .abstract_eval = [](const Avals& in, const EqnParams& params) -> Avals {
      Avals out = unary_rule<"imag", kComplex>(in, params);
      out[0].dtype = real_dtype(out[0].dtype);
      return out;
    },
    .jvp = jvp_linear,
    .transpose = transpose_unary<imag_transpose>,
    .batching = batch_unary,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values {
      return {b.imag(x[0])};
    },
};
Array imag(const Operand& x) { return apply(imag_p, x); }

}  // namespace tenon::lax
