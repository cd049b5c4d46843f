// scatter and its kin: an array with windows of updates written at, or combined with what is at,
// positions that an array of index vectors holds. Updates are applied in row-major order of the
// indices, so the result does not depend on threads.
#include "ops/body.h"
#include "ops/scatter_rules.h"
#include "ops/rules.h"
#include "tenon/detail/jitted.h"

namespace tenon::lax {

std::string ScatterDimensionNumbers::str() const {
  return detail::text("ScatterDimensionNumbers(update_window_dims=", update_window_dims,
                      ", inserted_window_dims=", inserted_window_dims,
                      ", scatter_dims_to_operand_dims=", scatter_dims_to_operand_dims,
                      ", operand_batching_dims=", operand_batching_dims,
                      ", scatter_indices_batching_dims=", scatter_indices_batching_dims, ")");
}

// Size of the window along each axis of the operand: that of the update, 1 where the update lacks it.
static Shape window_sizes(const Aval& x, const Aval& updates, const ScatterDimensionNumbers& dims) {
  Shape sizes;
  size_t next = 0;
  for (int axis = 0; axis < x.ndim(); ++axis) {
    const bool lacks = dims.inserted_window_dims.contains(axis) || dims.operand_batching_dims.contains(axis);
    sizes.push_back(lacks ? 1 : updates.shape[dims.update_window_dims[next++]]);
  }
  return sizes;
}

static void check_scatter(const char* who, const Avals& in, const ScatterDimensionNumbers& dims) {
  const Aval &x = in[0], &indices = in[1], &updates = in[2];
  if (!indices.dtype.is_integer()) fail<TypeError>(who, "indices must be integers; got ", indices);
  if (x.dtype != updates.dtype)
    fail<TypeError>(who, "the updates must have the dtype of the operand; got ", Avals{x, updates}, "; convert them");
  if (indices.shape.empty()) fail<ShapeError>(who, "indices need a last axis that holds index vectors; got ", indices);
  check_axes(who, "update window dimension", dims.update_window_dims, updates.ndim());
  check_axes(who, "inserted window dimension", dims.inserted_window_dims, x.ndim());
  check_axes(who, "scatter_dims_to_operand_dims entry", dims.scatter_dims_to_operand_dims, x.ndim());
  check_axes(who, "operand batching dimension", dims.operand_batching_dims, x.ndim());
  check_axes(who, "indices batching dimension", dims.scatter_indices_batching_dims, indices.ndim() - 1);
  if (dims.operand_batching_dims.size() != dims.scatter_indices_batching_dims.size())
    fail<ShapeError>(who, "batching dimensions must come in pairs; got ", dims);
  if (static_cast<int64_t>(dims.scatter_dims_to_operand_dims.size()) != indices.shape.back())
    fail<ShapeError>(who, "scatter_dims_to_operand_dims must have one entry for each index of a vector; got ", dims,
                     " for indices ", indices);
  const size_t window = dims.update_window_dims.size();
  if (window + dims.inserted_window_dims.size() + dims.operand_batching_dims.size() != x.shape.size())
    fail<ShapeError>(who, "each axis of the operand must be in the window, inserted or batching; got ", dims, " for ", x);
  if (updates.shape.size() != window + indices.shape.size() - 1)
    fail<ShapeError>(who, "the updates must have an axis for each window dimension and for each axis of the indices but the last; got ",
                     in, " and ", dims);
  const Shape sizes = window_sizes(x, updates, dims);
  for (int axis = 0; axis < x.ndim(); ++axis)
    if (sizes[axis] > x.shape[axis] && !dims.inserted_window_dims.contains(axis) && updates.shape.num_elements() > 0)
      fail<ShapeError>(who, "the window is larger than the operand along axis ", axis, "; got ", in, " and ", dims);
  int next = 0;
  for (int axis = 0; axis < updates.ndim(); ++axis) {
    if (dims.update_window_dims.contains(axis)) continue;
    if (updates.shape[axis] != indices.shape[next])
      fail<ShapeError>(who, "axis ", axis, " of the updates must have the size of axis ", next, " of the indices; got ", in);
    ++next;
  }
}

template <Name name>
static Avals scatter_rule(const Avals& in, const EqnParams& params) {
  check_count(name.text, in, 3);
  const bool writes = params.at("update_jaxpr").is_none();  // keys can be written, and not combined
  check_kind(name.text, in[0], writes ? kAny | kKey : kAny);
  check_scatter(name.text, in, params.get<ScatterDimensionNumbers>("dimension_numbers"));
  if (const Param& body = params.at("update_jaxpr"); body.is<Jaxpr>()) {  // where its operation refuses the dtype
    for (const Eqn& eqn : body.get<Jaxpr>().eqns()) {
      Avals operands;
      for (const Var& var : eqn.invars()) operands.push_back(var.aval());
      eqn.primitive().abstract_eval(operands, eqn.params());
    }
  }
  return {{in[0].shape, in[0].dtype, in[0].weak_type && in[2].weak_type}};
}

// Mode clip: clamp(0, indices, size - window), in the type of the indices.
static Value clipped(StablehloBuilder& b, const Value& indices, const Aval& x, const Shape& sizes,
                     const ScatterDimensionNumbers& dims) {
  const Aval aval = indices.aval();
  const DType dtype = aval.dtype, bound_dtype(dtype.itemsize() == 8 ? DType::kInt64 : DType::kInt32);
  std::vector<int64_t> bounds;
  for (int64_t axis : dims.scatter_dims_to_operand_dims) bounds.push_back(x.shape[axis] - sizes[axis]);
  const int bits = std::min(dtype.bits(), bound_dtype.bits());
  const int64_t greatest = static_cast<int64_t>(~uint64_t{0} >> (64 - bits + (dtype.is_signed() || bits == bound_dtype.bits())));
  Value upper = b.constant_integers(bounds, bound_dtype);
  upper = b.minimum(upper, full_integer_value(b, greatest, upper.aval()));
  if (dtype != bound_dtype) upper = b.convert(upper, dtype);
  if (upper.aval().shape != aval.shape) upper = b.broadcast_in_dim(upper, aval.shape, Axes(aval.ndim() - 1));
  return b.clamp(full_integer_value(b, 0, aval), indices, upper);
}

static Values lower_scatter(StablehloBuilder& b, const Values& in, const EqnParams& params) {
  const auto& dims = params.get<ScatterDimensionNumbers>("dimension_numbers");
  const Aval x = in[0].aval(), indices = in[1].aval(), updates = in[2].aval();
  const bool is_key = x.dtype.is_prng_key();  // windows of keys hold their words: a last axis more
  Axes window = dims.update_window_dims;
  if (is_key) window.push_back(updates.ndim());
  const Aval element{{}, is_key ? DType(DType::kUInt32) : x.dtype};
  const Param& body = params.at("update_jaxpr");
  Value start = in[1];
  if (params.get<GatherScatterMode>("mode") == GatherScatterMode::clip)
    start = clipped(b, start, x, window_sizes(x, updates, dims), dims);
  auto combine = [&](StablehloBuilder& inner, const Values& v) -> Values {
    return body.is_none() ? Values{v[1]} : lower_body(inner, body.get<Jaxpr>(), v);
  };
  const Value result = b.scatter({in[0].as_words()}, start, {in[2].as_words()},
                   {.update_window_dims = window,
                    .inserted_window_dims = dims.inserted_window_dims,
                    .input_batching_dims = dims.operand_batching_dims,
                    .scatter_indices_batching_dims = dims.scatter_indices_batching_dims,
                    .scatter_dims_to_operand_dims = dims.scatter_dims_to_operand_dims,
                    .index_vector_dim = indices.ndim() - 1},
                   Region{{element, element}, combine}, params.get<bool>("indices_are_sorted"),
                   params.get<bool>("unique_indices"))[0];
  return {is_key ? result.as_keys() : result};
}

#define TENON_SCATTER(record, text, jvp_rule, transpose_rule)                                                    \
  constinit const Primitive record{.name = text,                                                                 \
                                   .abstract_eval = scatter_rule<text>,                                          \
                                   .jvp = jvp_rule,                                                              \
                                   .transpose = transpose_rule,                                                  \
                                   .batching = batch_scatter,                                                    \
                                   .lowering = lower_scatter};
TENON_SCATTER(scatter_p, "scatter", jvp_scatter, transpose_scatter)
TENON_SCATTER(scatter_add_p, "scatter-add", jvp_scatter_linear, transpose_scatter_linear<false>)
TENON_SCATTER(scatter_max_p, "scatter-max", jvp_scatter_extreme, nullptr)
TENON_SCATTER(scatter_min_p, "scatter-min", jvp_scatter_extreme, nullptr)
TENON_SCATTER(scatter_mul_p, "scatter-mul", jvp_scatter_mul, transpose_scatter_mul)
TENON_SCATTER(scatter_sub_p, "scatter-sub", jvp_scatter_linear, transpose_scatter_linear<true>)
#undef TENON_SCATTER

static Array bind_scatter(const Primitive& primitive, const Array& x, const Operand& indices, const Array& updates,
                          const ScatterDimensionNumbers& dims, const ScatterOptions& options, const Param& body) {
  return bind(primitive, {x, indices.value, updates}, scatter_params(dims, options, body));
}

Array scatter(const Operand& x, const Operand& scatter_indices, const Operand& updates,
              const ScatterDimensionNumbers& dimension_numbers, const ScatterOptions& options) {
  detail::SiteScope site(x.loc);
  return bind_scatter(scatter_p, x.value, scatter_indices, updates.value, dimension_numbers, options, Param());
}

#define TENON_SCATTER(name, combiner)                                                                               \
  Array scatter_##name(const Operand& x, const Operand& scatter_indices, const Operand& updates,                    \
                       const ScatterDimensionNumbers& dimension_numbers, const ScatterOptions& options) {           \
    detail::SiteScope site(x.loc);                                                                                  \
    return bind_scatter(scatter_##name##_p, x.value, scatter_indices, updates.value, dimension_numbers, options,    \
                        binary_body(combiner, x.value.dtype()));                                                    \
  }
