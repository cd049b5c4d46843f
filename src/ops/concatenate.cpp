// concatenate: arrays one after the other along an axis.
#include "base/checked.h"
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

constinit const Primitive concatenate_p{
    .name = "concatenate",
    .abstract_eval = concatenate_abstract_eval,
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
