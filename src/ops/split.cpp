// split: parts of given sizes along an axis; several results.
#include "base/checked.h"
#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/rules.h"

namespace tenon::lax {

constinit const Primitive split_p{
    .name = "split",
    .abstract_eval = [](const Avals& in, const EqnParams& params) -> Avals {
      check_count("split", in, 1);
      const auto& sizes = params.get<Shape>("sizes");
      const int64_t axis = params.get<int64_t>("axis");
      check_axes("split", "axis", Axes(std::vector<int64_t>{axis}), in[0].ndim());
      Avals out;
      int64_t total = 0;
      for (int64_t size : sizes) {
        if (size < 0) fail<ValueError>("split", "sizes must not be negative; got ", sizes);
        total = checked_sum("split", total, size);
        out.push_back(in[0]);
        out.back().shape[axis] = size;
      }
      if (total != in[0].shape[axis])
        fail<ValueError>("split", "sizes must add up to the size of axis ", axis, "; got sizes ", sizes, " for ", in[0]);
      return out;
    },
    .jvp = jvp_linear,
    .transpose = [](const Primitive&, const Cotangents& cotangents, const LinearOperands&, const EqnParams& params) -> Cotangents {
      Arrays parts;
      for (const Cotangent& ct : cotangents) parts.push_back(instantiate(ct));
      return {concatenate(parts, static_cast<int>(params.get<int64_t>("axis")))};
    },
    .batching = [](const Primitive& self, const BatchAxis&, const Arrays& x, const std::vector<int>& axes, const EqnParams& params) -> BatchResult {
      const Arrays parts = bind_all(self, x, params.with("axis", batched_axis(params.get<int64_t>("axis"), axes[0])));
      return {parts, std::vector<int>(parts.size(), axes[0])};
    },
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams& params) -> Values {
      const int64_t axis = params.get<int64_t>("axis");
      Shape limit = x[0].aval().shape;
      Shape start(std::vector<int64_t>(limit.size(), 0)), strides(std::vector<int64_t>(limit.size(), 1));
      Values out;
      for (int64_t size : params.get<Shape>("sizes")) {
        limit[axis] = start[axis] + size;
        out.push_back(b.slice(x[0], start, limit, strides));
        start[axis] = limit[axis];
      }
      return out;
    },
};

Arrays split(const Operand& x, const std::vector<int64_t>& sizes, int axis) {
  detail::SiteScope site(x.loc);
  return bind_all(split_p, {x.value}, {{"axis", canonical_axis("split", axis, x.value.ndim())}, {"sizes", Shape(sizes)}});
}

}  // namespace tenon::lax
