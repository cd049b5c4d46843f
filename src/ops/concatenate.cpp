// concatenate: arrays one after the other along an axis.
#include "base/checked.h"
#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

static Avals concatenate_abstract_eval(const Avals& in, const EqnParams& params) {
  const char* who = "concatenate";
  if (in.empty()) fail<TypeError>(who, "takes at least one array; got none");
  check_same_dtype(who, in);
  const int64_t dimension = params.get<int64_t>("dimension");
  if (dimension < 0 || dimension >= in[0].ndim())
    fail<TypeError>(who, "dimension ", dimension, " is out of range; got ", in);
  Shape shape = in[0].shape;
  for (size_t k = 1; k < in.size(); ++k) {
    if (in[k].ndim() != shape.ndim()) fail<ShapeError>(who, "arrays must have the same number of dimensions; got ", in);
    for (int axis = 0; axis < shape.ndim(); ++axis)
      if (axis != dimension && in[k].shape[axis] != shape[axis])
        fail<ShapeError>(who, "shapes may differ along dimension ", dimension, " only; got ", in);
    shape[dimension] = checked_sum(who, shape[dimension], in[k].shape[dimension]);
  }
  return {{shape, in[0].dtype, all_weak(in)}};
}

// At most 16 operands at once: compilers are slow on wide ones.
static Value lower_tree(StablehloBuilder& b, Values xs, int64_t dimension) {
  constexpr size_t kWidth = 16;
  while (xs.size() > 1) {
    Values next;
    for (size_t i = 0; i < xs.size(); i += kWidth) {
      Values part(xs.begin() + i, xs.begin() + std::min(i + kWidth, xs.size()));
      next.push_back(part.size() == 1 ? part[0] : b.concatenate(part, dimension));
    }
    xs = std::move(next);
  }
  return xs[0];
}

static Cotangents transpose_concatenate(const Primitive&, const Cotangents& cotangents, const LinearOperands& operands,
                                        const EqnParams& params) {
  const int64_t dimension = params.get<int64_t>("dimension");
  std::vector<int64_t> sizes;
  for (const LinearOperand& operand : operands) sizes.push_back(operand.aval.shape[dimension]);
  Cotangents out;
  for (const Array& part : split(cotangents[0].value(), sizes, static_cast<int>(dimension))) out.emplace_back(part);
  return out;
}

static BatchResult batch_concatenate(const Primitive&, const BatchAxis& axis, const Arrays& operands, const std::vector<int>& axes,
                                     const EqnParams& params) {
  Arrays parts;
  for (size_t i = 0; i < operands.size(); ++i) parts.push_back(batch_at_front(operands[i], axes[i], axis.size));
  return {{concatenate(parts, static_cast<int>(params.get<int64_t>("dimension")) + 1)}, {0}};
}

constinit const Primitive concatenate_p{
    .name = "concatenate",
    .abstract_eval = concatenate_abstract_eval,
    .jvp = jvp_linear,
    .transpose = transpose_concatenate,
    .batching = batch_concatenate,
    .lowering = [](StablehloBuilder& b, const Values& xs, const EqnParams& params) -> Values {
      return {lower_tree(b, xs, params.get<int64_t>("dimension"))};
    },
};

Array concatenate(const Arrays& xs, int dimension, Loc loc) {
  detail::SiteScope site(loc);
  if (xs.size() == 1) return xs[0];
  return bind(concatenate_p, xs, {{"dimension", dimension}});
}

}  // namespace tenon::lax