TENON_SCATTER(add, add_p)
TENON_SCATTER(max, max_p)
TENON_SCATTER(min, min_p)
TENON_SCATTER(mul, mul_p)
TENON_SCATTER(sub, sub_p)
#undef TENON_SCATTER

Array scatter_apply(const Operand& x, const Operand& scatter_indices, tenon::detail::FunctionRef<Array(const Array&)> function,
                    const ScatterDimensionNumbers& dimension_numbers, const Shape& update_shape, const ScatterOptions& options) {
  detail::SiteScope site(x.loc);
  const Aval scalar{{}, x.value.dtype(), false};
  auto body = [&](const Arrays& v) -> Arrays { return {function(v[0])}; };
  const Jaxpr jaxpr = detail::trace_body("scatter_apply", body, {scalar, scalar});
  if (jaxpr.outvars()[0].aval().dtype != scalar.dtype || !jaxpr.outvars()[0].aval().shape.empty())
    fail<TypeError>("scatter_apply", "the function must give a scalar of the operand's dtype; got ",
                    jaxpr.outvars()[0].aval(), " for ", x.value.aval());
  return bind_scatter(scatter_p, x.value, scatter_indices, full(update_shape, 0, scalar.dtype), dimension_numbers, options, jaxpr);
}

}  // namespace tenon::lax
