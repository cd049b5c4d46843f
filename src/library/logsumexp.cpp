// logsumexp.
#include <limits>

#include "library/promote.h"
#include "tenon/nn.h"

namespace tenon::nn {

// The largest element is taken out of the exponents, where it is finite.
Array logsumexp(const Operand& operand, const jnp::MaskedOptions& options) {
  detail::FunctionScope site(operand);
  Array x = detail::promote_args_inexact("logsumexp", {operand.value})[0];
  const bool has_mask = !options.where.is_empty();
  if (has_mask) x = jnp::where(options.where, x, 0);
  const bool is_complex = x.dtype().is_complex();
  const Axes axes = options.axis.all() ? detail::axis_range(0, x.ndim()) : detail::canonical_axes("logsumexp", options.axis.axes(), x.ndim());
  const Array real = is_complex ? lax::real(x) : x;
  const Array lowest = detail::constant_like(real, -std::numeric_limits<double>::infinity());
  Array largest = jnp::max(real, {.axis = axes, .keepdims = options.keepdims, .initial = lowest, .where = options.where});
  const Array is_finite = lax::is_finite(largest);
  const Array zero = lax::full_like(largest, 0);
  largest = lax::stop_gradient(lax::select(is_finite, largest, zero));
  const Array everywhere = options.keepdims ? largest : lax::expand_dims(largest, axes);
  const Array exponentials = lax::exp(lax::sub(x, lax::convert_type(everywhere, x.dtype(), false)));
  Array total = jnp::sum(exponentials, {.axis = options.axis, .keepdims = options.keepdims, .where = options.where});
  lax::sign(total);  // which JAX computes before it drops it
  if (!is_complex) total = lax::abs(total);
  const Array log = lax::log(total);
  return lax::add(log, lax::convert_type(largest, total.dtype(), false));
}

}  // namespace tenon::nn
