// gather: slices of an array at positions that an array of index vectors holds.
#include <limits>

#include "core/nodes.h"
#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/gather_scatter.h"
#include "ops/rules.h"

namespace tenon::lax {

std::string GatherDimensionNumbers::str() const {
  return detail::text("GatherDimensionNumbers(offset_dims=", offset_dims, ", collapsed_slice_dims=", collapsed_slice_dims,
                      ", start_index_map=", start_index_map, ", operand_batching_dims=", operand_batching_dims,
                      ", start_indices_batching_dims=", start_indices_batching_dims, ")");
}

std::string param_str(GatherScatterMode mode) {
  switch (mode) {
    case GatherScatterMode::promise_in_bounds: return "GatherScatterMode.PROMISE_IN_BOUNDS";
    case GatherScatterMode::clip: return "GatherScatterMode.CLIP";
    case GatherScatterMode::fill_or_drop: return "GatherScatterMode.FILL_OR_DROP";
  }
  return "?";
}

// Axes of the result that are not offset axes: those of the indices but their last.
static Axes batch_axes(const Axes& offset_dims, int ndim) {
  Axes out;
  for (int axis = 0; axis < ndim; ++axis)
    if (!offset_dims.contains(axis)) out.push_back(axis);
  return out;
}

static void check_gather(const Aval& x, const Aval& indices, const GatherDimensionNumbers& dims, const Shape& sizes) {
  const char* who = "gather";
  if (!indices.dtype.is_integer()) fail<TypeError>(who, "indices must be integers; got ", indices);
  if (indices.shape.empty()) fail<ShapeError>(who, "indices need a last axis that holds index vectors; got ", indices);
  const int result_ndim = static_cast<int>(dims.offset_dims.size()) + indices.ndim() - 1;
  check_axes(who, "offset dimension", dims.offset_dims, result_ndim);
  check_axes(who, "collapsed dimension", dims.collapsed_slice_dims, x.ndim());
  check_axes(who, "start_index_map entry", dims.start_index_map, x.ndim());
  check_axes(who, "operand batching dimension", dims.operand_batching_dims, x.ndim());
  check_axes(who, "indices batching dimension", dims.start_indices_batching_dims, indices.ndim() - 1);
  if (static_cast<int64_t>(dims.start_index_map.size()) != indices.shape.back())
    fail<ShapeError>(who, "start_index_map must have one entry for each index of a vector; got ", dims.start_index_map,
                     " for indices ", indices);
  if (dims.operand_batching_dims.size() != dims.start_indices_batching_dims.size())
    fail<ShapeError>(who, "batching dimensions must come in pairs; got ", dims.operand_batching_dims, " and ",
                     dims.start_indices_batching_dims);
  for (size_t i = 0; i < dims.operand_batching_dims.size(); ++i)
    if (x.shape[dims.operand_batching_dims[i]] != indices.shape[dims.start_indices_batching_dims[i]])
      fail<ShapeError>(who, "batching dimensions must have the same size; got ", x, " and ", indices);
  const size_t away = dims.collapsed_slice_dims.size() + dims.operand_batching_dims.size();
  if (sizes.size() != x.shape.size() || sizes.size() != dims.offset_dims.size() + away)
    fail<ShapeError>(who, "slice_sizes must have one entry for each axis, offset, collapsed or batching; got slice_sizes ",
                     sizes, " for ", x, " and ", dims);
  for (int axis = 0; axis < x.ndim(); ++axis) {
    if (dims.collapsed_slice_dims.contains(axis) && sizes[axis] != 1)
      fail<ShapeError>(who, "a collapsed dimension must have slice size 1; got slice_sizes ", sizes, " and ", dims);
    if (dims.operand_batching_dims.contains(axis) && sizes[axis] > 1)
      fail<ShapeError>(who, "a batching dimension must have slice size 0 or 1; got slice_sizes ", sizes, " and ", dims);
    if (indices.shape.num_elements() != 0 && (sizes[axis] < 0 || sizes[axis] > x.shape[axis]))
      fail<ShapeError>(who, "0 <= slice size <= size must hold along axis ", axis, "; got slice_sizes ", sizes, " for ", x);
  }
}

static Shape gather_shape(const Shape& indices, const GatherDimensionNumbers& dims, const Shape& sizes) {
  Shape result;
  int64_t axis = 0;
  size_t batch = 0;
  auto append_batch = [&] {
    while (!dims.offset_dims.contains(axis) && batch + 1 < indices.size()) {
      result.push_back(indices[batch++]);
      ++axis;
    }
  };
  for (int i = 0; i < sizes.ndim(); ++i) {
    if (dims.collapsed_slice_dims.contains(i) || dims.operand_batching_dims.contains(i)) continue;
    append_batch();
    result.push_back(sizes[i]);
    ++axis;
  }
  append_batch();
  return result;
}

// `value` everywhere; in each word of keys.
static Value filled(StablehloBuilder& b, int64_t value, const Aval& aval) {
  if (!aval.dtype.is_prng_key()) return full_integer_value(b, value, aval);
  Shape words = aval.shape;
  words.push_back(2);
  return full_integer_value(b, value, {words, DType(DType::kUInt32)}).as_keys();
}

static Values lower_gather(StablehloBuilder& b, const Values& x, const EqnParams& params) {
  const auto& dims = params.get<GatherDimensionNumbers>("dimension_numbers");
  const auto& sizes = params.get<Shape>("slice_sizes");
  const Aval operand = x[0].aval(), indices = x[1].aval();
  const Aval result{gather_shape(indices.shape, dims, sizes), operand.dtype};
  const bool fills = params.get<GatherScatterMode>("mode") == GatherScatterMode::fill_or_drop;
  const bool sorted = params.get<bool>("indices_are_sorted");
  auto take = [&] {
    if (result.shape.num_elements() == 0) return result.dtype.is_prng_key() ? filled(b, 0, result) : full_value(b, 0, result);
    return b.gather(x[0], x[1],
                    {.offset_dims = dims.offset_dims,
                     .collapsed_slice_dims = dims.collapsed_slice_dims,
                     .operand_batching_dims = dims.operand_batching_dims,
                     .start_indices_batching_dims = dims.start_indices_batching_dims,
                     .start_index_map = dims.start_index_map,
                     .index_vector_dim = indices.ndim() - 1},
                    sizes, sorted);
  };
  if (!fills) return {take()};
  // Where an index vector reaches out of bounds, the fill value: select(all(0 <= i <= bound), gather, fill).
  std::vector<int64_t> bounds;
  for (int64_t axis : dims.start_index_map) bounds.push_back(operand.shape[axis] - sizes[axis]);
  const int vector_axis = indices.ndim() - 1;
  Value upper = b.constant_integers(bounds, indices.dtype);
  Value not_below = b.compare(x[1], full_value(b, 0, indices), ComparisonDirection::GE);
  if (indices.ndim() > 1) {
    Shape ones(std::vector<int64_t>(indices.shape.size(), 1));
    ones[vector_axis] = static_cast<int64_t>(bounds.size());
    upper = b.broadcast_in_dim(upper, ones, Axes(vector_axis));
    Axes all;
    for (int i = 0; i < indices.ndim(); ++i) all.push_back(i);
    if (ones != indices.shape) upper = b.broadcast_in_dim(upper, indices.shape, all);
  }
  Value inside = b.and_(not_below, b.compare(x[1], upper, ComparisonDirection::LE));
  inside = reduce_and_p.lowering(b, {inside}, {{"axes", Axes(vector_axis)}})[0];
  Value taken = take();
  if (inside.aval().shape != result.shape)
    inside = b.broadcast_in_dim(inside, result.shape, batch_axes(dims.offset_dims, result.ndim()));
  const Param& fill = params.at("fill_value");
  const Value outside = fill.is<double>() ? full_value(b, fill.get<double>(), result)
                        : fill.is<bool>() ? full_value(b, fill.get<bool>(), result)
                                          : filled(b, fill.get<int64_t>(), result);
  return {b.select(inside, taken, outside)};
}

// What lies out of bounds has no tangent.
static Array jvp_gather(const Array& tangent, const Array&, const Arrays& primals, const EqnParams& params) {
  const bool fills = params.get<GatherScatterMode>("mode") == GatherScatterMode::fill_or_drop;
  return bind(gather_p, {tangent, primals[1]}, params.with("fill_value", fills ? Param(0) : Param()));
}

static Cotangents transpose_gather(const Primitive&, const Cotangents& cotangents, const LinearOperands& operands,
                                   const EqnParams& params) {
  const Array& ct = cotangents[0].value();
  const Array zeros = full(operands[0].aval.shape, 0, ct.dtype());
  ScatterOptions options;
  options.indices_are_sorted = params.get<bool>("indices_are_sorted");
  options.unique_indices = params.get<bool>("unique_indices");
  options.mode = params.get<GatherScatterMode>("mode");
  return {scatter_add(zeros, operands[1].value, ct, inverse(params.get<GatherDimensionNumbers>("dimension_numbers")), options),
          Cotangent::zero(operands[1].aval)};
}

static BatchResult batch_gather(const Primitive& self, const BatchAxis& axis, const Arrays& operands, const std::vector<int>& axes,
                                const EqnParams& params) {
  const bool maps_operand = axes[0] != kNotMapped, maps_indices = axes[1] != kNotMapped;
  Arrays values = operands;
  GatherDimensionNumbers dims = params.get<GatherDimensionNumbers>("dimension_numbers");
  std::vector<int64_t> sizes = params.get<Shape>("slice_sizes").dims();
  EqnParams batched = params;
  dims.offset_dims = batched_axes(dims.offset_dims, 0);
  if (maps_operand) {
    values[0] = move_axis(operands[0], axes[0], 0);
    dims.collapsed_slice_dims = batched_axes(dims.collapsed_slice_dims, 0);
    dims.start_index_map = batched_axes(dims.start_index_map, 0);
    dims.operand_batching_dims = batched_axes(dims.operand_batching_dims, 0);
  }
  if (maps_indices) {
    values[1] = move_axis(operands[1], axes[1], 0);
    dims.start_indices_batching_dims = batched_axes(dims.start_indices_batching_dims, 0);
  }
  if (maps_operand && maps_indices) {  // paired
    sizes.insert(sizes.begin(), axis.size == 0 ? 0 : 1);
    dims.operand_batching_dims = with_first(0, dims.operand_batching_dims);
    dims.start_indices_batching_dims = with_first(0, dims.start_indices_batching_dims);
  } else if (maps_operand) {  // each slice is one of all elements
    sizes.insert(sizes.begin(), axis.size);
    dims.offset_dims = with_first(0, dims.offset_dims);
  } else {  // indices of different elements may be equal
    batched = batched.with("indices_are_sorted", false).with("unique_indices", false);
  }
  batched = batched.with("dimension_numbers", dims).with("slice_sizes", Shape(std::move(sizes)));
  return {{bind(self, values, batched)}, {0}};
}

constinit const Primitive gather_p{
    .name = "gather",
    .abstract_eval = [](const Avals& in, const EqnParams& params) -> Avals {
      check_count("gather", in, 2);
      const auto& dims = params.get<GatherDimensionNumbers>("dimension_numbers");
      const auto& sizes = params.get<Shape>("slice_sizes");
      check_gather(in[0], in[1], dims, sizes);
      return {in[0].with_shape(gather_shape(in[1].shape, dims, sizes))};
    },
    .jvp = jvp_by_operand<jvp_gather, nullptr>,
    .transpose = transpose_gather,
    .batching = batch_gather,
    .lowering = lower_gather,
};

// NaN, the least signed integer, the greatest unsigned one, true.
static Param default_fill(DType dtype) {
  if (dtype.is_inexact()) return Param(std::numeric_limits<double>::quiet_NaN());
  if (dtype.is_bool()) return Param(true);
  const int bits = dtype.is_prng_key() ? 32 : dtype.bits();  // of a key's words
  if (dtype.is_signed()) return Param(std::numeric_limits<int64_t>::min() >> (64 - bits));
  return Param(static_cast<int64_t>(~uint64_t{0} >> (64 - bits)));
}

// As it was written: an int, a float or a bool.
static Param fill_param(const Array& fill) {
  const detail::ArrayNode& node = fill.node("gather");
  if (node.kind() != detail::ArrayNode::Kind::scalar) fail<TypeError>("gather", "fill_value must be a C++ scalar; got ", node.aval());
  const auto& scalar = static_cast<const detail::ScalarNode&>(node);
  if (node.aval().dtype.is_bool()) return Param(fill.item<bool>());
  if (node.aval().dtype.is_integer()) return Param(fill.item<int64_t>());
  return Param(scalar.written.value_or(fill.item<double>()));
}

Array gather(const Operand& x, const Operand& start_indices, const GatherDimensionNumbers& dimension_numbers,
             const Shape& slice_sizes, const GatherOptions& options) {
  const bool fills = options.mode == GatherScatterMode::fill_or_drop;
  const Param fill = !fills ? Param() : options.fill_value.is_empty() ? default_fill(x.value.dtype()) : fill_param(options.fill_value);
  return apply(gather_p, x, start_indices,
               gather_params(dimension_numbers, slice_sizes, options.mode, fill, options.indices_are_sorted, options.unique_indices));
}

}  // namespace tenon::lax
