// stack: arrays side by side along a new axis.
#include "ops/rules.h"

namespace tenon::lax {

static Shape inserted(Shape shape, int64_t axis, int64_t size) {
  std::vector<int64_t> dims = shape.dims();
  dims.insert(dims.begin() + axis, size);
  return Shape(std::move(dims));
}

constinit const Primitive stack_p{
    .name = "stack",
    .abstract_eval = [](const Avals& in, const EqnParams& params) -> Avals {
      if (in.empty()) fail<ValueError>("stack", "takes at least one array; got none");
      check_same_dtype("stack", in);
      for (const Aval& x : in)
        if (x.shape != in[0].shape) fail<ValueError>("stack", "arrays must have the same shape; got ", in);
      const int64_t axis = params.get<int64_t>("axis");
      if (axis < 0 || axis > in[0].ndim()) fail<ValueError>("stack", "axis ", axis, " is out of range; got ", in);
      return {{inserted(in[0].shape, axis, static_cast<int64_t>(in.size())), in[0].dtype, all_weak(in)}};
    },
    // Each operand gets the new axis, then they are concatenated.
    .lowering = [](StablehloBuilder& b, const Values& xs, const EqnParams& params) -> Values {
      const int64_t axis = params.get<int64_t>("axis");
      const Shape shape = xs[0].aval().shape;
      Axes dims;
      for (int64_t i = 0; i <= shape.ndim(); ++i)
        if (i != axis) dims.push_back(i);
      Values parts;
      for (const Value& x : xs) parts.push_back(b.broadcast_in_dim(x, inserted(shape, axis, 1), dims));
      return concatenate_p.lowering(b, parts, {{"dimension", axis}});
    },
};

Array stack(const Arrays& xs, int axis, Loc loc) {
  detail::SiteScope site(loc);
  const int ndim = xs.empty() ? 0 : xs[0].ndim();
  return bind(stack_p, xs, {{"axis", canonical_axis("stack", axis, ndim + 1)}});
}

}  // namespace tenon::lax
