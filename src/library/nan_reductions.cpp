// Reductions that leave NaN out.
#include <limits>

#include "base/promotion.h"
#include "library/promote.h"
#include "tenon/detail/jitted.h"

namespace tenon::jnp {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN();

Array is_nan(const Array& x) { return lax::ne(x, x); }
// How many elements count: as in JAX, ones that are not NaN.
Array not_nan(const Array& x) { return lax::convert_type(lax::bitwise_not(is_nan(x)), default_int(), false); }

// The arrays among the options are operands of the nested program, after x.
template <class... More>
Arrays operands_of(const Operand& x, const More&... more) {
  Arrays out = {x.value};
  for (const Array* array : {&more...})
    if (!array->is_empty()) out.push_back(*array);
  return out;
}
void check_options(const char* who, const Array& x, const Array& mask) {
  if (!mask.is_empty()) detail::check_mask(who, mask, x);
}

// sum, prod, max or min of the elements that are not NaN.
template <class Options>
Array nan_reduction(const char* who, const Operand& x, Array (*reduce)(const Operand&, const Options&), double instead, bool nan_if_all,
                    const Options& options) {
  detail::FunctionScope site(x);
  check_options(who, x.value, options.where);
  auto body = [&](const Arrays& in) -> Arrays {
    Options inner = options;
    if (!inner.initial.is_empty()) inner.initial = in[1];
    if (!inner.where.is_empty()) inner.where = in.back();
    if (!in[0].dtype().is_inexact()) return {reduce(in[0], inner)};
    const Array result = reduce(detail::where_jitted(is_nan(in[0]), detail::constant_like(in[0], instead), in[0]), inner);
    if (!nan_if_all || !inner.initial.is_empty()) return {result};
    const Array none = all(is_nan(in[0]), {.axis = options.axis, .keepdims = options.keepdims});
    return {detail::where_jitted(none, detail::constant_like(in[0], kNan), result)};
  };
  return detail::call_jitted(who, body, operands_of(x, options.initial, options.where))[0];
}

}  // namespace

Array nansum(const Operand& x, const SumOptions& options) { return nan_reduction("nansum", x, &sum, 0, false, options); }
Array nanprod(const Operand& x, const SumOptions& options) { return nan_reduction("nanprod", x, &prod, 1, false, options); }
Array nanmax(const Operand& x, const ExtremeOptions& options) { return nan_reduction("nanmax", x, &max, -kInfinity, true, options); }
Array nanmin(const Operand& x, const ExtremeOptions& options) { return nan_reduction("nanmin", x, &min, kInfinity, true, options); }

Array nanmean(const Operand& x, const MeanOptions& options) {
  detail::FunctionScope site(x);
  check_options("nanmean", x.value, options.where);
  auto body = [&](const Arrays& in) -> Arrays {
    MeanOptions inner = options;
    if (!inner.where.is_empty()) inner.where = in[1];
    const DType dtype = options.dtype ? canonical_dtype(*options.dtype) : in[0].dtype();
    if (!in[0].dtype().is_inexact()) return {mean(in[0], inner)};
    // Halves count in float32: 2048 + 1 is 2048 in float16.
    const DType counts = dtype.bits() < 32 ? DType(DType::kFloat32) : dtype;
    const SumOptions along{.axis = options.axis, .keepdims = options.keepdims, .where = inner.where};
    const Array count = lax::convert_type(sum(lax::convert_type(not_nan(in[0]), counts, false), along), dtype, false);
    return {lax::div(nansum(in[0], {.axis = options.axis, .dtype = options.dtype, .keepdims = options.keepdims, .where = inner.where}), count)};
  };
  return detail::call_jitted("nanmean", body, operands_of(x, options.where))[0];
}

// in: x, degrees of freedom that are not counted unless they are 0, the mean and the mask where there are some.
static Array nan_variance(const Array& operand, const VarOptions& options, const Array& ddof) {
  auto body = [&](const Arrays& in) -> Arrays {
    size_t next = 1;
    const Array less = ddof.is_empty() ? Array(0) : in[next++];
    const Array given = options.mean.is_empty() ? Array() : in[next++];
    const Array mask = options.where.is_empty() ? Array() : in[next];
    const DType inexact = options.dtype ? canonical_dtype(*options.dtype) : detail::to_inexact(in[0].dtype());
    const Array x = lax::convert_type(in[0], detail::computation_dtype(inexact), false);
    const Array middle = given.is_empty() ? nanmean(x, {.axis = options.axis, .keepdims = true, .where = mask}) : lax::convert_type(given, x.dtype(), false);
    const Array none = is_nan(x);
    Array centered = where(none, 0, lax::sub(x, middle));
    if (x.dtype().is_complex()) {
      const Array conjugate = lax::conj(centered);
      centered = lax::real(lax::mul(centered, conjugate));
    } else {
      centered = lax::square(centered);
    }
    const SumOptions along{.axis = options.axis, .keepdims = options.keepdims, .where = mask};
    const Array degrees = subtract(sum(not_nan(x), along), less);
    const Array invalid = lax::le(degrees, detail::constant_like(degrees, 0));
    Array total = sum(centered, along);
    total = where(invalid, kNan, total);
    const Array divisor = lax::convert_type(where(invalid, 1, degrees), total.dtype(), false);
    const DType result = options.dtype || !inexact.is_complex() ? inexact : total.dtype();
    return {lax::convert_type(lax::div(total, divisor), result, false)};
  };
  return detail::call_jitted("nanvar", body, operands_of(operand, ddof, options.mean, options.where))[0];
}
Array nanvar(const Operand& x, const VarOptions& options) {
  detail::FunctionScope site(x);
  detail::check_variance("nanvar", x.value, options);
  return nan_variance(x.value, options, options.ddof == 0 ? Array() : Array(options.ddof));
}
Array nanstd(const Operand& x, const VarOptions& options) {
  detail::FunctionScope site(x);
  detail::check_variance("nanstd", x.value, options);
  const Array ddof = options.ddof == 0 ? Array() : Array(options.ddof);
  auto body = [&](const Arrays& in) -> Arrays {
    VarOptions inner = options;
    size_t next = 1;
    const Array less = ddof.is_empty() ? Array(0) : in[next++];
    if (!inner.mean.is_empty()) inner.mean = in[next++];
    if (!inner.where.is_empty()) inner.where = in[next];
    return {lax::sqrt(nan_variance(in[0], inner, less))};
  };
  return detail::call_jitted("nanstd", body, operands_of(x, ddof, options.mean, options.where))[0];
}

}  // namespace tenon::jnp
