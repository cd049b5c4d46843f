// take: elements, or slices along an axis, at indices.
#include "base/fail.h"
#include "library/promote.h"
#include "tenon/detail/jitted.h"

namespace tenon {
namespace jnp {

Array take(const Operand& x, const Operand& indices, const TakeOptions& options) {
  detail::FunctionScope site(x.loc);
  auto body = [&](const Arrays& in) -> Arrays {
    const Array array = options.axis ? in[0] : ravel(in[0]);
    Array at = in[1];
    if (!at.dtype().is_integer()) fail<TypeError>("take", "indices must be integers; got ", at.aval());
    const int axis = options.axis ? static_cast<int>(detail::canonical_axis("take", *options.axis, array.ndim())) : 0;
    Shape sizes = array.shape();
    const bool fills = options.mode == TakeMode::fill;
    if (fills) at = detail::where_jitted(less(at, 0), add(at, sizes[axis]), at);
    if (sizes[axis] == 0 && at.size() != 0) fail<IndexError>("take", "there is no element to take; got ", array.aval());
    if (at.size() == 0) {
      Shape result;
      for (int i = 0; i < sizes.ndim(); ++i) {
        if (i != axis) result.push_back(sizes[i]);
        else for (int64_t size : at.shape()) result.push_back(size);
      }
      return {zeros(result, array.dtype())};
    }
    sizes[axis] = 1;
    lax::GatherDimensionNumbers dims;
    for (int i = 0; i < axis; ++i) dims.offset_dims.push_back(i);
    for (int i = axis + at.ndim(); i < array.ndim() + at.ndim() - 1; ++i) dims.offset_dims.push_back(i);
    dims.collapsed_slice_dims = Axes(axis);
    dims.start_index_map = Axes(axis);
    const Array vectors = lax::expand_dims(at, Axes(at.ndim()));
    return {lax::gather(array, vectors, dims, sizes,
                        {.mode = fills ? lax::GatherScatterMode::fill_or_drop : lax::GatherScatterMode::clip,
                         .indices_are_sorted = options.indices_are_sorted,
                         .unique_indices = options.unique_indices})};
  };
  return detail::call_jitted("_take", body, {x.value, indices.value})[0];
}

}  // namespace jnp
}  // namespace tenon
