// logsumexp.
#include <limits>

#include "library/promote.h"
#include "tenon/nn.h"

namespace tenon::nn {

// The largest element is taken out of the exponents, where it is finite.
Array logsumexp(const Operand& operand, const ReduceOptions& options) {
  detail::FunctionScope site(operand.loc);
  const Array x = detail::promote_args_inexact("logsumexp", {operand.value})[0];
  const bool is_complex = x.dtype().is_complex();
  const Axes axes = options.axis.all() ? detail::axis_range(0, x.ndim()) : detail::canonical_axes("logsumexp", options.axis.axes(), x.ndim());
  const Array real = is_complex ? lax::real(x) : x;
  Array largest = lax::max(detail::constant_like(real, -std::numeric_limits<double>::infinity()), lax::reduce_max(real, axes));
  if (options.keepdims) largest = lax::expand_dims(largest, axes);
  const Array is_finite = lax::is_finite(largest);
  const Array zero = lax::full_like(largest, 0);
  largest = lax::stop_gradient(lax::select(is_finite, largest, zero));
  const Array everywhere = options.keepdims ? largest : lax::expand_dims(largest, axes);
  const Array exponentials = lax::exp(lax::sub(x, lax::convert_type(everywhere, x.dtype(), false)));
  Array total = jnp::sum(exponentials, options);
  lax::sign(total);  // which JAX computes before it drops it
  if (!is_complex) total = lax::abs(total);
  const Array log = lax::log(total);
  return lax::add(log, lax::convert_type(largest, total.dtype(), false));
}

}  // namespace tenon::nn
