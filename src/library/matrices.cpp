// Diagonals and triangles of matrices.
#include <algorithm>
#include <cstdlib>

#include "base/fail.h"
#include "base/promotion.h"
#include "library/promote.h"
#include "tenon/detail/jitted.h"

namespace tenon::jnp {

// Where column - row is k.
static Array diagonal_mask(int64_t n, int64_t m, const Array& k) {
  const Array row = lax::broadcasted_iota(default_int(), {n, m}, 0);
  const Array column = lax::broadcasted_iota(default_int(), {n, m}, 1);
  return equal(add(row, k), column);
}

Array identity(int64_t n, std::optional<DType> dtype, Loc loc) { return eye(n, dtype, loc); }

static Arrays diag_body(const Arrays& in, int k) {
  const Array zero = detail::constant_like(in[0], 0);
  const int64_t n = in[0].shape()[0] + std::abs(k);
  const Array elements = lax::pad(in[0], zero, {{std::max(0, -k), std::max(0, k), 0}});
  const Array mask = diagonal_mask(n, n, k);
  return {detail::where_jitted(mask, lax::expand_dims(elements, 1), zero)};
}

Array diag(const Operand& x, int k) {
  detail::FunctionScope site(x.loc);
  const int ndim = x.value.ndim();
  if (ndim != 1 && ndim != 2) fail<ValueError>("diag", "takes a vector or a matrix; got ", x.value.aval());
  auto body = [&](const Arrays& in) -> Arrays { return ndim == 1 ? diag_body(in, k) : Arrays{diagonal(in[0], k)}; };
  return detail::call_jitted("_diag", body, {x.value})[0];
}

// The axes of a matrix, last; -1 counts from the end.
static Array with_matrix_last(const char* who, const Array& x, int& axis1, int& axis2) {
  const int ndim = x.ndim();
  if (ndim < 2) fail<ValueError>(who, "needs at least two axes; got ", x.aval());
  axis1 = static_cast<int>(detail::canonical_axis(who, axis1, ndim));
  axis2 = static_cast<int>(detail::canonical_axis(who, axis2, ndim));
  if (axis1 == axis2) fail<ValueError>(who, "axis1 and axis2 must differ; got ", axis1, " twice for ", x.aval());
  Axes permutation;
  for (int axis = 0; axis < ndim; ++axis)
    if (axis != axis1 && axis != axis2) permutation.push_back(axis);
  permutation.push_back(axis1);
  permutation.push_back(axis2);
  return lax::transpose(x, permutation);
}

Array diagonal(const Operand& x, int offset, int axis1, int axis2) {
  detail::FunctionScope site(x.loc);
  auto body = [&](const Arrays& in) -> Arrays {
    int row_axis = axis1, column_axis = axis2;
    const Array matrices = with_matrix_last("diagonal", in[0], row_axis, column_axis);
    const int64_t rows = in[0].shape()[row_axis], columns = in[0].shape()[column_axis];
    const int64_t size = std::max<int64_t>(0, std::min<int64_t>(rows + std::min(offset, 0), columns - std::max(offset, 0)));
    const Array i = arange(size), j = arange(std::abs(offset), std::abs(offset) + size);
    return {offset >= 0 ? matrices(ellipsis, i, j) : matrices(ellipsis, j, i)};
  };
  return detail::call_jitted("diagonal", body, {x.value})[0];
}

// in: x and, when it was given, the offset.
static Array trace_of(const Operand& x, const Arrays& operands, int axis1, int axis2) {
  detail::FunctionScope site(x.loc);
  auto body = [&](const Arrays& in) -> Arrays {
    int row_axis = axis1, column_axis = axis2;
    const Array matrices = with_matrix_last("trace", in[0], row_axis, column_axis);
    const Array mask = diagonal_mask(in[0].shape()[row_axis], in[0].shape()[column_axis], in.size() > 1 ? in[1] : Array(0));
    const Array zeros = zeros_like(matrices);
    return {sum(detail::where_jitted(mask, matrices, zeros), {.axis = {-2, -1}})};
  };
  return detail::call_jitted("trace", body, operands)[0];
}
Array trace(const Operand& x) { return trace_of(x, {x.value}, 0, 1); }
Array trace(const Operand& x, int offset, int axis1, int axis2) { return trace_of(x, {x.value, offset}, axis1, axis2); }

static Array triangle(const char* who, const Operand& x, int k, bool lower) {
  detail::FunctionScope site(x.loc);
  auto body = [&](const Arrays& in) -> Arrays {
    const Shape shape = in[0].shape();
    const int ndim = in[0].ndim();
    if (ndim < 2) fail<ValueError>(who, "needs at least two axes; got ", in[0].aval());
    Array mask = tri(shape[ndim - 2], shape[ndim - 1], lower ? k : k - 1, bool_);
    if (ndim > 2) mask = lax::broadcast_in_dim(mask, shape, Axes{ndim - 2, ndim - 1});
    const Array zeros = zeros_like(in[0]);
    return {lower ? lax::select(mask, in[0], zeros) : lax::select(mask, zeros, in[0])};
  };
  return detail::call_jitted(who, body, {x.value})[0];
}
Array tril(const Operand& x, int k) { return triangle("tril", x, k, true); }
Array triu(const Operand& x, int k) { return triangle("triu", x, k, false); }

}  // namespace tenon::jnp
