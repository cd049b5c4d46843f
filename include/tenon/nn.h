// Functions of neural networks, in the spelling of jax.nn.
#pragma once

#include "tenon/array.h"

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

}  // namespace tenon::nn

#pragma GCC visibility pop
