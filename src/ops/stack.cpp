// stack: arrays side by side along a new axis.
#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

static Shape inserted(Shape shape, int64_t axis, int64_t size) {
  std::vector<int64_t> dims = shape.dims();
  dims.insert(dims.begin() + axis, size);
  return Shape(std::move(dims));
}

static BatchResult batch_stack(const Primitive& self, const BatchAxis& axis, const Arrays& operands, const std::vector<int>& axes,
                               const EqnParams& params) {
  const int64_t new_axis = params.get<int64_t>("axis");
  const int mapped = axes[0];
  if (mapped != kNotMapped && std::ranges::count(axes, mapped) == std::ssize(axes)) {
    const bool before = new_axis <= mapped;
    return {{bind(self, operands, {{"axis", before ? new_axis : new_axis + 1}})}, {before ? mapped + 1 : mapped}};
  }
  Arrays parts;
  for (size_t i = 0; i < operands.size(); ++i) parts.push_back(batch_at_front(operands[i], axes[i], axis.size));
  return {{bind(self, parts, {{"axis", new_axis + 1}})}, {0}};
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
    .jvp = jvp_linear,
    .transpose = [](const Primitive&, const Cotangents& ct, const LinearOperands&, const EqnParams& params) -> Cotangents {
      const Arrays parts = unstack(ct[0].value(), static_cast<int>(params.get<int64_t>("axis")));
      return Cotangents(parts.begin(), parts.end());
    },
    .batching = batch_stack,
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
