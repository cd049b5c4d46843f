// real and imag: the parts of a complex number.
#include "ops/rules.h"

namespace tenon::lax {

constinit const Primitive real_p{
    .name = "real",
    .abstract_eval = [](const Avals& in, const EqnParams& params) -> Avals {
      Avals out = unary_rule<"real", kComplex>(in, params);
      out[0].dtype = real_dtype(out[0].dtype);
      return out;
    },
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values {
      return {b.real(x[0])};
    },
};
Array real(const Operand& x) { return apply(real_p, x); }

constinit const Primitive imag_p{
    .name = "imag",
    .abstract_eval = [](const Avals& in, const EqnParams& params) -> Avals {
      Avals out = unary_rule<"imag", kComplex>(in, params);
      out[0].dtype = real_dtype(out[0].dtype);
      return out;
    },
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values {
      return {b.imag(x[0])};
    },
};
Array imag(const Operand& x) { return apply(imag_p, x); }

}  // namespace tenon::lax
