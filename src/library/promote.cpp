#include "library/promote.h"

#include <algorithm>

#include "base/fail.h"
#include "base/promotion.h"
#include "ops/rules.h"
#include "ops/select_n.h"
#include "tenon/detail/jitted.h"

namespace tenon::detail {

namespace {

Arrays converted(const Arrays& xs, DType dtype, bool weak) {
  Arrays out;
  for (const Array& x : xs) out.push_back(lax::convert_type(x, dtype, weak));
  return out;
}

}  // namespace

DType to_numeric(DType dtype) { return dtype.is_bool() ? DType(DType::kInt32) : dtype; }

Arrays promote_dtypes(const char* who, const Arrays& xs) {
  if (xs.size() < 2) return xs;
  PromotedType type = promote(avals_of(xs), who);
  return converted(xs, type.dtype, type.weak);
}
Arrays promote_dtypes_inexact(const char* who, const Arrays& xs) {
  PromotedType type = promote(avals_of(xs), who);
  return converted(xs, to_inexact(type.dtype), type.weak);
}
Arrays promote_dtypes_numeric(const char* who, const Arrays& xs) {
  PromotedType type = promote(avals_of(xs), who);
  return converted(xs, to_numeric(type.dtype), type.weak);
}

Arrays promote_shapes(const char* who, const Arrays& xs) {
  int rank = 0;
  bool differ = false;
  for (const Array& x : xs) {
    const int ndim = x.ndim();
    if (ndim == 0) continue;
    differ |= rank != 0 && ndim != rank;
    rank = std::max(rank, ndim);
  }
  if (!differ) return xs;
  numpy_broadcast_shape(who, xs);  // throws with the shapes as the user gave them
  Arrays out;
  for (const Array& x : xs) {
    const int missing = rank - x.ndim();
    out.push_back(missing == 0 ? x : lax::expand_dims(x, axis_range(0, missing)));
  }
  return out;
}

Arrays promote_args(const char* who, const Arrays& xs) { return promote_shapes(who, promote_dtypes(who, xs)); }
Arrays promote_args_inexact(const char* who, const Arrays& xs) {
  return promote_shapes(who, promote_dtypes_inexact(who, xs));
}
Arrays promote_args_numeric(const char* who, const Arrays& xs) {
  return promote_shapes(who, promote_dtypes_numeric(who, xs));
}

Shape numpy_broadcast_shape(const char* who, const Arrays& xs) {
  Shape result;
  for (const Array& x : xs) {
    const Shape shape = x.shape();
    if (shape.size() > result.size()) {
      std::vector<int64_t> dims(shape.size() - result.size(), 1);
      dims.insert(dims.end(), result.begin(), result.end());
      result = Shape(std::move(dims));
    }
    const size_t offset = result.size() - shape.size();
    for (size_t i = 0; i < shape.size(); ++i) {
      int64_t& size = result[offset + i];
      if (size == 1) size = shape[i];
      if (shape[i] != 1 && shape[i] != size)
        fail<ShapeError>(who, "shapes do not broadcast: sizes ", size, " and ", shape[i], " meet; got ", avals_of(xs));
    }
  }
  return result;
}

Array broadcast_to(const char* who, const Array& x, const Shape& shape) {
  const Shape old = x.shape();
  if (old == shape) return x;
  const int64_t offset = shape.ndim() - old.ndim();
  bool fits = offset >= 0;
  for (int i = 0; fits && i < old.ndim(); ++i) fits = old[i] == 1 || old[i] == shape[offset + i];
  if (!fits) fail<ValueError>(who, x.aval(), " does not broadcast to shape ", shape);
  return lax::broadcast_in_dim(x, shape, axis_range(offset, shape.ndim()));
}

Arrays broadcast_arrays(const char* who, const Arrays& xs) {
  const Shape shape = numpy_broadcast_shape(who, xs);
  Arrays out;
  for (const Array& x : xs) out.push_back(broadcast_to(who, x, shape));
  return out;
}

Array to_bool(const Array& x) { return x.dtype().is_bool() ? x : lax::ne(x, constant_like(x, 0)); }

using Choice = Array (*)(const Array& condition, const Array& x, const Array& y);
static Arrays where_body(const Arrays& in, Choice choose) {
  Array condition = to_bool(in[0]);
  Arrays xy = promote_dtypes("where", {in[1], in[2]});
  if (condition.ndim() == 0) {
    xy = broadcast_arrays("where", xy);
  } else {
    Arrays all = broadcast_arrays("where", {condition, xy[0], xy[1]});
    condition = all[0];
    xy = {all[1], all[2]};
  }
  if (xy[0].size() == 0) return {xy[0]};
  return {choose(condition, xy[0], xy[1])};
}
Array where_jitted(const Array& condition, const Array& x, const Array& y) {
  const auto choose = [](const Array& c, const Array& a, const Array& b) { return lax::select(c, a, b); };
  return call_jitted("_where", [&](const Arrays& in) { return where_body(in, choose); }, {condition, x, y})[0];
}
void check_mask(const char* who, const Array& mask, const Array& x) {
  if (!mask.dtype().is_bool()) fail<TypeError>(who, "`where` is an array of bools; got ", mask.aval());
  const Shape from = mask.shape(), to = x.shape();
  bool fits = from.ndim() <= to.ndim();
  for (int i = 1; fits && i <= from.ndim(); ++i) fits = from[from.ndim() - i] == 1 || from[from.ndim() - i] == to[to.ndim() - i];
  if (!fits) fail<ShapeError>(who, "`where` must broadcast to the shape of the operand; got ", Avals{mask.aval(), x.aval()});
}
void check_variance(const char* who, const Array& x, const VarOptions& options) {
  if (!options.where.is_empty()) check_mask(who, options.where, x);
  if (!options.dtype) return;
  if (!options.dtype->is_complex() && x.dtype().is_complex())
    fail<ValueError>(who, "the variance of complex numbers in a real dtype is not defined; got ", x.aval(), " and ", *options.dtype);
  if (!options.dtype->is_inexact()) fail<ValueError>(who, "dtype must be floating; got ", *options.dtype);
}
DType computation_dtype(DType dtype) {
  return dtype.code() == DType::kFloat16 || dtype.code() == DType::kBFloat16 ? DType(DType::kFloat32) : dtype;
}
Array visible_jitted(const Array& mask, const Array& x, const Array& instead) {
  return call_jitted("_where", [](const Arrays& in) { return where_body(in, lax::select_visible); }, {mask, x, instead})[0];
}

bool is_scalar_node(const Array& x) { return x.node("scalar").kind() == ArrayNode::Kind::scalar; }

int64_t canonical_axis(const char* who, int64_t axis, int ndim) { return lax::canonical_axis(who, axis, ndim); }
Axes canonical_axes(const char* who, const Axes& axes, int ndim) { return lax::canonical_axes(who, axes, ndim); }
Axes axis_range(int64_t begin, int64_t end) {
  Axes out;
  for (int64_t i = begin; i < end; ++i) out.push_back(i);
  return out;
}

}  // namespace tenon::detail
