// Products of vectors, matrices and stacks of them: all of them are dot_general.
#include <algorithm>

#include "base/fail.h"
#include "base/promotion.h"
#include "library/promote.h"

namespace tenon::jnp {

static PromotedType result_type(const char* who, const Array& x, const Array& y, const lax::DotOptions& options = {}) {
  if (options.preferred_element_type) return {canonical_dtype(*options.preferred_element_type), false};
  const Avals avals = {x.aval(), y.aval()};
  return promote(avals, who);
}

Array dot(const Operand& x, const Operand& y, const lax::DotOptions& options) {
  detail::FunctionScope site(x.loc);
  const PromotedType type = result_type("dot", x.value, y.value, options);
  const int left = x.value.ndim(), right = y.value.ndim();
  lax::DotDimensionNumbers dims;
  if (left > 0 && right > 0) dims = {Axes(left - 1), Axes(std::max(0, right - 2))};
  const Array product = lax::dot_general(x, y, dims, {.preferred_element_type = type.dtype, .precision = options.precision});
  return lax::convert_type(product, type.dtype, type.weak);
}

static Array contracted(const char* who, const Array& x, const Array& y, const Axes& left, const Axes& right) {
  const PromotedType type = result_type(who, x, y);
  const Array product = lax::dot_general(x, y, {left, right}, {.preferred_element_type = type.dtype});
  return lax::convert_type(product, type.dtype, type.weak);
}

Array tensordot(const Operand& x, const Operand& y, int axes) {
  detail::SiteScope site(x.loc);
  const int left = x.value.ndim();
  if (axes < 0 || axes > std::min(left, y.value.ndim()))
    fail<TypeError>("tensordot", "axes ", axes, " is out of range; got ", Avals{x.value.aval(), y.value.aval()});
  return contracted("tensordot", x.value, y.value, detail::axis_range(left - axes, left), detail::axis_range(0, axes));
}
Array tensordot(const Operand& x, const Operand& y, const Axes& x_axes, const Axes& y_axes) {
  detail::SiteScope site(x.loc);
  if (x_axes.size() != y_axes.size())
    fail<TypeError>("tensordot", "axes must come in pairs; got ", x_axes, " and ", y_axes);
  return contracted("tensordot", x.value, y.value, detail::canonical_axes("tensordot", x_axes, x.value.ndim()),
                    detail::canonical_axes("tensordot", y_axes, y.value.ndim()));
}

Array inner(const Operand& x, const Operand& y) {
  detail::FunctionScope site(x.loc);
  if (x.value.ndim() == 0 || y.value.ndim() == 0) return multiply(x, y);
  return tensordot(x, y, Axes(-1), Axes(-1));
}

Array outer(const Operand& x, const Operand& y) {
  detail::FunctionScope site(x.loc);
  const Arrays in = detail::promote_dtypes("outer", {x.value, y.value});
  const Array column = lax::expand_dims(ravel(in[0]), 1);
  return multiply(column, lax::expand_dims(ravel(in[1]), 0));
}

Array vdot(const Operand& x, const Operand& y) {
  detail::FunctionScope site(x.loc);
  const Array left = ravel(x);
  return dot(left, ravel(y));
}

// Batch axes pair up from the end. An axis of size 1 beside a larger one, or one that the other
// operand lacks, is not a batch axis of the dot_general: it stays with its operand, and the final
// transpose moves it to its place.
Array matmul(const Operand& operand_x, const Operand& operand_y, const lax::DotOptions& options) {
  detail::FunctionScope site(operand_x.loc);
  Array x = operand_x.value, y = operand_y.value;
  if (x.ndim() < 1 || y.ndim() < 1)
    fail<ValueError>("matmul", "operands need at least one axis; got ", Avals{x.aval(), y.aval()});
  const PromotedType type = result_type("matmul", x, y, options);
  const bool x_is_matrix = x.ndim() > 1, y_is_matrix = y.ndim() > 1;
  const Shape x_shape = x.shape(), y_shape = y.shape();
  const int x_batch_axes = x_is_matrix ? x.ndim() - 2 : 0, y_batch_axes = y_is_matrix ? y.ndim() - 2 : 0;
  const int batch_axes = std::max(x_batch_axes, y_batch_axes);

  Axes x_squeezed, y_squeezed, both_squeezed, x_batch, y_batch;
  std::vector<int64_t> from_batch, from_x, from_y;  // positions in the result, by origin
  for (int i = 0; i < batch_axes; ++i) {
    const int xi = i - (batch_axes - x_batch_axes), yi = i - (batch_axes - y_batch_axes);
    const int64_t x_place = static_cast<int64_t>(from_batch.size() + from_x.size());
    const int64_t y_place = static_cast<int64_t>(from_batch.size() + from_y.size());
    const int64_t x_axis = x_place + static_cast<int64_t>(x_squeezed.size());
    const int64_t y_axis = y_place + static_cast<int64_t>(y_squeezed.size());
    if (xi < 0) {
      from_y.push_back(i);
    } else if (yi < 0) {
      from_x.push_back(i);
    } else if (x_shape[xi] == 1 && y_shape[yi] == 1) {
      x_squeezed.push_back(x_axis);
      y_squeezed.push_back(y_axis);
      both_squeezed.push_back(i);
    } else if (x_shape[xi] == 1) {
      from_y.push_back(i);
      x_squeezed.push_back(x_axis);
    } else if (y_shape[yi] == 1) {
      from_x.push_back(i);
      y_squeezed.push_back(y_axis);
    } else if (x_shape[xi] == y_shape[yi]) {
      x_batch.push_back(x_place);
      y_batch.push_back(y_place);
      from_batch.push_back(i);
    } else {
      fail<ShapeError>("matmul", "batch axes do not broadcast; got ", Avals{x.aval(), y.aval()});
    }
  }
  if (x_is_matrix) from_x.push_back(batch_axes);
  if (y_is_matrix) from_y.push_back(batch_axes + (x_is_matrix ? 1 : 0));
  std::vector<int64_t> places = from_batch;
  places.insert(places.end(), from_x.begin(), from_x.end());
  places.insert(places.end(), from_y.begin(), from_y.end());
  std::vector<int64_t> permutation(places.size());  // argsort(places)
  for (size_t i = 0; i < places.size(); ++i) permutation[i] = static_cast<int64_t>(i);
  std::ranges::sort(permutation, {}, [&](int64_t i) { return places[i]; });

  x = lax::squeeze(x, x_squeezed);
  y = lax::squeeze(y, y_squeezed);
  Array product = lax::dot_general(x, y, {Axes(x.ndim() - 1), Axes(y.ndim() - 1 - (y_is_matrix ? 1 : 0)), x_batch, y_batch},
                                   {.preferred_element_type = type.dtype, .precision = options.precision});
  product = lax::transpose(product, Axes(permutation));
  if (!both_squeezed.empty()) product = lax::expand_dims(product, both_squeezed);
  return lax::convert_type(product, type.dtype, type.weak);
}

}  // namespace tenon::jnp
