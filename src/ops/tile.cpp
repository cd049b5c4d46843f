// tile: the array repeated along each axis.
#include "base/checked.h"
#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

static Shape tiled_shape(const Shape& shape, const Shape& reps) {
  Shape out;
  for (size_t i = 0; i < shape.size(); ++i) out.push_back(checked_product("tile", shape[i], reps[i]));
  return out;
}

// (r * a, s * b) -> (r, a, s, b) -> (a, b)
static Array transpose_tile(const Array& ct, const LinearOperand& x, const EqnParams& params) {
  const auto& reps = params.get<Shape>("reps");
  Shape parts;
  Axes repeated;
  for (int axis = 0; axis < x.aval.ndim(); ++axis) {
    repeated.push_back(2 * axis);
    parts.push_back(reps[axis]);
    parts.push_back(x.aval.shape[axis]);
  }
  return reduce_sum(reshape(ct, parts), repeated);
}

static BatchResult batch_tile(const Primitive&, const BatchAxis&, const Arrays& operands, const std::vector<int>& axes,
                              const EqnParams& params) {
  std::vector<int64_t> reps = params.get<Shape>("reps").dims();
  reps.insert(reps.begin() + axes[0], 1);
  return {{tile(operands[0], Shape(std::move(reps)))}, axes};
}

constinit const Primitive tile_p{
    .name = "tile",
    .abstract_eval = [](const Avals& in, const EqnParams& params) -> Avals {
      check_count("tile", in, 1);
      const auto& reps = params.get<Shape>("reps");
      if (reps.size() != in[0].shape.size())
        fail<ShapeError>("tile", "reps must have one entry for each axis; got ", reps, " for ", in[0]);
      for (int64_t rep : reps)
        if (rep < 0) fail<ShapeError>("tile", "reps must not be negative; got ", reps);
      Shape shape = tiled_shape(in[0].shape, reps);
      shape.num_elements();  // throws when it does not fit
      return {in[0].with_shape(shape)};
    },
    .jvp = jvp_linear,
    .transpose = transpose_unary<transpose_tile>,
    .batching = batch_tile,
    // (a, b) -> (1, a, 1, b) -> (r, a, s, b) -> (r * a, s * b)
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams& params) -> Values {
      const auto& reps = params.get<Shape>("reps");
      const Shape shape = x[0].aval().shape;
      Shape expanded, repeated;
      Axes dims;
      for (size_t i = 0; i < shape.size(); ++i) {
        expanded.push_back(1);
        expanded.push_back(shape[i]);
        repeated.push_back(reps[i]);
        repeated.push_back(shape[i]);
        dims.push_back(static_cast<int64_t>(2 * i));
        dims.push_back(static_cast<int64_t>(2 * i + 1));
      }
      Value y = b.broadcast_in_dim(b.reshape(x[0], expanded), repeated, dims);
      return {b.reshape(y, tiled_shape(shape, reps))};
    },
};

Array tile(const Operand& x, const Shape& reps) { return apply(tile_p, x, {{"reps", reps}}); }

}  // namespace tenon::lax
