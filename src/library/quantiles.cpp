// Quantiles: sort, then the elements at and around the place.
#include <limits>

#include "base/fail.h"
#include "base/promotion.h"
#include "library/promote.h"
#include "tenon/detail/jitted.h"

namespace tenon::jnp {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// x with the reduced axes as its last one, which is `axis`.
struct Rows {
  Array x;
  int axis;
  Shape keepdims;  // shape of the result with the reduced axes at size 1; only where it is not that of one axis kept
};
Rows rows_of(const Array& x, const QuantileOptions& options) {
  const AxisArgument& axis = options.axis;
  const int ndim = x.ndim();
  if (axis.all()) {
    return {ravel(x), 0, options.keepdims ? Shape(std::vector<int64_t>(static_cast<size_t>(ndim), 1)) : Shape()};
  }
  const Axes axes = detail::canonical_axes("quantile", axis.axes(), ndim);
  if (axes.size() == 1) return {x, static_cast<int>(axes[0]), {}};
  Axes order;
  Shape shape, kept = x.shape();
  int64_t size = 1;
  for (int i = 0; i < ndim; ++i) {
    if (axes.contains(i)) continue;
    order.push_back(i);
    shape.push_back(x.shape()[i]);
  }
  for (int64_t i : axes) {
    order.push_back(i);
    size *= x.shape()[i];
    kept[i] = 1;
  }
  shape.push_back(size);
  return {lax::reshape(lax::transpose(x, order), shape), shape.ndim() - 1, options.keepdims ? kept : Shape()};
}

Array interpolated(QuantileMethod method, const Array& low, const Array& high, const Array& low_weight, const Array& high_weight, DType dtype) {
  switch (method) {
    case QuantileMethod::lower: return low;
    case QuantileMethod::higher: return high;
    case QuantileMethod::nearest: return lax::select(lax::le(high_weight, detail::constant_like(high_weight, 0.5)), low, high);
    case QuantileMethod::midpoint: {
      const Array both = lax::add(low, high);
      return lax::mul(both, detail::constant_like(low, 0.5));
    }
    case QuantileMethod::linear: break;
  }
  const Array below = lax::mul(lax::convert_type(low, dtype, false), low_weight);
  return lax::add(below, lax::mul(lax::convert_type(high, dtype, false), high_weight));
}

// Between which places the quantile is, and how near to each.
struct Place {
  Array low, high, low_weight, high_weight;
};
Place around(const Array& q) {
  const Array low = lax::floor(q), high = lax::ceil(q);
  const Array high_weight = lax::sub(q, low);
  return {low, high, lax::sub(detail::constant_like(high_weight, 1), high_weight), high_weight};
}

// in: x, q.
Arrays quantile_body(const Arrays& in, const QuantileOptions& options) {
  const Array x = detail::promote_dtypes_inexact("quantile", {in[0]})[0];
  const Rows rows = rows_of(x, options);
  const Array& q = in[1];
  const int axis = rows.axis, ndim = rows.x.ndim(), q_ndim = q.ndim();
  const bool keeps = options.keepdims && !options.axis.all() && options.axis.axes().size() == 1;
  const Array has_nan = any(lax::ne(rows.x, rows.x), {.axis = axis, .keepdims = true});
  const Array sorted = lax::sort(detail::where_jitted(has_nan, kNan, rows.x), {.dimension = axis, .is_stable = false});
  const Array n = lax::convert_type(Array(rows.x.shape()[axis]), q.dtype(), false);
  Place place = around(lax::mul(q, subtract(n, 1)));
  place.low = lax::clamp(detail::constant_like(place.low, 0), place.low, subtract(n, 1));
  place.high = lax::clamp(detail::constant_like(place.high, 0), place.high, subtract(n, 1));
  const Array low = lax::convert_element_type(place.low, default_int()), high = lax::convert_element_type(place.high, default_int());

  Shape sizes = rows.x.shape();
  sizes[axis] = 1;
  lax::GatherDimensionNumbers dims;
  dims.offset_dims = detail::axis_range(q_ndim, ndim + q_ndim - (keeps ? 0 : 1));
  if (!keeps) dims.collapsed_slice_dims = Axes(axis);
  dims.start_index_map = Axes(axis);
  const Array low_value = lax::gather(sorted, lax::expand_dims(low, q_ndim), dims, sizes);
  const Array high_value = lax::gather(sorted, lax::expand_dims(high, q_ndim), dims, sizes);
  if (q_ndim == 1) {
    place.low_weight = lax::broadcast_in_dim(place.low_weight, low_value.shape(), Axes(0));
    place.high_weight = lax::broadcast_in_dim(place.high_weight, high_value.shape(), Axes(0));
  }
  Array result = interpolated(options.method, low_value, high_value, place.low_weight, place.high_weight, q.dtype());
  if (!rows.keepdims.empty()) {
    Shape shape = rows.keepdims;
    if (q_ndim == 1) {
      std::vector<int64_t> sizes_of_all = shape.dims();
      sizes_of_all.insert(sizes_of_all.begin(), q.shape()[0]);
      shape = Shape(sizes_of_all);
    }
    result = lax::reshape(result, shape);
  }
  return {lax::convert_type(result, x.dtype(), false)};
}

// The same of what is not NaN. in: x, a scalar q.
Arrays nanquantile_body(const Arrays& in, const QuantileOptions& options) {
  const Array x = detail::promote_dtypes_inexact("nanquantile", {in[0]})[0];
  const Rows rows = rows_of(x, options);
  const int axis = rows.axis;
  const bool keeps = options.keepdims && !options.axis.all() && options.axis.axes().size() == 1;
  const Array sorted = lax::sort(detail::where_jitted(lax::ne(rows.x, rows.x), kNan, rows.x), {.dimension = axis, .is_stable = false});
  const Array numbers = lax::convert_type(lax::bitwise_not(lax::ne(sorted, sorted)), default_int(), false);
  const Array counts = sum(lax::convert_type(numbers, in[1].dtype(), false), {.axis = axis, .keepdims = keeps});
  Array q = in[1];
  if (counts.ndim() > 0) q = lax::expand_dims(q, detail::axis_range(0, counts.ndim()));
  Place place = around(lax::mul(q, lax::sub(counts, detail::constant_like(q, 1))));
  auto inside = [&](const Array& at) {
    const Array last = subtract(counts, 1);
    return lax::max(detail::constant_like(at, 0), lax::min(at, last));
  };
  place.low = inside(place.low);
  place.high = inside(place.high);
  const Array low = lax::convert_element_type(place.low, default_int()), high = lax::convert_element_type(place.high, default_int());
  std::vector<Index> index;
  for (int i = 0; i < counts.ndim(); ++i) index.emplace_back(lax::broadcasted_iota(default_int(), counts.shape(), i));
  if (!keeps) index.insert(index.begin() + axis, Index(0));
  index[static_cast<size_t>(axis)] = Index(low);
  const Array low_value = detail::index_array(sorted, index, Loc());
  index[static_cast<size_t>(axis)] = Index(high);
  const Array high_value = detail::index_array(sorted, index, Loc());
  Array result = interpolated(options.method, low_value, high_value, place.low_weight, place.high_weight, q.dtype());
  if (!rows.keepdims.empty()) result = lax::reshape(result, rows.keepdims);
  return {lax::convert_type(result, x.dtype(), false)};
}

Array quantile_of(const char* name, const Array& x, const Array& q, const QuantileOptions& options,
                  Arrays (*function)(const Arrays&, const QuantileOptions&)) {
  auto body = [&](const Arrays& in) { return function(in, options); };
  return detail::call_jitted(name, body, {x, q})[0];
}

void check(const char* who, const Array& x, const Array& q, const QuantileOptions& options) {
  if (x.dtype().is_complex()) fail<ValueError>(who, "complex numbers have no order; got ", x.aval());
  if (q.ndim() > 1) fail<ValueError>(who, "q must be a scalar or a vector; got ", q.aval());
  const Axes axes = options.axis.all() ? detail::axis_range(0, x.ndim()) : detail::canonical_axes(who, options.axis.axes(), x.ndim());
  for (int64_t axis : axes)
    if (x.shape()[axis] == 0) fail<ValueError>(who, "there is no element; got ", x.aval());
}

}  // namespace

