// pow: x to the power y, both arrays.
#include "ops/rules.h"

namespace tenon::lax {

constinit const Primitive pow_p{
    .name = "pow",
    .abstract_eval = [](const Avals& in, const EqnParams&) -> Avals {
      check_count("pow", in, 2);
      check_kind("pow", in[0], kInexact, 0);
      check_kind("pow", in[1], kNumber, 1);
      if (in[1].dtype.is_inexact()) check_same_dtype("pow", in);
      return {{broadcast_shapes("pow", in), in[0].dtype, all_weak(in)}};
    },
    .lowering = [](StablehloBuilder& b, const Values& operands, const EqnParams&) -> Values {
      Values x = operands;
      Aval y = x[1].aval();
      if (!y.dtype.is_inexact()) x[1] = b.convert(x[1], x[0].aval().dtype);
      x = broadcast_values(b, x);
      return {b.power(x[0], x[1])};
    },
};
Array pow(const Operand& x, const Operand& y) { return apply(pow_p, x, y); }

}  // namespace tenon::lax
