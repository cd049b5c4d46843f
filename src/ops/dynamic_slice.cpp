// dynamic_slice: a block of known sizes at a traced position.
#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/gather_scatter.h"
#include "ops/rules.h"
#include "ops/start_indices.h"

namespace tenon::lax {

static Avals dynamic_slice_abstract_eval(const Avals& in, const EqnParams& params) {
  const char* who = "dynamic_slice";
  if (in.empty()) fail<TypeError>(who, "takes an operand and its indices; got nothing");
  const auto& sizes = params.get<Shape>("slice_sizes");
  if (in.size() != in[0].shape.size() + 1 || sizes.size() != in[0].shape.size())
    fail<ShapeError>(who, "needs one index and one size for each axis; got ", in.size() - 1, " indices and slice_sizes ",
                     sizes, " for ", in[0]);
  for (size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i] < 0 || sizes[i] > in[0].shape[i])
      fail<ShapeError>(who, "0 <= slice size <= size must hold along axis ", i, "; got slice_sizes ", sizes, " for ", in[0]);
  check_start_indices(who, in, 1);
  return {in[0].with_shape(sizes)};
}

static JvpResult jvp_dynamic_slice(const Primitive& self, const Arrays& primals, const Tangents& tangents, const EqnParams& params) {
  Arrays operands = primals;
  operands[0] = instantiate(tangents[0]);
  const Array tangent = bind(self, operands, params);
  return {{bind(self, primals, params)}, {tangent}};
}

static Cotangents transpose_dynamic_slice(const Primitive&, const Cotangents& cotangents, const LinearOperands& operands,
                                          const EqnParams&) {
  const Array& ct = cotangents[0].value();
  Arrays updated = {full(operands[0].aval.shape, 0, ct.dtype()), ct};
  Cotangents out(operands.size(), Cotangent::zero(operands[0].aval));
  for (size_t i = 1; i < operands.size(); ++i) updated.push_back(operands[i].value);
  out[0] = bind(dynamic_update_slice_p, updated);
  return out;
}

// A gather of one window.
static BatchResult batch_dynamic_slice(const Primitive&, const BatchAxis& axis, const Arrays& operands, const std::vector<int>& axes,
                                       const EqnParams& params) {
  const auto [indices, mapped] = batched_index_vector(Arrays(operands.begin() + 1, operands.end()),
                                                      std::vector<int>(axes.begin() + 1, axes.end()), axis.size);
  Axes all;
  for (size_t i = 1; i < operands.size(); ++i) all.push_back(static_cast<int64_t>(i - 1));
  const EqnParams window =
      gather_params({all, {}, all}, params.get<Shape>("slice_sizes"), GatherScatterMode::clip, {}, true, true);
  return gather_p.batching(gather_p, axis, {operands[0], indices}, {axes[0], mapped}, window);
}

constinit const Primitive dynamic_slice_p{
    .name = "dynamic_slice",
    .abstract_eval = dynamic_slice_abstract_eval,
    .jvp = jvp_dynamic_slice,
    .transpose = transpose_dynamic_slice,
    .batching = batch_dynamic_slice,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams& params) -> Values {
      return {b.dynamic_slice(x[0], Values(x.begin() + 1, x.end()), params.get<Shape>("slice_sizes"))};
    },
};

Array dynamic_slice(const Operand& x, const Arrays& start_indices, const Shape& slice_sizes) {
  detail::SiteScope site(x.loc);
  Arrays operands = {x.value};
  const Shape shape = x.value.shape();
  if (start_indices.size() != shape.size())
    fail<ValueError>("dynamic_slice", "needs one index for each axis; got ", start_indices.size(), " for ", x.value.aval());
  for (size_t i = 0; i < start_indices.size(); ++i) operands.push_back(from_the_end(start_indices[i], shape[i]));
  return bind(dynamic_slice_p, operands, {{"slice_sizes", slice_sizes}});
}

}  // namespace tenon::lax
