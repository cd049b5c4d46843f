// squeeze: without some axes of size 1.
#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

static Shape squeezed_shape(const Aval& x, const Axes& dimensions) {
  check_axes("squeeze", "dimension", dimensions, x.ndim());
  Shape shape;
  for (int axis = 0; axis < x.ndim(); ++axis) {
    if (!dimensions.contains(axis)) shape.push_back(x.shape[axis]);
    else if (x.shape[axis] != 1)
      fail<ValueError>("squeeze", "axis ", axis, " has size ", x.shape[axis], ", only axes of size 1 can go; got ", x,
                       " and dimensions ", dimensions);
  }
  return shape;
}

constinit const Primitive squeeze_p{
    .name = "squeeze",
    .abstract_eval = [](const Avals& in, const EqnParams& params) -> Avals {
      check_count("squeeze", in, 1);
      return {in[0].with_shape(squeezed_shape(in[0], params.get<Axes>("dimensions")))};
    },
    .jvp = jvp_linear,
    .transpose = transpose_unary<[](const Array& ct, const LinearOperand&, const EqnParams& params) {
      return expand_dims(ct, params.get<Axes>("dimensions"));
    }>,
    .batching = [](const Primitive&, const BatchAxis&, const Arrays& x, const std::vector<int>& axes, const EqnParams& params) -> BatchResult {
      return {{squeeze(move_axis(x[0], axes[0], 0), batched_axes(params.get<Axes>("dimensions"), 0))}, {0}};
    },
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams& params) -> Values {
      return {b.reshape(x[0], squeezed_shape(x[0].aval(), params.get<Axes>("dimensions")))};
    },
};

Array squeeze(const Operand& x, const Axes& dimensions) {
  if (dimensions.empty()) return x.value;
  std::vector<int64_t> sorted = canonical_axes("squeeze", dimensions, x.value.ndim()).values();
  std::ranges::sort(sorted);
  return apply(squeeze_p, x, {{"dimensions", Axes(sorted)}});
}

}  // namespace tenon::lax
