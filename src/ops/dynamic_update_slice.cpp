// dynamic_update_slice: an array with a block replaced, at a traced position.
#include "ops/batch.h"
#include "ops/convert.h"
#include "ops/differentiate.h"
#include "ops/gather_scatter.h"
#include "ops/rules.h"
#include "ops/start_indices.h"

namespace tenon::lax {

static Avals dynamic_update_slice_abstract_eval(const Avals& in, const EqnParams&) {
  const char* who = "dynamic_update_slice";
  if (in.size() < 2) fail<TypeError>(who, "takes an operand, an update and indices; got ", in.size(), " operands");
  const Aval &x = in[0], &update = in[1];
  if (x.dtype != update.dtype)
    fail<TypeError>(who, "the update must have the dtype of the operand; got ", Avals{x, update}, "; convert it");
  if (x.ndim() != update.ndim())
    fail<ShapeError>(who, "the update must have as many axes as the operand; got ", Avals{x, update});
  if (in.size() != x.shape.size() + 2)
    fail<ShapeError>(who, "needs one index for each axis; got ", in.size() - 2, " for ", x);
  for (int axis = 0; axis < x.ndim(); ++axis)
    if (update.shape[axis] > x.shape[axis])
      fail<ShapeError>(who, "the update is larger than the operand along axis ", axis, "; got ", Avals{x, update});
  check_start_indices(who, in, 2);
  return {x};
}

static JvpResult jvp_dynamic_update_slice(const Primitive& self, const Arrays& primals, const Tangents& tangents, const EqnParams& params) {
  const Array result = bind(self, primals, params);
  Arrays operands = primals;
  operands[0] = instantiate(tangents[0]);
  operands[1] = instantiate(tangents[1]);
  return {{result}, {bind(self, operands, params)}};
}

static Cotangents transpose_dynamic_update_slice(const Primitive& self, const Cotangents& cotangents, const LinearOperands& operands,
                                                 const EqnParams& params) {
  const Array& ct = cotangents[0].value();
  Arrays updated = {ct, full(operands[1].aval.shape, 0, ct.dtype())}, read = {ct};
  for (size_t i = 2; i < operands.size(); ++i) {
    updated.push_back(operands[i].value);
    read.push_back(operands[i].value);
  }
  Cotangents out(operands.size(), Cotangent::zero(operands[0].aval));
  if (operands[0].linear) out[0] = bind(self, updated, params);
  if (operands[1].linear) out[1] = bind(dynamic_slice_p, read, {{"slice_sizes", operands[1].aval.shape}});
  return out;
}

// Of keys, whose words have one axis more.
static BatchResult batch_key_update(const Primitive& self, const BatchAxis& axis, const Arrays& operands,
                                    const std::vector<int>& axes, const EqnParams& params) {
  Arrays words = operands;
  std::vector<int> words_axes = axes;
  for (size_t i = 0; i < 2; ++i) words[i] = bind(random_unwrap_p, {operands[i]});
  words.push_back(operands.size() > 2 ? convert_type(Array(0), operands[2].dtype(), false) : Array(jnp::int32(0)));
  words_axes.push_back(kNotMapped);
  const BatchResult out = self.batching(self, axis, words, words_axes, params);
  return {{bind(random_wrap_p, {out.values[0]}, {{"impl", "fry"}})}, out.axes};
}

// A scatter of one window.
static BatchResult batch_dynamic_update_slice(const Primitive& self, const BatchAxis& axis, const Arrays& operands,
                                              const std::vector<int>& axes, const EqnParams& params) {
  if (operands[0].dtype().is_prng_key()) return batch_key_update(self, axis, operands, axes, params);
  const auto [indices, mapped] = batched_index_vector(Arrays(operands.begin() + 2, operands.end()),
                                                      std::vector<int>(axes.begin() + 2, axes.end()), axis.size);
  Axes all;
  for (size_t i = 2; i < operands.size(); ++i) all.push_back(static_cast<int64_t>(i - 2));
  ScatterOptions options;
  options.indices_are_sorted = options.unique_indices = true;
  options.mode = GatherScatterMode::clip;
  return scatter_p.batching(scatter_p, axis, {operands[0], indices, operands[1]}, {axes[0], mapped, axes[1]},
                            scatter_params({all, {}, all}, options, Param()));
}

constinit const Primitive dynamic_update_slice_p{
    .name = "dynamic_update_slice",
    .abstract_eval = dynamic_update_slice_abstract_eval,
    .jvp = jvp_dynamic_update_slice,
    .transpose = transpose_dynamic_update_slice,
    .batching = batch_dynamic_update_slice,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams&) -> Values {
      return {b.dynamic_update_slice(x[0], x[1], Values(x.begin() + 2, x.end()))};
    },
};

Array dynamic_update_slice(const Operand& x, const Operand& update, const Arrays& start_indices) {
  detail::SiteScope site(x.loc);
  const Shape shape = x.value.shape();
  if (start_indices.size() != shape.size())
    fail<ValueError>("dynamic_update_slice", "needs one index for each axis; got ", start_indices.size(), " for ",
                     x.value.aval());
  Arrays operands = {x.value, update.value};
  for (size_t i = 0; i < start_indices.size(); ++i) operands.push_back(from_the_end(start_indices[i], shape[i]));
  return bind(dynamic_update_slice_p, operands);
}

}  // namespace tenon::lax
