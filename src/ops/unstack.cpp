// unstack: the arrays that stand side by side along an axis, which they lack.
#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

static Shape without(const Shape& shape, int64_t axis) {
  std::vector<int64_t> dims = shape.dims();
  dims.erase(dims.begin() + axis);
  return Shape(std::move(dims));
}

constinit const Primitive unstack_p{
    .name = "unstack",
    .abstract_eval = [](const Avals& in, const EqnParams& params) -> Avals {
      check_count("unstack", in, 1);
      const int64_t axis = params.get<int64_t>("axis");
      check_axes("unstack", "axis", Axes(std::vector<int64_t>{axis}), in[0].ndim());
      return Avals(static_cast<size_t>(in[0].shape[axis]), in[0].with_shape(without(in[0].shape, axis)));
    },
    .jvp = jvp_linear,
    .transpose = [](const Primitive&, const Cotangents& cotangents, const LinearOperands&, const EqnParams& params) -> Cotangents {
      Arrays parts;
      for (const Cotangent& ct : cotangents) parts.push_back(instantiate(ct));
      return {stack(parts, static_cast<int>(params.get<int64_t>("axis")))};
    },
    .batching = [](const Primitive& self, const BatchAxis&, const Arrays& x, const std::vector<int>& axes, const EqnParams& params) -> BatchResult {
      const int64_t axis = params.get<int64_t>("axis");
      const Arrays parts = bind_all(self, x, {{"axis", batched_axis(axis, axes[0])}});
      return {parts, std::vector<int>(parts.size(), axis < axes[0] ? axes[0] - 1 : axes[0])};
    },
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams& params) -> Values {
      const int64_t axis = params.get<int64_t>("axis");
      Shape limit = x[0].aval().shape;
      const Shape shape = without(limit, axis);
      const int64_t count = limit[axis];
      Shape start(std::vector<int64_t>(limit.size(), 0)), strides(std::vector<int64_t>(limit.size(), 1));
      Values out;
      for (int64_t i = 0; i < count; ++i) {
        start[axis] = i;
        limit[axis] = i + 1;
        out.push_back(b.reshape(b.slice(x[0], start, limit, strides), shape));
      }
      return out;
    },
};

Arrays unstack(const Operand& x, int axis) {
  detail::SiteScope site(x.loc);
  return bind_all(unstack_p, {x.value}, {{"axis", canonical_axis("unstack", axis, x.value.ndim())}});
}

}  // namespace tenon::lax
