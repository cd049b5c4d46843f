// Arrays out of nothing but sizes and scalars.
#include <algorithm>
#include <cmath>

#include "base/fail.h"
#include "base/promotion.h"
#include "core/nodes.h"
#include "library/promote.h"
#include "tenon/detail/jitted.h"

namespace tenon::jnp {

static DType dtype_or_float(const std::optional<DType>& dtype) { return dtype ? canonical_dtype(*dtype) : default_float(); }

Array full(const Shape& shape, const Operand& value, std::optional<DType> dtype) {
  detail::FunctionScope site(value.loc);
  if (dtype) detail::check_scalar_fits("full", value.value, canonical_dtype(*dtype));
  if (value.value.ndim() == 0) return lax::full(shape, value, dtype);
  return detail::broadcast_to("full", dtype ? astype(value, *dtype) : value.value, shape);
}
Array ones(const Shape& shape, std::optional<DType> dtype, Loc loc) { return lax::full(shape, Operand(1, loc), dtype_or_float(dtype)); }
Array zeros(const Shape& shape, std::optional<DType> dtype, Loc loc) { return lax::full(shape, Operand(0, loc), dtype_or_float(dtype)); }
Array empty(const Shape& shape, std::optional<DType> dtype, Loc loc) { return zeros(shape, dtype, loc); }

Array full_like(const Operand& x, const Operand& value, std::optional<DType> dtype) {
  detail::FunctionScope site(x.loc);
  detail::check_scalar_fits("full_like", value.value, canonical_dtype(dtype.value_or(x.value.dtype())));
  if (value.value.ndim() == 0) return lax::full_like(x, value, dtype);
  return detail::broadcast_to("full_like", astype(value, dtype.value_or(x.value.dtype())), x.value.shape());
}
Array ones_like(const Operand& x, std::optional<DType> dtype) { return lax::full_like(x, 1, dtype); }
Array zeros_like(const Operand& x, std::optional<DType> dtype) { return lax::full_like(x, 0, dtype); }

// A bound as a number. Sizes of arrays depend on it, so it cannot be traced.
static double known(const char* what, const Array& x) {
  if (x.is_tracer())
    fail<ConcretizationTypeError>("arange", what, " is traced, and the size of an array cannot depend on it; got ", x.aval(),
                                  "; make the argument static");
  if (x.ndim() != 0) fail<ValueError>("arange", what, " must be a scalar; got ", x.aval());
  if (x.dtype().is_complex()) fail<ValueError>("arange", what, " must be real; got ", x.aval());
  detail::check_default_int(x.node("arange"));
  return x.item<double>();
}

static int64_t steps(double span) {
  if (std::isnan(span)) fail<ValueError>("arange", "the bounds must not be NaN");
  if (span > 9e18) fail<ValueError>("arange", "too many elements; got ", span);
  return span > 0 ? static_cast<int64_t>(std::ceil(span)) : 0;
}

static DType range_dtype(const Arrays& bounds, const std::optional<DType>& dtype) {
  if (dtype) return canonical_dtype(*dtype);
  Avals avals;
  for (const Array& bound : bounds) avals.push_back(bound.aval());
  return promote(avals, "arange").dtype;
}

Array arange(const Operand& stop, std::optional<DType> dtype) {
  detail::FunctionScope site(stop.loc);
  return lax::iota(range_dtype({stop.value}, dtype), steps(known("stop", stop.value)));
}
Array arange(const Operand& start, const Operand& stop, std::optional<DType> dtype) {
  detail::FunctionScope site(start.loc);
  const double first = known("start", start.value);
  const DType type = range_dtype({start.value, stop.value}, dtype);
  const Array index = lax::iota(type, steps(known("stop", stop.value) - first));
  return first == 0 ? index : lax::add(lax::convert_element_type(start, type), index);
}
Array arange(const Operand& start, const Operand& stop, const Operand& step, std::optional<DType> dtype) {
  detail::FunctionScope site(start.loc);
  const double by = known("step", step.value);
  if (by == 0) fail<ValueError>("arange", "step must not be 0");
  const DType type = range_dtype({start.value, stop.value, step.value}, dtype);
  const Array index = lax::iota(type, steps((known("stop", stop.value) - known("start", start.value)) / by));
  const Array offset = lax::mul(lax::convert_element_type(step, type), index);
  return lax::add(lax::convert_element_type(start, type), offset);
}

// start * (1 - i/n) + (stop/n) * i hits both ends exactly.
Array linspace(const Operand& start, const Operand& stop, int64_t num, const LinspaceOptions& options) {
  detail::FunctionScope site(start.loc);
  if (num < 0) fail<ValueError>("linspace", "num must not be negative; got ", num);
  auto body = [&](const Arrays& in) -> Arrays {
    const Avals avals = {in[0].aval(), in[1].aval()};
    const DType dtype = options.dtype ? canonical_dtype(*options.dtype) : detail::to_inexact(promote(avals, "linspace").dtype);
    const DType computed = detail::to_inexact(dtype);
    const Array first = lax::convert_type(in[0], computed, false), last = lax::convert_type(in[1], computed, false);
    const Arrays ends = detail::broadcast_arrays("linspace", {first, last});
    const Shape shape = ends[0].shape();
    std::vector<int64_t> dims = shape.dims();
    dims.insert(dims.begin(), 1);
    const Shape row(dims);
    const int64_t parts = options.endpoint ? num - 1 : num;
    Array out;
    if (num > 1) {
      const Array count = lax::convert_type(Array(static_cast<double>(parts)), computed, false);
      divide(subtract(last, first), count);  // the step, which JAX computes before it drops it
      Shape column(std::vector<int64_t>(row.size(), 1));
      column[0] = parts;
      const Array index = lax::reshape(lax::iota(computed, parts), column);
      const Array fraction = divide(index, count);
      const Array from_first = lax::reshape(ends[0], row);
      const Array left = multiply(from_first, subtract(1, fraction));
      const Array per_part = divide(lax::reshape(ends[1], row), count);
      out = add(left, multiply(per_part, index));
      if (options.endpoint) out = lax::concatenate({out, lax::expand_dims(ends[1], 0)}, 0);
    } else if (num == 1) {
      out = lax::reshape(ends[0], row);
    } else {
      dims[0] = 0;
      out = zeros(Shape(dims), dtype);
    }
    if (dtype.is_integer() && !out.dtype().is_integer()) out = lax::floor(out);
    return {lax::convert_type(out, dtype, false)};
  };
  return detail::call_jitted("_linspace", body, {start.value, stop.value})[0];
}

static void check_sizes(const char* who, int64_t n, int64_t m) {
  if (n < 0 || m < 0) fail<ValueError>(who, "sizes must not be negative; got ", n, " and ", m);
}

Array eye(int64_t n, int64_t m, int k, std::optional<DType> dtype, Loc loc) {
  detail::FunctionScope site(loc);
  check_sizes("eye", n, m);
  const Array row = lax::broadcasted_iota(default_int(), {n, m}, 0);
  const Array column = lax::broadcasted_iota(default_int(), {n, m}, 1);
  return lax::convert_type(equal(add(row, k), column), dtype_or_float(dtype), false);
}
Array eye(int64_t n, std::optional<DType> dtype, Loc loc) { return eye(n, n, 0, dtype, loc); }

Array tri(int64_t n, int64_t m, int k, std::optional<DType> dtype, Loc loc) {
  detail::FunctionScope site(loc);
  check_sizes("tri", n, m);
  // Beyond the corners all diagonals are alike.
  const int64_t diagonal = std::clamp<int64_t>(k, -n, m);
  const Array row = add(lax::broadcasted_iota(default_int(), {n, m}, 0), diagonal);
  return lax::convert_type(greater_equal(row, lax::broadcasted_iota(default_int(), {n, m}, 1)), dtype_or_float(dtype), false);
}

}  // namespace tenon::jnp
