// One step of training: loss, gradients and new parameters as one program.
#include <algorithm>
#include <cmath>
#include <memory>

#include "tools/bench/mlp.h"
#include "tools/bench/stages.h"

namespace tenon::bench {

constexpr double kRate = 0.01;

struct Parameters { Array w1, b1, w2, b2; };

static Array cross_entropy(Parameters p, Array x, Array labels) {
  const Array logits = mlp(x, p.w1, p.b1, p.w2, p.b2);
  return -jnp::mean(jnp::take_along_axis(nn::log_softmax(logits), jnp::expand_dims(labels, 1), {.axis = 1}));
}

static std::pair<Parameters, Array> descend(Parameters p, Array x, Array labels) {
  auto [loss, gradient] = value_and_grad(cross_entropy)(p, x, labels);
  return {tree::map([](Array a, Array g) { return a - kRate * g; }, p, gradient), loss};
}

/// Of w1 after one step.
static Reference weights_after(const Host& in) {
  const auto &x = in[0], &labels = in[1], &w1 = in[2], &b1 = in[3], &w2 = in[4], &b2 = in[5];
  auto of_hidden = std::make_shared<std::vector<double>>(kRows * kHidden);  // the loss's derivative
  std::vector<double> logits(kOutputs);
  for (int64_t i = 0; i < kRows; ++i) {
    const std::vector<double> hidden = hidden_units(i, x, w1, b1);
    std::copy_n(b2.data(), kOutputs, logits.data());
    for (int64_t j = 0; j < kHidden; ++j)
      for (int64_t o = 0; o < kOutputs; ++o) logits[o] += hidden[j] * w2[j * kOutputs + o];
    const double largest = *std::ranges::max_element(logits);
    double total = 0;
    for (double& z : logits) total += z = std::exp(z - largest);
    for (int64_t o = 0; o < kOutputs; ++o) logits[o] = (logits[o] / total - (o == labels[i])) / kRows;
    for (int64_t j = 0; j < kHidden; ++j)
      for (int64_t o = 0; hidden[j] > 0 && o < kOutputs; ++o) (*of_hidden)[i * kHidden + j] += logits[o] * w2[j * kOutputs + o];
  }
  return [&in, of_hidden](int64_t place) {
    const int64_t k = place / kHidden, j = place % kHidden;
    double slope = 0;
    for (int64_t i = 0; i < kRows; ++i) slope += in[0][i * kInputs + k] * (*of_hidden)[i * kHidden + j];
    return in[2][place] - kRate * slope;
  };
}

void add_training(Workloads& list) {
  auto step = jit<descend>({.donate_argnums = {0}});
  auto parameters = [](const Arrays& in) { return Parameters{in[2].copy(), in[3].copy(), in[4].copy(), in[5].copy()}; };
  list.push_back({"mlp_train_step", 1e-5,
                  [](Draw& d) {
                    return Arrays{d.normal({kRows, kInputs}), d.indices({kRows}, kOutputs), d.normal({kInputs, kHidden}, 1.0f / 28),
                                  d.normal({kHidden}, 0.1f), d.normal({kHidden, kOutputs}, 1.0f / 32), d.normal({kOutputs}, 0.1f)};
                  },
                  [=](const Arrays& in) -> std::function<Arrays()> {
                    return [=, state = parameters(in)]() mutable {
                      auto [next, loss] = step(state, in[0], in[1]);
                      state = next;
                      return Arrays{next.w1, loss};
                    };
                  },
                  weights_after,
                  [=](const Arrays& in) -> Compiled { return step.lower(parameters(in), in[0], in[1]).compile(); }});
}

void compile_training(const Emit& emit) {
  const ShapeDtype x({kRows, kInputs}, jnp::float32), labels({kRows}, jnp::int32);
  const Parameters p{jnp::zeros({kInputs, kHidden}), jnp::zeros({kHidden}), jnp::zeros({kHidden, kOutputs}), jnp::zeros({kOutputs})};
  int unseen = 0;
  time_stages("mlp_train_step", 5, [unseen](Parameters q, Array in, Array of) { (void)unseen; return descend(q, in, of); }, emit, p, x, labels);
}

}  // namespace tenon::bench
