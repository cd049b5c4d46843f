// add_any: the sum of two tangents or cotangents of one value.
#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

// Of one shape: what is not mapped is repeated.
static BatchResult batch_add_any(const Primitive& self, const BatchAxis& axis, const Arrays& operands, const std::vector<int>& axes,
                                 const EqnParams&) {
  Arrays values = operands;
  const int mapped = axes[1] == kNotMapped ? axes[0] : axes[1];
  for (size_t i = 0; i < 2; ++i)
    values[i] = axes[i] == kNotMapped ? broadcast_along(operands[i], axis.size, mapped) : move_axis(operands[i], axes[i], mapped);
  return {{bind(self, values)}, {mapped}};
}

constinit const Primitive add_any_p{
    .name = "add_any",
    .abstract_eval = [](const Avals& in, const EqnParams&) -> Avals {
      check_count("add_any", in, 2);
      check_kinds("add_any", in, kNumber);
      check_same_dtype("add_any", in);
      if (in[0].shape != in[1].shape) fail<ShapeError>("add_any", "shapes differ: ", in[0], " and ", in[1]);
      return {in[0]};
    },
    .jvp = jvp_linear,
    .transpose = [](const Primitive&, const Cotangents& ct, const LinearOperands&, const EqnParams&) -> Cotangents {
      return {ct[0], ct[0]};
    },
    .batching = batch_add_any,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values { return {b.add(x[0], x[1])}; },
};
Array add_any(const Operand& x, const Operand& y) { return apply(add_any_p, x, y); }

}  // namespace tenon::lax
