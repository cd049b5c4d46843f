// Averages with weights, counts and ranges.
#include "base/fail.h"
#include "library/promote.h"
#include "tenon/detail/jitted.h"

namespace tenon::jnp {

Array count_nonzero(const Operand& x, const ReduceOptions& options) {
  detail::FunctionScope site(x.loc);
  const SumOptions along{.axis = options.axis, .keepdims = options.keepdims};
  auto body = [&](const Arrays& in) -> Arrays { return {sum(lax::ne(in[0], detail::constant_like(in[0], 0)), along)}; };
  return detail::call_jitted("count_nonzero", body, {x.value})[0];
}

Array ptp(const Operand& x, const ReduceOptions& options) {
  detail::FunctionScope site(x.loc);
  auto body = [&](const Arrays& in) -> Arrays {
    const ExtremeOptions extreme{.axis = options.axis, .keepdims = options.keepdims};
    const Array largest = max(in[0], extreme);
    return {lax::sub(largest, min(in[0], extreme))};
  };
  return detail::call_jitted("_ptp", body, {x.value})[0];
}

// Weights of the reduced axes, with axes of size 1 for the others.
static Array spread_weights(const Array& x, const Array& weights, const AxisArgument& axis) {
  if (weights.shape() == x.shape()) return weights;
  const Avals avals = {x.aval(), weights.aval()};
  if (axis.all()) fail<TypeError>("average", "weights of another shape need an axis; got ", avals);
  const Axes axes = detail::canonical_axes("average", axis.axes(), x.ndim());
  Shape shape(std::vector<int64_t>(static_cast<size_t>(x.ndim()), 1));
  std::vector<int64_t> order(axes.size());  // of the weights' axes, as x has them
  bool fits = weights.ndim() == static_cast<int>(axes.size());
  for (size_t i = 0; fits && i < axes.size(); ++i) {
    fits = weights.shape()[static_cast<int64_t>(i)] == x.shape()[axes[i]];
    shape[axes[i]] = x.shape()[axes[i]];
    int64_t place = 0;
    for (int64_t other : axes) place += other < axes[i];
    order[static_cast<size_t>(place)] = static_cast<int64_t>(i);
  }
  if (!fits) fail<ShapeError>("average", "weights need the sizes of the axes ", axes, "; got ", avals);
  return lax::reshape(lax::transpose(weights, Axes(order)), shape);
}

Array average(const Operand& x, const AverageOptions& options) {
  detail::FunctionScope site(x.loc);
  const SumOptions reduce{.axis = options.axis, .keepdims = options.keepdims};
  if (options.weights.is_empty())
    return mean(detail::promote_dtypes_inexact("average", {x.value})[0], {.axis = options.axis, .keepdims = options.keepdims});
  const Arrays in = detail::promote_dtypes_inexact("average", {x.value, options.weights});
  const Array weights = spread_weights(in[0], in[1], options.axis);
  const Array total = sum(weights, reduce);
  return divide(sum(multiply(in[0], weights), reduce), total);
}

}  // namespace tenon::jnp
