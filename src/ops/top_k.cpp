// top_k: the k largest elements along an axis, largest first, and where they are. Of equal ones the
// first; NaN is larger than infinity, 0.0 larger than -0.0.
#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/gather_scatter.h"
#include "ops/rules.h"

namespace tenon::lax {

static Avals top_k_abstract_eval(const Avals& in, const EqnParams& params) {
  check_count("top_k", in, 1);
  check_kind("top_k", in[0], kOrdered);
  const int64_t axis = params.get<int64_t>("axis"), k = params.get<int64_t>("k");
  if (axis < 0 || axis >= in[0].ndim()) fail<ValueError>("top_k", "axis ", axis, " is out of bounds for ", in[0]);
  if (k < 0 || k > in[0].shape[axis])
    fail<ValueError>("top_k", "k must be in 0 .. ", in[0].shape[axis], "; got ", k, " for ", in[0]);
  Shape shape = in[0].shape;
  shape[axis] = k;
  return {{shape, in[0].dtype, in[0].weak_type}, {shape, DType(DType::kInt32), false}};
}

static JvpResult jvp_top_k(const Primitive& self, const Arrays& primals, const Tangents& tangents, const EqnParams& params) {
  const Arrays found = bind_all(self, primals, params);
  Shape shape = found[1].shape();
  shape.push_back(1);
  const Array indices = reshape(found[1], shape);
  const Array tangent = take_along(tangents[0].value(), indices, static_cast<int>(params.get<int64_t>("axis")));
  return {found, {tangent, zero_like(found[1])}};
}

constinit const Primitive top_k_p{
    .name = "top_k",
    .abstract_eval = top_k_abstract_eval,
    .jvp = jvp_top_k,
    .batching = [](const Primitive& self, const BatchAxis&, const Arrays& x, const std::vector<int>& axes, const EqnParams& params) -> BatchResult {
      return {bind_all(self, x, params.with("axis", batched_axis(params.get<int64_t>("axis"), axes[0]))), {axes[0], axes[0]}};
    },
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams& params) -> Values {
      const int ndim = x[0].aval().ndim();
      const int64_t axis = params.get<int64_t>("axis"), k = params.get<int64_t>("k");
      const bool is_stable = params.get<bool>("is_stable");
      if (axis == ndim - 1) return b.chlo_top_k(x[0], k, is_stable);
      std::vector<int64_t> swap;  // its own inverse
      for (int i = 0; i < ndim; ++i) swap.push_back(i == axis ? ndim - 1 : i == ndim - 1 ? axis : i);
      Values found = b.chlo_top_k(b.transpose(x[0], swap), k, is_stable);
      return {b.transpose(found[0], swap), b.transpose(found[1], swap)};
    },
};

Arrays top_k(const Operand& x, int64_t k, int axis) {
  detail::SiteScope site(x.loc);
  return bind_all(top_k_p, {x.value}, {{"axis", canonical_axis("top_k", axis, x.value.ndim())}, {"is_stable", true}, {"k", k}});
}

}  // namespace tenon::lax
