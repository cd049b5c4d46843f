#include "ops/gather_scatter.h"

#include <algorithm>

#include "ops/batch.h"

namespace tenon::lax {

EqnParams gather_params(const GatherDimensionNumbers& dims, const Shape& slice_sizes, GatherScatterMode mode, const Param& fill,
                        bool indices_are_sorted, bool unique_indices) {
  return {{"dimension_numbers", dims},
          {"fill_value", mode == GatherScatterMode::fill_or_drop ? fill : Param()},
          {"indices_are_sorted", indices_are_sorted},
          {"mode", mode},
          {"slice_sizes", slice_sizes},
          {"unique_indices", unique_indices}};
}

EqnParams scatter_params(const ScatterDimensionNumbers& dims, const ScatterOptions& options, const Param& body) {
  return {{"dimension_numbers", dims},
          {"indices_are_sorted", options.indices_are_sorted},
          {"mode", options.mode},
          {"unique_indices", options.unique_indices},
          {"update_consts", Axes()},  // prints as ()
          {"update_jaxpr", body}};
}

ScatterDimensionNumbers inverse(const GatherDimensionNumbers& dims) {
  return {dims.offset_dims, dims.collapsed_slice_dims, dims.start_index_map, dims.operand_batching_dims,
          dims.start_indices_batching_dims};
}
GatherDimensionNumbers inverse(const ScatterDimensionNumbers& dims) {
  return {dims.update_window_dims, dims.inserted_window_dims, dims.scatter_dims_to_operand_dims, dims.operand_batching_dims,
          dims.scatter_indices_batching_dims};
}

Array take_along(const Array& x, const Array& indices, int axis) {
  Axes others;
  for (int i = 0; i < x.ndim(); ++i)
    if (i != axis) others.push_back(i);
  const GatherDimensionNumbers dims{{}, Axes(axis), Axes(axis), others, others};
  return gather(x, indices, dims, Shape(std::vector<int64_t>(x.shape().size(), 1)));
}

std::pair<Array, int> batched_index_vector(const Arrays& indices, const std::vector<int>& axes, int64_t size) {
  if (indices.empty()) return {full({0}, 0, jnp::int32), kNotMapped};
  const bool maps = std::ranges::any_of(axes, [](int axis) { return axis != kNotMapped; });
  Arrays parts;
  for (size_t i = 0; i < indices.size(); ++i) {
    if (maps) parts.push_back(broadcast_in_dim(indices[i], {size, 1}, axes[i] == kNotMapped ? Axes() : Axes(0)));
    else parts.push_back(broadcast(indices[i], {1}));
  }
  return {concatenate(parts, maps ? 1 : 0), maps ? 0 : kNotMapped};
}

}  // namespace tenon::lax
