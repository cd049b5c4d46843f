// Running totals, sorted arrays and the indices that sort them.
#include "base/promotion.h"
#include "library/promote.h"
#include "tenon/detail/jitted.h"

namespace tenon::jnp {

// x and the axis, or all elements of x.
static std::pair<Array, int> along(const char* who, const Array& x, const std::optional<int>& axis) {
  if (!axis) return {lax::reshape(x, {x.size()}), 0};
  return {x, static_cast<int>(detail::canonical_axis(who, *axis, x.ndim()))};
}

using Accumulate = Array (*)(const Operand&, int, bool);

static Array accumulated(const char* who, const Operand& operand, const CumulativeOptions& options, Accumulate accumulate) {
  detail::FunctionScope site(operand);
  auto body = [&](const Arrays& in) -> Arrays {
    const auto [x, axis] = along(who, in[0], options.axis);
    const DType wanted = options.dtype ? canonical_dtype(*options.dtype) : x.dtype();
    const DType computed = wanted.is_bool() ? default_int() : wanted;
    const Array total = accumulate(lax::convert_type(x, computed, false), axis, false);
    return {options.dtype && wanted.is_bool() ? lax::convert_type(total, wanted, false) : total};
  };
  return detail::call_jitted(who, body, {operand.value})[0];
}
Array cumsum(const Operand& x, const CumulativeOptions& options) { return accumulated("cumsum", x, options, lax::cumsum); }
Array cumprod(const Operand& x, const CumulativeOptions& options) { return accumulated("cumprod", x, options, lax::cumprod); }

Array sort(const Operand& operand, const SortOptions& options) {
  detail::FunctionScope site(operand);
  auto body = [&](const Arrays& in) -> Arrays {
    const auto [x, axis] = along("sort", in[0], options.axis);
    const Array sorted = lax::sort(x, {.dimension = axis, .is_stable = options.stable});
    return {options.descending ? lax::rev(sorted, Axes(axis)) : sorted};
  };
  return detail::call_jitted("sort", body, {operand.value})[0];
}

// A stable descending sort goes over the reversed elements, so that equal ones keep their order when
// the result is reversed.
Array argsort(const Operand& operand, const SortOptions& options) {
  detail::FunctionScope site(operand);
  auto body = [&](const Arrays& in) -> Arrays {
    auto [x, axis] = along("argsort", in[0], options.axis);
    Array indices = lax::broadcasted_iota(default_int(), x.shape(), axis);
    const Axes dimension(axis);
    if (options.descending && options.stable) {
      x = lax::rev(x, dimension);
      indices = lax::rev(indices, dimension);
    }
    indices = lax::sort(Arrays{x, indices}, {.dimension = axis, .is_stable = options.stable})[1];
    return {options.descending ? lax::rev(indices, dimension) : indices};
  };
  return detail::call_jitted("argsort", body, {operand.value})[0];
}

}  // namespace tenon::jnp
