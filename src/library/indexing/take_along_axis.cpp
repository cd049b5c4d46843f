// take_along_axis: an index for each element of the result.
#include <algorithm>

#include "base/fail.h"
#include "library/indexing/indexer.h"
#include "tenon/detail/jitted.h"

namespace tenon::jnp {
namespace {

// The gather of x[.., index, ..]: axes where both have their size go in step, an axis where the indices have size 1
// is taken whole, one where x has size 1 is left out.
Array gathered(const Array& x, const Array& indices, int axis, lax::GatherScatterMode mode) {
  const Shape from = x.shape(), to = indices.shape();
  lax::GatherDimensionNumbers dims;
  Shape sizes, index_shape;
  Axes squeezed;
  int64_t kept = 0;  // axes of x so far, without those of size 1
  for (int i = 0; i < x.ndim(); ++i) {
    const int64_t at = index_shape.ndim();
    if (i == axis) {
      index_shape.push_back(to[i]);
      sizes.push_back(1);
      dims.start_index_map.push_back(kept);
      dims.collapsed_slice_dims.push_back(kept++);
    } else if (to[i] == 1) {
      dims.offset_dims.push_back(i);
      sizes.push_back(from[i]);
      ++kept;
    } else if (from[i] == 1) {
      index_shape.push_back(to[i]);
      squeezed.push_back(i);
    } else {
      index_shape.push_back(to[i]);
      sizes.push_back(from[i] == 0 ? 0 : 1);
      dims.start_indices_batching_dims.push_back(at);
      dims.operand_batching_dims.push_back(kept++);
    }
  }
  index_shape.push_back(1);
  const Array vectors = lax::reshape(indices, index_shape);
  return lax::gather(lax::squeeze(x, squeezed), vectors, dims, sizes, {.mode = mode});
}

}  // namespace

Array take_along_axis(const Operand& x, const Operand& indices, const TakeAlongAxisOptions& options) {
  detail::FunctionScope site(x.loc);
  const Array &given = x.value, &at = indices.value;
  if (!at.dtype().is_integer()) fail<TypeError>("take_along_axis", "indices must be integers; got ", at.aval());
  if (at.ndim() != (options.axis ? given.ndim() : 1))
    fail<ValueError>("take_along_axis", options.axis ? "the array and the indices need the same number of axes" : "without an axis, indices have one",
                     "; got ", Avals{given.aval(), at.aval()});
  auto body = [&](const Arrays& in) -> Arrays {
    const Array array = options.axis ? in[0] : ravel(in[0]);
    const int axis = options.axis ? static_cast<int>(detail::canonical_axis("take_along_axis", *options.axis, array.ndim())) : 0;
    Shape others = array.shape();
    const int64_t size = others[axis];
    others[axis] = 1;
    for (int i = 0; i < array.ndim(); ++i) {
      int64_t& other = others[i];
      const int64_t wanted = in[1].shape()[i];
      if (other != wanted && other != 1 && wanted != 1)
        fail<ShapeError>("take_along_axis", "axis ", i, " of the array and of the indices do not broadcast; got ",
                         Avals{array.aval(), in[1].aval()});
      if (other == 1) other = wanted;
    }
    if (size == 0) return {lax::full(others, 0, array.dtype())};
    const bool wide = in[1].dtype().bits() == 64 && in[1].dtype().is_signed();
    const Array positions = indexing::from_the_end(wide ? in[1] : lax::convert_type(in[1], int32, false), size);
    const bool fills = options.mode == TakeMode::fill;
    return {gathered(array, positions, axis, fills ? lax::GatherScatterMode::fill_or_drop : lax::GatherScatterMode::clip)};
  };
  return detail::call_jitted("take_along_axis", body, {given, at})[0];
}

}  // namespace tenon::jnp
