// Writing by an index expression: scatters.
#include "base/fail.h"
#include "library/indexing/indexer.h"
#include "tenon/detail/host.h"

namespace tenon {
namespace indexing {
namespace {

lax::GatherScatterMode scatter_mode(std::optional<IndexMode> mode) {
  switch (mode.value_or(IndexMode::drop)) {
    case IndexMode::promise_in_bounds: return lax::GatherScatterMode::promise_in_bounds;
    case IndexMode::clip: return lax::GatherScatterMode::clip;
    case IndexMode::fill:
    case IndexMode::drop: return lax::GatherScatterMode::fill_or_drop;
  }
  TENON_CHECK(false);
}

using Scatter = detail::FunctionRef<Array(const Array& x, const Array& vectors, const Array& updates,
                                          const lax::ScatterDimensionNumbers& dims, const lax::ScatterOptions& options)>;

// A C++ integer takes the dtype of integers at once.
Array update_of(const Array& x, const Array& values) {
  if (detail::is_scalar_node(values) && values.weak_type() && values.dtype().is_integer() && x.dtype().is_integer())
    return lax::convert_type(values, x.dtype(), false);
  return values;
}

Array scattered(const Array& array, const Indices& indices, const Array& values, const AtOptions& options, Scatter scatter) {
  const Aval aval = array.aval();
  Array updates = update_of(array, values);
  const Parsed parsed = parse(aval, indices);
  const GatherIndexer g = gather_indexer(with_axes(aval.shape, parsed.mask_axes), parsed.indices, options.wrap_negative_indices);
  if (g.shape.num_elements() == 0) return array;
  Arrays promoted = detail::promote_dtypes("at", {array, updates});
  updates = detail::broadcast_to("at", promoted[1], g.shape);
  if (!g.added.empty()) updates = lax::squeeze(updates, g.added);
  if (!g.reversed.empty()) updates = lax::rev(updates, g.reversed);
  Array x = parsed.mask_axes.empty() ? promoted[0] : lax::expand_dims(promoted[0], parsed.mask_axes);
  const Array vectors = g.vectors ? *g.vectors : detail::array_from_host("", {{0}, jnp::int32});
  Array y = scatter(x, vectors, updates,
                    {.update_window_dims = g.dims.offset_dims,
                     .inserted_window_dims = g.dims.collapsed_slice_dims,
                     .scatter_dims_to_operand_dims = g.dims.start_index_map},
                    {.indices_are_sorted = options.indices_are_sorted || g.sorted_and_unique,
                     .unique_indices = options.unique_indices || g.sorted_and_unique,
                     .mode = scatter_mode(options.mode)});
  if (!parsed.mask_axes.empty()) y = lax::squeeze(y, parsed.mask_axes);
  return lax::convert_type(y, aval.dtype, aval.weak_type);
}

}  // namespace
}  // namespace indexing

using lax::ScatterDimensionNumbers;
using lax::ScatterOptions;

#define TENON_SCATTER(function)                                                                                          \
  [](const Array& x, const Array& vectors, const Array& updates, const ScatterDimensionNumbers& dims,                    \
     const ScatterOptions& options) { return lax::function(x, vectors, updates, dims, options); }

Array At::set(const Operand& values, const AtOptions& options) const {
  detail::FunctionScope site(loc_);
  return indexing::scattered(array_, indices_, values.value, options, TENON_SCATTER(scatter));
}
Array At::add(const Operand& values, const AtOptions& options) const {
  detail::FunctionScope site(loc_);
  return indexing::scattered(array_, indices_, values.value, options, TENON_SCATTER(scatter_add));
}
Array At::subtract(const Operand& values, const AtOptions& options) const {
  detail::FunctionScope site(loc_);
  return indexing::scattered(array_, indices_, values.value, options, TENON_SCATTER(scatter_sub));
}
Array At::multiply(const Operand& values, const AtOptions& options) const {
  detail::FunctionScope site(loc_);
  return indexing::scattered(array_, indices_, values.value, options, TENON_SCATTER(scatter_mul));
}
Array At::divide(const Operand& values, const AtOptions& options) const {
  detail::FunctionScope site(loc_);
  return jnp::divide(array_, At(jnp::ones_like(array_), indices_, loc_).multiply(values, options));
}
Array At::power(const Operand& values, const AtOptions& options) const {
  detail::FunctionScope site(loc_);
  return jnp::power(array_, At(jnp::ones_like(array_), indices_, loc_).multiply(values, options));
}
Array At::min(const Operand& values, const AtOptions& options) const {
  detail::FunctionScope site(loc_);
  return indexing::scattered(array_, indices_, values.value, options, TENON_SCATTER(scatter_min));
}
Array At::max(const Operand& values, const AtOptions& options) const {
  detail::FunctionScope site(loc_);
  return indexing::scattered(array_, indices_, values.value, options, TENON_SCATTER(scatter_max));
}

Array At::apply(detail::FunctionRef<Array(const Array&)> function, const AtOptions& options) const {
  detail::FunctionScope site(loc_);
  auto scatter = [&](const Array& x, const Array& vectors, const Array& updates, const ScatterDimensionNumbers& dims,
                     const ScatterOptions& o) { return lax::scatter_apply(x, vectors, function, dims, updates.shape(), o); };
  const Array zero = lax::convert_type(Array(0), array_.dtype(), array_.weak_type());
  return indexing::scattered(array_, indices_, zero, options, scatter);
}

}  // namespace tenon
