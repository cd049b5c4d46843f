// Functions of neural networks.
#include <cmath>

#include "library/promote.h"
#include "tenon/detail/jitted.h"
#include "tenon/nn.h"

namespace tenon::nn {

Array relu(const Operand& x) {
  static constexpr detail::FunctionWithJvp function{
      "relu", "jvp",
      [](const Arrays& in) {
        return detail::call_jitted("relu", [](const Arrays& x) -> Arrays { return {jnp::maximum(x[0], 0)}; }, in);
      },
      [](const Arrays& in, const Tangents& t) -> JvpResult {
        const Array result = relu(in[0]);
        const Array is_positive = in[0] > 0;
        return {{result}, {lax::select(is_positive, t[0].value(), lax::full_like(t[0].value(), 0))}};
      }};
  detail::FunctionScope site(x);
  return detail::call_custom_jvp(function, {x.value})[0];
}
Array relu6(const Operand& x) {
  static constexpr detail::FunctionWithJvp function{
      "relu6", "jvp",
      [](const Arrays& in) {
        const auto body = [](const Arrays& x) -> Arrays { return {jnp::minimum(jnp::maximum(x[0], 0), 6.0)}; };
        return detail::call_jitted("relu6", body, in);
      },
      [](const Arrays& in, const Tangents& t) -> JvpResult {
        const Array result = relu6(in[0]);
        const Array above = in[0] > 0, below = in[0] < 6;
        const Array inside = lax::bitwise_and(above, below);
        const Array zero = lax::full_like(t[0].value(), 0);
        return {{result}, {lax::select(inside, t[0].value(), zero)}};
      }};
  detail::FunctionScope site(x);
  return detail::call_custom_jvp(function, {x.value})[0];
}
Array sigmoid(const Operand& x) {
  detail::FunctionScope site(x);
  return lax::logistic(detail::promote_dtypes_inexact("sigmoid", {x.value})[0]);
}
Array silu(const Operand& x) {
  detail::FunctionScope site(x);
  return detail::call_jitted("silu", [](const Arrays& in) -> Arrays { return {in[0] * sigmoid(in[0])}; }, {x.value})[0];
}
Array swish(const Operand& x) { return silu(x); }
Array identity(const Operand& x) {
  detail::FunctionScope site(x);
  return detail::call_jitted("identity", [](const Arrays& in) -> Arrays { return in; }, {x.value})[0];
}
Array gelu(const Operand& operand) {
  detail::SiteScope site(operand.loc);
  const Array x = detail::promote_args_inexact("gelu", {operand.value})[0];
  const Array cubic = 0.044715 * jnp::power(x, 3);
  const Array angle = std::sqrt(2 / jnp::pi) * (x + cubic);
  const Array weight = 0.5 * (1.0 + jnp::tanh(angle));
  return x * weight;
}

Array elu(const Operand& operand, double alpha) {
  detail::FunctionScope site(operand);
  auto body = [alpha](const Arrays& in) -> Arrays {
    const Array x = detail::promote_dtypes_inexact("elu", in)[0];
    const Array is_positive = x > 0;
    const Array safe = jnp::where(x > 0, 0.0, x);
    return {jnp::where(is_positive, x, alpha * jnp::expm1(safe))};
  };
  return detail::call_jitted("elu", body, {operand.value})[0];
}
Array leaky_relu(const Operand& operand, double negative_slope) {
  detail::FunctionScope site(operand);
  auto body = [negative_slope](const Arrays& in) -> Arrays {
    const Array x = detail::promote_dtypes_inexact("leaky_relu", in)[0];
    return {jnp::where(x >= 0, x, negative_slope * x)};
  };
  return detail::call_jitted("leaky_relu", body, {operand.value})[0];
}
Array softplus(const Operand& operand) {
  detail::FunctionScope site(operand);
  auto body = [](const Arrays& in) -> Arrays { return {jnp::logaddexp(in[0], 0.0)}; };
  return detail::call_jitted("softplus", body, {operand.value})[0];
}
Array log_sigmoid(const Operand& operand) {
  detail::FunctionScope site(operand);
  auto body = [](const Arrays& in) -> Arrays { return {-softplus(-in[0])}; };
  return detail::call_jitted("log_sigmoid", body, {operand.value})[0];
}
Array soft_sign(const Operand& operand) {
  detail::FunctionScope site(operand);
  auto body = [](const Arrays& in) -> Arrays {
    const Array x = detail::promote_dtypes_inexact("soft_sign", in)[0];
    return {x / (jnp::abs(x) + 1)};
  };
  return detail::call_jitted("soft_sign", body, {operand.value})[0];
}

// x less its largest element along the axis, so that exp cannot overflow; -inf where the mask does not hold.
static Array shifted(const Array& x, int axis, const Array& mask) {
  const Array lowest = detail::constant_like(x, -jnp::inf);
  const Array largest = jnp::max(x, {.axis = axis, .keepdims = true, .initial = lowest, .where = mask});
  const Array visible = mask.is_empty() ? x : jnp::where(mask, x, -jnp::inf);
  return visible - lax::stop_gradient(largest);
}
Array softmax(const Operand& operand, const SoftmaxOptions& options) {
  detail::FunctionScope site(operand);
  const Array x = detail::promote_dtypes_inexact("softmax", {operand.value})[0];
  const int axis = static_cast<int>(detail::canonical_axis("softmax", options.axis, x.ndim()));
  const Array weights = jnp::exp(shifted(x, axis, options.where));
  const Array result = weights / jnp::sum(weights, {.axis = axis, .keepdims = true, .where = options.where});
  return options.where.is_empty() ? result : jnp::where(options.where, result, 0);
}
Array softmax(const Operand& x, int axis) { return softmax(x, {.axis = axis}); }
Array log_softmax(const Operand& operand, const SoftmaxOptions& options) {
  detail::FunctionScope site(operand);
  auto body = [&options](const Arrays& in) -> Arrays {
    const Array x = detail::promote_dtypes_inexact("log_softmax", {in[0]})[0];
    const Array mask = in.size() > 1 ? in[1] : Array();
    const int axis = static_cast<int>(detail::canonical_axis("log_softmax", options.axis, x.ndim()));
    const Array y = shifted(x, axis, mask);
    const Array result = y - jnp::log(jnp::sum(jnp::exp(y), {.axis = axis, .keepdims = true, .where = mask}));
    return {mask.is_empty() ? result : jnp::where(mask, result, -jnp::inf)};
  };
  Arrays operands = {operand.value};
  if (!options.where.is_empty()) operands.push_back(options.where);
  return detail::call_jitted("log_softmax", body, operands)[0];
}
Array log_softmax(const Operand& x, int axis) { return log_softmax(x, {.axis = axis}); }

}  // namespace tenon::nn
