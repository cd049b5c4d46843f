// Sums, means, extremes and indices of extremes over axes.
#include <limits>

#include "base/fail.h"
#include "base/promotion.h"
#include "library/promote.h"
#include "tenon/detail/jitted.h"

namespace tenon::jnp {
namespace {

using Reduce = Array (*)(const Operand&, const Axes&);

Axes reduced_axes(const char* who, const Array& x, const ReduceOptions& options) {
  if (options.axis.all()) return detail::axis_range(0, x.ndim());
  return detail::canonical_axes(who, options.axis.axes(), x.ndim());
}

// Small integers add up in 32 bits (64 with enable_x64).
DType promoted_integer(DType dtype) {
  if (dtype.is_bool() || dtype.is_signed()) return dtype.bits() < default_int().bits() ? default_int() : dtype;
  if (dtype.is_unsigned()) {
    const DType widest = canonical_dtype(DType(DType::kUInt64));
    return dtype.bits() < widest.bits() ? widest : dtype;
  }
  return dtype;
}
// Halves add up as float32.
DType computation_dtype(DType dtype) {
  return dtype.code() == DType::kFloat16 || dtype.code() == DType::kBFloat16 ? DType(DType::kFloat32) : dtype;
}

Array reduced(const Array& x, Reduce reduce, const Axes& axes, bool keepdims, DType computed, DType result) {
  Array y = reduce(lax::convert_type(x, computed, false), axes);
  if (keepdims) y = lax::expand_dims(y, axes);
  return lax::convert_type(y, result, false);
}

void check_not_empty(const char* who, const Array& x, const Axes& axes) {
  for (int64_t axis : axes)
    if (x.shape()[axis] == 0)
      fail<ValueError>(who, "a reduction of no elements has no result; got ", x.aval(), " and axes ", axes);
}

int64_t count(const Array& x, const Axes& axes) {
  int64_t n = 1;
  for (int64_t axis : axes) n *= x.shape()[axis];
  return n;
}

}  // namespace

static Array add_up(const char* who, const Array& operand, const ReduceOptions& options, Reduce reduce) {
  const Array x = operand.dtype().is_bool() ? lax::convert_type(operand, default_int(), false) : operand;
  const DType result = promoted_integer(x.dtype());
  return reduced(x, reduce, reduced_axes(who, x, options), options.keepdims, computation_dtype(result), result);
}
Array sum(const Operand& x, const ReduceOptions& options) {
  detail::FunctionScope site(x.loc);
  return add_up("sum", x.value, options, lax::reduce_sum);
}
Array prod(const Operand& x, const ReduceOptions& options) {
  detail::FunctionScope site(x.loc);
  return add_up("prod", x.value, options, lax::reduce_prod);
}

Array mean(const Operand& operand, const ReduceOptions& options) {
  detail::FunctionScope site(operand.loc);
  const Array x = operand.value.dtype().is_bool() ? lax::convert_type(operand.value, default_int(), false) : operand.value;
  const DType result = detail::to_inexact(x.dtype()), computed = computation_dtype(result);
  const Axes axes = reduced_axes("mean", x, options);
  const Array total = reduced(x, lax::reduce_sum, axes, options.keepdims, computed, computed);
  const Array size = detail::constant_like(total, static_cast<double>(count(x, axes)));
  return lax::convert_type(lax::div(total, size), result, false);
}

static Array extreme(const char* who, const Operand& x, const ReduceOptions& options, Reduce reduce) {
  detail::FunctionScope site(x.loc);
  const Axes axes = reduced_axes(who, x.value, options);
  check_not_empty(who, x.value, axes);
  const DType dtype = x.value.dtype();
  return reduced(x.value, reduce, axes, options.keepdims, dtype, dtype);
}
Array max(const Operand& x, const ReduceOptions& options) { return extreme("max", x, options, lax::reduce_max); }
Array min(const Operand& x, const ReduceOptions& options) { return extreme("min", x, options, lax::reduce_min); }

Array amax(const Operand& x, const ReduceOptions& options) { return max(x, options); }
Array amin(const Operand& x, const ReduceOptions& options) { return min(x, options); }

static Array truth(const char* who, const Operand& x, const ReduceOptions& options, Reduce reduce) {
  detail::FunctionScope site(x.loc);
  return reduced(x.value, reduce, reduced_axes(who, x.value, options), options.keepdims, bool_, bool_);
}
Array any(const Operand& x, const ReduceOptions& options) { return truth("any", x, options, lax::reduce_or); }
Array all(const Operand& x, const ReduceOptions& options) { return truth("all", x, options, lax::reduce_and); }

static Array arg_extreme(const char* who, const Operand& operand, const ArgOptions& options,
                         Array (*find)(const Operand&, int, DType)) {
  detail::FunctionScope site(operand.loc);
  Array x = operand.value;
  Axes dims = detail::axis_range(0, x.ndim());
  int64_t axis = 0;
  if (options.axis) {
    axis = detail::canonical_axis(who, *options.axis, x.ndim());
    dims = Axes(static_cast<int>(axis));
  } else {
    x = ravel(x);
  }
  if (x.shape()[axis] == 0) fail<ValueError>(who, "there is no element; got ", operand.value.aval());
  Array index = find(x, static_cast<int>(axis), default_int());
  return options.keepdims ? lax::expand_dims(index, dims) : index;
}
Array argmax(const Operand& x, const ArgOptions& options) { return arg_extreme("argmax", x, options, lax::argmax); }
Array argmin(const Operand& x, const ArgOptions& options) { return arg_extreme("argmin", x, options, lax::argmin); }

// in: x, degrees of freedom that are not counted.
static Array variance(const Array& operand, const VarOptions& options, const Array& ddof) {
  auto body = [&](const Arrays& in) -> Arrays {
    const DType inexact = detail::to_inexact(in[0].dtype());
    const Array x = lax::convert_type(in[0], computation_dtype(inexact), false);
    const ReduceOptions reduce{.axis = options.axis, .keepdims = options.keepdims};
    Array centered = lax::sub(x, mean(x, {.axis = options.axis, .keepdims = true}));
    if (inexact.is_complex()) {
      const Array conjugate = lax::conj(centered);
      centered = lax::real(lax::mul(centered, conjugate));
    } else {
      centered = lax::square(centered);
    }
    const Array size = detail::constant_like(centered, static_cast<double>(count(x, reduced_axes("var", x, reduce))));
    const Array degrees = lax::sub(size, lax::convert_type(in[1], centered.dtype(), false));
    const DType result = inexact.is_complex() ? centered.dtype() : inexact;
    const Array y = lax::convert_type(lax::div(sum(centered, reduce), degrees), result, false);
    const Array valid = lax::gt(degrees, detail::constant_like(degrees, 0));
    return {where(valid, y, std::numeric_limits<double>::quiet_NaN())};
  };
  return detail::call_jitted("_var", body, {operand, ddof})[0];
}
Array var(const Operand& x, const VarOptions& options) {
  detail::FunctionScope site(x.loc);
  return variance(x.value, options, options.ddof);
}
Array std(const Operand& x, const VarOptions& options) {
  detail::FunctionScope site(x.loc);
  auto body = [&](const Arrays& in) -> Arrays { return {lax::sqrt(variance(in[0], options, in[1]))}; };
  return detail::call_jitted("_std", body, {x.value, options.ddof})[0];
}

}  // namespace tenon::jnp
