// complex: a number from its real and its imaginary part.
#include "ops/rules.h"

namespace tenon::lax {

constinit const Primitive complex_p{
    .name = "complex",
    .abstract_eval = [](const Avals& in, const EqnParams& params) -> Avals {
      for (const Aval& operand : in) check_has_complex("complex", operand);
      Avals out = nary_rule<"complex", kFloat>(in, params);
      out[0].dtype = complex_dtype(out[0].dtype);
      return out;
    },
    .lowering = [](StablehloBuilder& b, const Values& operands, const EqnParams&) -> Values {
      Values x = broadcast_values(b, operands);
      return {b.complex(x[0], x[1])};
    },
};
Array complex(const Operand& x, const Operand& y) { return apply(complex_p, x, y); }

}  // namespace tenon::lax
