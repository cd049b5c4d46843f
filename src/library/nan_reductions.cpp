// Reductions that leave NaN out.
#include <limits>

#include "base/promotion.h"
#include "library/promote.h"
#include "tenon/detail/jitted.h"

namespace tenon::jnp {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// sum, prod, max or min: each has options of its own.
using Reduction = Array (*)(const Array&, const ReduceOptions&);
template <class Options, Array (*function)(const Operand&, const Options&)>
Array plain(const Array& x, const ReduceOptions& options) {
  return function(x, {.axis = options.axis, .keepdims = options.keepdims});
}

Array is_nan(const Array& x) { return lax::ne(x, x); }

Array without_nan(const Array& x, Reduction reduce, double instead, bool nan_if_all, const ReduceOptions& options) {
  if (!x.dtype().is_inexact()) return reduce(x, options);
  const Array result = reduce(detail::where_jitted(is_nan(x), detail::constant_like(x, instead), x), options);
  if (!nan_if_all) return result;
  const Array none = plain<MaskedOptions, all>(is_nan(x), options);
  return detail::where_jitted(none, detail::constant_like(x, std::numeric_limits<double>::quiet_NaN()), result);
}

Array nan_reduction(const char* who, const Operand& x, Reduction reduce, double instead, bool nan_if_all, const ReduceOptions& options) {
  detail::FunctionScope site(x.loc);
  auto body = [&](const Arrays& in) -> Arrays { return {without_nan(in[0], reduce, instead, nan_if_all, options)}; };
  return detail::call_jitted(who, body, {x.value})[0];
}

}  // namespace

Array nansum(const Operand& x, const ReduceOptions& options) { return nan_reduction("nansum", x, plain<SumOptions, sum>, 0, false, options); }
Array nanprod(const Operand& x, const ReduceOptions& options) { return nan_reduction("nanprod", x, plain<SumOptions, prod>, 1, false, options); }
Array nanmax(const Operand& x, const ReduceOptions& options) { return nan_reduction("nanmax", x, plain<ExtremeOptions, max>, -kInfinity, true, options); }
Array nanmin(const Operand& x, const ReduceOptions& options) { return nan_reduction("nanmin", x, plain<ExtremeOptions, min>, kInfinity, true, options); }

Array nanmean(const Operand& x, const ReduceOptions& options) {
  detail::FunctionScope site(x.loc);
  auto body = [&](const Arrays& in) -> Arrays {
    const DType dtype = in[0].dtype();
    if (!dtype.is_inexact()) return {plain<MeanOptions, mean>(in[0], options)};
    const Array counted = lax::convert_type(lax::bitwise_not(is_nan(in[0])), default_int(), false);
    // Halves count in float32: 2048 + 1 is 2048 in float16.
    const DType counts = dtype.bits() < 32 ? DType(DType::kFloat32) : dtype;
    const Array count = lax::convert_type(plain<SumOptions, sum>(lax::convert_type(counted, counts, false), options), dtype, false);
    return {lax::div(nansum(in[0], options), count)};
  };
  return detail::call_jitted("nanmean", body, {x.value})[0];
}

}  // namespace tenon::jnp
