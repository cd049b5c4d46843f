// clamp: x moved into [low, high].
#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

// A bound may be a scalar, and so is its tangent then. (JAX: a TypeError.)
static Array clamp_jvp_low(const Array& g, const Array&, const Arrays& x, const EqnParams&) {
  const Array below = gt(x[0], x[1]);
  const Array raised = bitwise_and(below, lt(x[0], x[2]));
  return select(raised, broadcast_like(g, x[1]), full_like(x[1], 0));
}
static Array clamp_jvp_x(const Array& g, const Array&, const Arrays& x, const EqnParams&) {
  const Array above = gt(x[1], x[0]);
  const Array inside = bitwise_and(above, lt(x[1], x[2]));
  return select(inside, g, full_like(x[1], 0));
}
// Where the bounds have crossed the result is the upper one. (JAX: no derivative there.)
static Array clamp_jvp_high(const Array& g, const Array&, const Arrays& x, const EqnParams&) {
  const Array crossed = bitwise_and(gt(x[0], x[1]), ge(x[0], x[2]));
  const Array lowered = bitwise_or(lt(x[2], x[1]), crossed);
  return select(lowered, broadcast_like(g, x[1]), full_like(x[1], 0));
}
// Bounds have the operand's shape or none: one that has an axis of its own is repeated along the others.
static BatchResult clamp_batching(const Primitive& self, const BatchAxis& axis, const Arrays& operands, const std::vector<int>& axes,
                                  const EqnParams& params) {
  Arrays x = operands;
  const bool scalar_bounds = x[0].ndim() == 0 && x[2].ndim() == 0;
  const bool agree = axes[0] == axes[1] && axes[1] == axes[2] && x[0].shape() == x[1].shape() && x[1].shape() == x[2].shape();
  if (agree || (scalar_bounds && axes[1] != kNotMapped)) return {{bind(self, x, params)}, {axes[1]}};
  for (size_t i = 0; i < 3; ++i)
    if (x[i].ndim() > 0) x[i] = batch_at_front(x[i], axes[i], axis.size);
  Shape shape = x[1].shape();
  for (size_t i : {0, 2})
    if (x[i].ndim() > shape.ndim()) shape = x[i].shape();
  for (Array& operand : x) {
    if (operand.shape() == shape) continue;
    operand = operand.ndim() == 0 ? broadcast_in_dim(operand, shape, {}) : broadcast_in_dim(operand, shape, {0});
  }
  return {{bind(self, x, params)}, {0}};
}
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
    .jvp = jvp_by_operand<clamp_jvp_low, clamp_jvp_x, clamp_jvp_high>,
    .batching = clamp_batching,
    .lowering = [](StablehloBuilder& b, const Values& operands, const EqnParams&) -> Values {
      Values x = broadcast_values(b, operands);
      return {b.clamp(x[0], x[1], x[2])};
    },
};
Array clamp(const Operand& low, const Operand& x, const Operand& high) { return apply(clamp_p, low, x, high); }

}  // namespace tenon::lax