Array quantile(const Operand& x, const Operand& q, const QuantileOptions& options) {
  detail::FunctionScope site(x.loc);
  check("quantile", x.value, q.value, options);
  return quantile_of("quantile", x.value, q.value, options, quantile_body);
}

Array percentile(const Operand& x, const Operand& q, const QuantileOptions& options) {
  detail::FunctionScope site(x.loc);
  check("percentile", x.value, q.value, options);
  auto body = [&](const Arrays& in) -> Arrays {
    const Array part = lax::div(detail::promote_dtypes_inexact("percentile", {in[1]})[0], Array(100.0));
    return {quantile_of("quantile", in[0], part, options, quantile_body)};
  };
  return detail::call_jitted("percentile", body, {x.value, q.value})[0];
}

Array median(const Operand& x, const ReduceOptions& options) {
  detail::FunctionScope site(x.loc);
  const QuantileOptions middle{.axis = options.axis, .method = QuantileMethod::midpoint, .keepdims = options.keepdims};
  check("median", x.value, 0.5, middle);
  auto body = [&](const Arrays& in) -> Arrays { return {quantile_of("quantile", in[0], 0.5, middle, quantile_body)}; };
  return detail::call_jitted("median", body, {x.value})[0];
}

Array nanmedian(const Operand& x, const ReduceOptions& options) {
  detail::FunctionScope site(x.loc);
  const QuantileOptions middle{.axis = options.axis, .method = QuantileMethod::midpoint, .keepdims = options.keepdims};
  check("nanmedian", x.value, 0.5, middle);
  auto body = [&](const Arrays& in) -> Arrays { return {quantile_of("nanquantile", in[0], 0.5, middle, nanquantile_body)}; };
  return detail::call_jitted("nanmedian", body, {x.value})[0];
}

}  // namespace tenon::jnp
