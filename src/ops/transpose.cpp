// transpose: axes in another order.
#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

static bool is_permutation(const Axes& axes, int ndim) {
  if (static_cast<int>(axes.size()) != ndim) return false;
  std::vector<bool> seen(ndim);
  for (int64_t axis : axes) {
    if (axis < 0 || axis >= ndim || seen[axis]) return false;
    seen[axis] = true;
  }
  return true;
}

constinit const Primitive transpose_p{
    .name = "transpose",
    .abstract_eval = [](const Avals& in, const EqnParams& params) -> Avals {
      check_count("transpose", in, 1);
      const auto& permutation = params.get<Axes>("permutation");
      if (!is_permutation(permutation, in[0].ndim()))
        fail<ShapeError>("transpose", "permutation must hold each axis of the operand once; got permutation ", permutation,
                         " for ", in[0]);
      Shape shape;
      for (int64_t axis : permutation) shape.push_back(in[0].shape[axis]);
      return {in[0].with_shape(shape)};
    },
    .jvp = jvp_linear,
    .transpose = transpose_unary<[](const Array& ct, const LinearOperand&, const EqnParams& params) {
      const auto& permutation = params.get<Axes>("permutation");
      Axes inverse = permutation;
      for (size_t i = 0; i < permutation.size(); ++i) inverse[permutation[i]] = static_cast<int64_t>(i);
      return transpose(ct, inverse);
    }>,
    .batching = [](const Primitive&, const BatchAxis&, const Arrays& x, const std::vector<int>& axes, const EqnParams& params) -> BatchResult {
      Axes permutation(axes[0]);
      for (int64_t axis : params.get<Axes>("permutation")) permutation.push_back(batched_axis(axis, axes[0]));
      return {{transpose(x[0], permutation)}, {0}};
    },
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams& params) -> Values {
      return {b.transpose(x[0], params.get<Axes>("permutation"))};
    },
};

Array transpose(const Operand& x, const Axes& permutation) {
  bool identity = static_cast<int>(permutation.size()) == x.value.ndim();
  for (size_t i = 0; i < permutation.size(); ++i) identity &= permutation[i] == static_cast<int64_t>(i);
  if (identity) return x.value;
  return apply(transpose_p, x, {{"permutation", permutation}});
}

}  // namespace tenon::lax
