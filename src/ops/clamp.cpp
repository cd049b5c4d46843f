// clamp: x moved into [low, high].
#include "ops/rules.h"

namespace tenon::lax {

constinit const Primitive clamp_p{
    .name = "clamp",
    .abstract_eval = [](const Avals& in, const EqnParams&) -> Avals {
      check_count("clamp", in, 3);
      check_kinds("clamp", in, kAny);
      check_same_dtype("clamp", in);
      for (const Aval* bound : {&in[0], &in[2]})
        if (!bound->shape.empty() && bound->shape != in[1].shape)
          fail<ShapeError>("clamp", "a bound must be a scalar or have the shape of the operand; got ", in);
      return {{in[1].shape, in[1].dtype, all_weak(in)}};
    },
    .lowering = [](StablehloBuilder& b, const Values& operands, const EqnParams&) -> Values {
      Values x = broadcast_values(b, operands);
      return {b.clamp(x[0], x[1], x[2])};
    },
};
Array clamp(const Operand& low, const Operand& x, const Operand& high) { return apply(clamp_p, low, x, high); }

}  // namespace tenon::lax
