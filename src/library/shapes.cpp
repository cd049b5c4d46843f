// Functions that change the shape and not the elements.
#include <algorithm>

#include "base/checked.h"
#include "base/fail.h"
#include "base/promotion.h"
#include "library/promote.h"
#include "tenon/detail/jitted.h"

namespace tenon::jnp {

// The shape with its -1 replaced.
static Shape completed(const Array& x, const Shape& wanted) {
  Shape shape = wanted;
  int64_t others = 1;
  int unknown = -1;
  for (int i = 0; i < shape.ndim(); ++i) {
    if (shape[i] != -1) {
      others *= shape[i];
    } else if (unknown >= 0) {
      fail<TypeError>("reshape", "only one size can be -1; got ", wanted);
    } else {
      unknown = i;
    }
  }
  const int64_t size = x.size();
  if (unknown >= 0) {
    if (others == 0 || size % others != 0)
      fail<ShapeError>("reshape", "the other sizes do not divide the number of elements; got shape ", wanted, " for ",
                       x.aval(), " (", size, " elements)");
    shape[unknown] = size / others;
  } else if (others != size) {
    fail<ShapeError>("reshape", "the number of elements changes; got shape ", wanted, " (", others, " elements) for ",
                     x.aval(), " (", size, " elements)");
  }
  return shape;
}

Array reshape(const Operand& x, const Shape& shape) {
  detail::FunctionScope site(x);
  return lax::reshape(x, completed(x.value, shape));
}
Array ravel(const Operand& x) { return lax::reshape(x, {x.value.size()}); }

Array transpose(const Operand& x) {
  Axes reversed;
  for (int axis = x.value.ndim() - 1; axis >= 0; --axis) reversed.push_back(axis);
  return lax::transpose(x, reversed);
}
Array transpose(const Operand& x, const Axes& permutation) {
  detail::FunctionScope site(x);
  Axes canonical;
  for (int64_t axis : permutation) canonical.push_back(detail::canonical_axis("transpose", axis, x.value.ndim()));
  return lax::transpose(x, canonical);
}
Array permute_dims(const Operand& x, const Axes& permutation) { return transpose(x, permutation); }
Array matrix_transpose(const Operand& x) {
  detail::FunctionScope site(x);
  const int ndim = x.value.ndim();
  if (ndim < 2) fail<ValueError>("matrix_transpose", "needs at least two axes; got ", x.value.aval());
  return swapaxes(x, ndim - 2, ndim - 1);
}
Array swapaxes(const Operand& x, int axis1, int axis2) {
  const int ndim = x.value.ndim();
  Axes permutation = detail::axis_range(0, ndim);
  std::swap(permutation[detail::canonical_axis("swapaxes", axis1, ndim)],
            permutation[detail::canonical_axis("swapaxes", axis2, ndim)]);
  return lax::transpose(x, permutation);
}
Array moveaxis(const Operand& x, int source, int destination) { return moveaxis(x, Axes(source), Axes(destination)); }
Array moveaxis(const Operand& x, const Axes& sources, const Axes& destinations) {
  const int ndim = x.value.ndim();
  if (sources.size() != destinations.size())
    fail<ValueError>("moveaxis", "each axis needs a destination; got sources ", sources, " and destinations ", destinations);
  const Axes from = detail::canonical_axes("moveaxis", sources, ndim), to = detail::canonical_axes("moveaxis", destinations, ndim);
  std::vector<int64_t> permutation(static_cast<size_t>(ndim), -1);
  for (size_t k = 0; k < from.size(); ++k) permutation[static_cast<size_t>(to[k])] = from[k];
  int64_t next = 0;
  for (int64_t& axis : permutation) {
    if (axis >= 0) continue;
    while (std::ranges::find(from, next) != from.end()) ++next;
    axis = next++;
  }
  return lax::transpose(x, Axes(permutation));
}

Array squeeze(const Operand& x) {
  Axes ones;
  for (int axis = 0; axis < x.value.ndim(); ++axis)
    if (x.value.shape()[axis] == 1) ones.push_back(axis);
  return lax::squeeze(x, ones);
}
Array squeeze(const Operand& x, const Axes& axes) { return lax::squeeze(x, axes); }
Array expand_dims(const Operand& x, const Axes& axes) { return lax::expand_dims(x, axes); }
Array broadcast_to(const Operand& x, const Shape& shape) {
  detail::FunctionScope site(x);
  return detail::broadcast_to("broadcast_to", x.value, shape);
}

Array flip(const Operand& x, const Axes& axes) {
  detail::FunctionScope site(x);
  const Axes canonical = detail::canonical_axes("flip", axes, x.value.ndim());
  auto body = [&](const Arrays& in) -> Arrays { return {lax::rev(in[0], canonical)}; };
  return detail::call_jitted("_flip", body, {x.value})[0];
}
Array flip(const Operand& x) { return flip(x, detail::axis_range(0, x.value.ndim())); }

Array tile(const Operand& x, const Shape& reps) {
  detail::FunctionScope site(x);
  Array y = x.value;
  const int missing = reps.ndim() - y.ndim();
  if (missing > 0) y = lax::expand_dims(y, detail::axis_range(0, missing));
  std::vector<int64_t> all(static_cast<size_t>(std::max(0, -missing)), 1);
  all.insert(all.end(), reps.begin(), reps.end());
  return lax::tile(y, Shape(all));
}

// (a, b) -> (a, r, b) -> (a * r, b) along axis 0
Array repeat(const Operand& x, int64_t repeats, int axis) {
  detail::FunctionScope site(x);
  const int64_t at = detail::canonical_axis("repeat", axis, x.value.ndim());
  if (repeats < 0) fail<ValueError>("repeat", "repeats must not be negative; got ", repeats);
  Shape wide, result = x.value.shape();
  Axes dims;
  for (int i = 0; i < result.ndim(); ++i) {
    dims.push_back(wide.ndim());
    wide.push_back(result[i]);
    if (i == at) wide.push_back(repeats);
  }
  result[at] = checked_product("repeat", result[at], repeats);
  return lax::reshape(lax::broadcast_in_dim(x, wide, dims), result);
}

Array repeat(const Operand& x, int64_t repeats) {
  detail::FunctionScope site(x);
  return repeat(ravel(x), repeats, 0);
}

Array astype(const Operand& x, DType dtype) {
  detail::FunctionScope site(x);
  return lax::convert_type(x.value, canonical_dtype(dtype), false);
}

}  // namespace tenon::jnp
