// Reading by an index expression. Three ways, the first that fits:
//   known integers and slices       slice, rev, squeeze, broadcast_in_dim
//   scalars that may be traced      dynamic_slice, rev, squeeze, broadcast_in_dim
//   arrays of integers and masks    gather, rev, broadcast_in_dim
#include "base/fail.h"
#include "library/indexing/indexer.h"

namespace tenon {
namespace indexing {
namespace {

lax::GatherScatterMode gather_mode(std::optional<IndexMode> mode) {
  switch (mode.value_or(IndexMode::promise_in_bounds)) {
    case IndexMode::promise_in_bounds: return lax::GatherScatterMode::promise_in_bounds;
    case IndexMode::clip: return lax::GatherScatterMode::clip;
    case IndexMode::fill:
    case IndexMode::drop: return lax::GatherScatterMode::fill_or_drop;
  }
  TENON_CHECK(false);
}

Array gathered(const Array& array, const Parsed& parsed, const GetOptions& options) {
  const GatherIndexer g = gather_indexer(with_axes(array.shape(), parsed.mask_axes), parsed.indices, options.wrap_negative_indices);
  const Array x = parsed.mask_axes.empty() ? array : lax::expand_dims(array, parsed.mask_axes);
  if (g.shape.num_elements() == 0) return lax::broadcast(lax::convert_type(Array(0), x.dtype(), x.weak_type()), g.shape);
  Array y = x;
  if (g.vectors)
    y = lax::gather(x, *g.vectors, g.dims, g.slice_sizes,
                    {.mode = gather_mode(options.mode),
                     .indices_are_sorted = options.indices_are_sorted || g.sorted_and_unique,
                     .unique_indices = options.unique_indices || g.sorted_and_unique,
                     .fill_value = options.fill_value});
  if (!g.reversed.empty()) y = lax::rev(y, g.reversed);
  return g.added.empty() ? y : lax::expand_dims(y, g.added);
}

Array get(const Array& x, const Indices& indices, const GetOptions& options) {
  const bool fills = gather_mode(options.mode) == lax::GatherScatterMode::fill_or_drop;
  const Parsed parsed = parse(x.aval(), indices);
  if (!fills && !has_mask(indices)) {
    const bool wraps = options.wrap_negative_indices;
    if (auto y = static_slice(x, parsed.indices, wraps, options.mode == IndexMode::clip)) return *y;
    if (auto y = dynamic_slice(x, parsed.indices, wraps)) return *y;
  }
  return gathered(x, parsed, options);
}

}  // namespace
}  // namespace indexing

Array detail::index_array(const Array& array, const std::vector<Index>& indices, const Loc& loc) {
  FunctionScope site(loc);
  return indexing::get(array, indices, {});
}
Array Array::operator[](const Index& index) const { return detail::index_array(*this, {index}, Loc()); }

slice::slice(std::optional<int64_t> stop_) : stop(stop_) {}
slice::slice(std::optional<int64_t> start_, std::optional<int64_t> stop_, std::optional<int64_t> step_)
    : start(start_), stop(stop_), step(step_) {}

At::At(Array array, std::vector<Index> indices, const Loc& loc) : array_(std::move(array)), indices_(std::move(indices)), loc_(loc) {}

Array At::get(const GetOptions& options) const {
  detail::FunctionScope site(loc_);
  return indexing::get(array_, indices_, options);
}

}  // namespace tenon
