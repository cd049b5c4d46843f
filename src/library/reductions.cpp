// Sums, means, extremes and indices of extremes over axes.
#include <cmath>
#include <limits>

#include "base/fail.h"
#include "base/promotion.h"
#include "library/promote.h"
#include "tenon/detail/jitted.h"

namespace tenon::jnp {
namespace {

using Reduce = Array (*)(const Operand&, const Axes&);

Axes reduced_axes(const char* who, const Array& x, const AxisArgument& axis) {
  if (axis.all()) return detail::axis_range(0, x.ndim());
  return detail::canonical_axes(who, axis.axes(), x.ndim());
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
using detail::computation_dtype;

// What a reduction is of, beside its operand.
struct Over {
  const char* who;
  Axes axes;
  bool keepdims;
  Array initial = {}, where = {};
};
using Combine = Array (*)(const Operand&, const Operand&);
// `neutral`: in the place of elements that take no part.
Array reduced(const Array& operand, Reduce reduce, const Over& over, DType computed, DType result, double neutral, Combine combine) {
  Array x = lax::convert_type(operand, computed, false);
  if (!over.where.is_empty()) {
    detail::check_mask(over.who, over.where, x);
    const Array value = detail::constant_like(x, neutral);
    x = detail::visible_jitted(over.where, x, value);
  }
  Array y = reduce(x, over.axes);
  if (!over.initial.is_empty()) {
    if (over.initial.ndim() != 0) fail<ValueError>(over.who, "`initial` must be a scalar; got ", over.initial.aval());
    const Array first = lax::convert_type(over.initial, x.dtype(), false);
    y = combine(first, y);
  }
  if (over.keepdims) y = lax::expand_dims(y, over.axes);
  return lax::convert_type(y, result, false);
}

// How many elements take part, for each element of the result.
Array counted(const Array& mask, const Array& x, const Over& over, DType dtype) {
  const Array everywhere = lax::convert_type(detail::broadcast_to(over.who, mask, x.shape()), default_int(), false);
  return reduced(everywhere, lax::reduce_sum, {over.who, over.axes, over.keepdims}, dtype, dtype, 0, lax::add);
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

static Array add_up(const char* who, const Array& operand, const SumOptions& options, Reduce reduce, double neutral, Combine combine) {
  const Array x = operand.dtype().is_bool() ? lax::convert_type(operand, default_int(), false) : operand;
  const DType result = options.dtype ? canonical_dtype(*options.dtype) : promoted_integer(x.dtype());
  const DType computed = options.dtype ? result : computation_dtype(result);
  return reduced(x, reduce, {who, reduced_axes(who, x, options.axis), options.keepdims, options.initial, options.where}, computed, result, neutral, combine);
}
Array sum(const Operand& x, const SumOptions& options) {
  detail::FunctionScope site(x);
  return add_up("sum", x.value, options, lax::reduce_sum, 0, lax::add);
}
Array prod(const Operand& x, const SumOptions& options) {
  detail::FunctionScope site(x);
  return add_up("prod", x.value, options, lax::reduce_prod, 1, lax::mul);
}

Array mean(const Operand& operand, const MeanOptions& options) {
  detail::FunctionScope site(operand);
  const Array x = operand.value.dtype().is_bool() ? lax::convert_type(operand.value, int32, false) : operand.value;
  const DType result = options.dtype ? canonical_dtype(*options.dtype) : detail::to_inexact(x.dtype());
  const DType computed = options.dtype ? result : computation_dtype(result);
  const Over over{"mean", reduced_axes("mean", x, options.axis), options.keepdims, {}, options.where};
  Array size;
  if (!options.where.is_empty()) size = counted(options.where, x, over, computed);
  const Array total = reduced(x, lax::reduce_sum, over, computed, computed, 0, lax::add);
  if (size.is_empty()) size = detail::constant_like(total, static_cast<double>(count(x, over.axes)));
  return lax::convert_type(lax::div(total, size), result, false);
}

// The value below (above) all others of a dtype.
static double bottom(DType dtype, bool is_max) {
  if (dtype.is_inexact()) return is_max ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  if (dtype.is_bool()) return is_max ? 0 : 1;
  const int bits = dtype.bits();
  if (dtype.is_unsigned()) return is_max ? 0 : std::ldexp(1.0, bits) - 1;
  return is_max ? -std::ldexp(1.0, bits - 1) : std::ldexp(1.0, bits - 1) - 1;
}
static Array extreme(const char* who, const Operand& x, const ExtremeOptions& options, Reduce reduce, Combine combine, bool is_max) {
  detail::FunctionScope site(x);
  const Over over{who, reduced_axes(who, x.value, options.axis), options.keepdims, options.initial, options.where};
  if (options.initial.is_empty()) {
    if (!options.where.is_empty()) fail<ValueError>(who, "with `where` there may be no element left: give `initial`, the result then");
    check_not_empty(who, x.value, over.axes);
  }
  const DType dtype = x.value.dtype();
  return reduced(x.value, reduce, over, dtype, dtype, bottom(dtype, is_max), combine);
}
Array max(const Operand& x, const ExtremeOptions& options) { return extreme("max", x, options, lax::reduce_max, lax::max, true); }
Array min(const Operand& x, const ExtremeOptions& options) { return extreme("min", x, options, lax::reduce_min, lax::min, false); }

Array amax(const Operand& x, const ExtremeOptions& options) { return max(x, options); }
Array amin(const Operand& x, const ExtremeOptions& options) { return min(x, options); }

static Array truth(const char* who, const Operand& x, const MaskedOptions& options, Reduce reduce, bool neutral) {
  detail::FunctionScope site(x);
  const Over over{who, reduced_axes(who, x.value, options.axis), options.keepdims, {}, options.where};
  return reduced(x.value, reduce, over, bool_, bool_, neutral, nullptr);
}
Array any(const Operand& x, const MaskedOptions& options) { return truth("any", x, options, lax::reduce_or, false); }
Array all(const Operand& x, const MaskedOptions& options) { return truth("all", x, options, lax::reduce_and, true); }

static Array arg_extreme(const char* who, const Operand& operand, const ArgOptions& options,
                         Array (*find)(const Operand&, int, DType)) {
  detail::FunctionScope site(operand);
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

// in: x, the mean if it is given, degrees of freedom that are not counted, the mask if there is one.
static Array variance(const char* who, const Array& operand, const VarOptions& options, const Array& ddof) {
  detail::check_variance(who, operand, options);
  Arrays operands = {operand};
  if (!options.mean.is_empty()) operands.push_back(options.mean);
  const size_t ddof_at = operands.size();
  operands.push_back(ddof);
  if (!options.where.is_empty()) operands.push_back(options.where);
  auto body = [&](const Arrays& in) -> Arrays {
    const Array mask = in.size() > ddof_at + 1 ? in.back() : Array();
    const DType inexact = options.dtype ? canonical_dtype(*options.dtype) : detail::to_inexact(in[0].dtype());
    const Array x = lax::convert_type(in[0], computation_dtype(inexact), false);
    const Array middle = ddof_at == 2 ? lax::convert_type(in[1], x.dtype(), false)
                                      : mean(x, {.axis = options.axis, .keepdims = true, .where = mask});
    Array centered = lax::sub(x, middle);
    if (x.dtype().is_complex()) {
      const Array conjugate = lax::conj(centered);
      centered = lax::real(lax::mul(centered, conjugate));
    } else {
      centered = lax::square(centered);
    }
    const Over over{who, reduced_axes(who, x, options.axis), options.keepdims};
    const Array size = mask.is_empty() ? detail::constant_like(centered, static_cast<double>(count(x, over.axes))) : counted(mask, x, over, centered.dtype());
    const Array degrees = lax::sub(size, lax::convert_type(in[ddof_at], centered.dtype(), false));
    const DType result = options.dtype || !inexact.is_complex() ? inexact : centered.dtype();
    const Array total = sum(centered, {.axis = options.axis, .keepdims = options.keepdims, .where = mask});
    const Array y = lax::convert_type(lax::div(total, degrees), result, false);
    const Array valid = lax::gt(degrees, detail::constant_like(degrees, 0));
    return {where(valid, y, std::numeric_limits<double>::quiet_NaN())};
  };
  return detail::call_jitted("_var", body, operands)[0];
}
Array var(const Operand& x, const VarOptions& options) {
  detail::FunctionScope site(x);
  return variance("var", x.value, options, options.ddof);
}
Array std(const Operand& x, const VarOptions& options) {
  detail::FunctionScope site(x);
  Arrays operands = {x.value, options.ddof};
  for (const Array& more : {options.mean, options.where})
    if (!more.is_empty()) operands.push_back(more);
  auto body = [&](const Arrays& in) -> Arrays {
    VarOptions inner = options;
    if (!inner.mean.is_empty()) inner.mean = in[2];
    if (!inner.where.is_empty()) inner.where = in.back();
    return {lax::sqrt(variance("std", in[0], inner, in[1]))};
  };
  return detail::call_jitted("_std", body, operands)[0];
}

}  // namespace tenon::jnp
