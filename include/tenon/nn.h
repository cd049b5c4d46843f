// Functions of neural networks, in the spelling of jax.nn.
#pragma once

#include "tenon/jnp.h"

#pragma GCC visibility push(default)

namespace tenon::nn {

/// max(x, 0).
Array relu(const Operand& x);
/// min(max(x, 0), 6).
Array relu6(const Operand& x);
/// 1 / (1 + e^-x).
Array sigmoid(const Operand& x);
/// x * sigmoid(x).
Array silu(const Operand& x);
Array swish(const Operand& x);
/// x.
Array identity(const Operand& x);
/// x times the normal distribution function, by its tanh approximation.
Array gelu(const Operand& x);
/// x where positive, else alpha (e^x - 1).
Array elu(const Operand& x, double alpha = 1.0);
/// x where not negative, else negative_slope * x.
Array leaky_relu(const Operand& x, double negative_slope = 0.01);
/// log(1 + e^x).
Array softplus(const Operand& x);
/// log(sigmoid(x)).
Array log_sigmoid(const Operand& x);
/// x / (1 + |x|).
Array soft_sign(const Operand& x);
/// e^x / sum(e^x) along `axis`; the largest element is subtracted first.
Array softmax(const Operand& x, int axis = -1);
/// log(softmax(x)).
Array log_softmax(const Operand& x, int axis = -1);
struct SoftmaxOptions {
  TENON_NAMED;
  int axis = -1;
  Array where = {};  // bools that broadcast against x: the others are as if they were not there, their result 0 (-inf)
};
Array softmax(const Operand& x, const SoftmaxOptions& options);
Array log_softmax(const Operand& x, const SoftmaxOptions& options);
/// log(sum(e^x)) without overflow on the way.
Array logsumexp(const Operand& x, const jnp::MaskedOptions& options = {});
struct OneHotOptions {
  TENON_NAMED;
  int axis = -1;                     // the new one
  std::optional<DType> dtype = {};  // float32
};
/// Rows of zeros with a 1 at the place that x says; none where x is not in [0, num_classes).
Array one_hot(const Operand& x, int64_t num_classes, const OneHotOptions& options = {});

}  // namespace tenon::nn

#pragma GCC visibility pop
