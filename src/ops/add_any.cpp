// add_any: the sum of two tangents or cotangents of one value.
#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

constinit const Primitive add_any_p{
    .name = "add_any",
    .abstract_eval = [](const Avals& in, const EqnParams&) -> Avals {
      check_count("add_any", in, 2);
      check_kinds("add_any", in, kNumber);
      check_same_dtype("add_any", in);
      if (in[0].shape != in[1].shape) fail<ShapeError>("add_any", "shapes differ: ", in[0], " and ", in[1]);
      return {{in[0].shape, in[0].dtype, all_weak(in)}};
    },
    .jvp = jvp_linear,
    .transpose = [](const Primitive&, const Cotangents& ct, const LinearOperands&, const EqnParams&) -> Cotangents {
      return {ct[0], ct[0]};
    },
    .batching = batch_elementwise,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values { return {b.add(x[0], x[1])}; },
};
Array add_any(const Operand& x, const Operand& y) { return apply(add_any_p, x, y); }

}  // namespace tenon::lax
