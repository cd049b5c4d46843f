// Workloads of matrix products.
#include <algorithm>
#include <memory>

#include "tools/bench/mlp.h"

namespace tenon::bench {

/// sum of a[k * a_step] * b[k * b_step].
static double dot(const float* a, int64_t a_step, const float* b, int64_t b_step, int64_t n) {
  double total = 0;
  for (int64_t k = 0; k < n; ++k) total += double(a[k * a_step]) * b[k * b_step];
  return total;
}

Array mlp(const Array& x, const Array& w1, const Array& b1, const Array& w2, const Array& b2) {
  return jnp::matmul(jnp::maximum(jnp::matmul(x, w1) + b1, 0), w2) + b2;
}

std::vector<double> hidden_units(int64_t row, const std::vector<float>& x, const std::vector<float>& w1, const std::vector<float>& b1) {
  std::vector<double> h(b1.begin(), b1.end());
  for (int64_t k = 0; k < kInputs; ++k)
    for (int64_t j = 0; j < kHidden; ++j) h[j] += double(x[row * kInputs + k]) * w1[k * kHidden + j];
  for (double& unit : h) unit = std::max(unit, 0.0);
  return h;
}

static Reference mlp_reference(const Host& in) {
  auto layer = std::make_shared<std::vector<std::vector<double>>>();
  for (int64_t i = 0; i < kRows; ++i) layer->push_back(hidden_units(i, in[0], in[1], in[2]));
  return [&in, layer](int64_t i) {
    double total = in[4][i % kOutputs];
    for (int64_t j = 0; j < kHidden; ++j) total += (*layer)[i / kOutputs][j] * in[3][j * kOutputs + i % kOutputs];
    return total;
  };
}

void add_products(Workloads& list) {
  const auto multiply = [](Array a, Array b) { return jnp::matmul(a, b); };
  for (int64_t n : {256, 512, 1024, 2048})
    list.push_back(workload<2>("matmul_" + std::to_string(n), [n](Draw& d) { return Arrays{d.normal({n, n}), d.normal({n, n})}; }, multiply,
                               [n](const Host& in) {
                                 return [&in, n](int64_t i) { return dot(in[0].data() + i / n * n, 1, in[1].data() + i % n, n, n); };
                               }));
  constexpr int64_t n = 1024;
  list.push_back(workload<2>("matmul_at_b_1024", [](Draw& d) { return Arrays{d.normal({n, n}), d.normal({n, n})}; },
                             [](Array a, Array b) { return jnp::matmul(a.T(), b); },
                             [](const Host& in) {
                               return [&in](int64_t i) { return dot(in[0].data() + i / n, n, in[1].data() + i % n, n, n); };
                             }));
  list.push_back(workload<2>("matmul_bf16_1024",
                             [](Draw& d) { return Arrays{d.normal({n, n}).astype(jnp::bfloat16), d.normal({n, n}).astype(jnp::bfloat16)}; },
                             multiply,
                             [](const Host& in) {
                               return [&in](int64_t i) { return dot(in[0].data() + i / n * n, 1, in[1].data() + i % n, n, n); };
                             },
                             4e-3));
  list.push_back(workload<2>("matvec_4096", [](Draw& d) { return Arrays{d.normal({4096, 4096}), d.normal({4096})}; }, multiply,
                             [](const Host& in) { return [&in](int64_t i) { return dot(in[0].data() + i * 4096, 1, in[1].data(), 1, 4096); }; }));
  list.push_back(workload<2>("batched_matmul", [](Draw& d) { return Arrays{d.normal({64, 128, 128}), d.normal({64, 128, 128})}; }, multiply,
                             [](const Host& in) {
                               return [&in](int64_t i) {
                                 const float *a = in[0].data() + i / 128 * 128, *b = in[1].data() + i / (128 * 128) * 128 * 128 + i % 128;
                                 return dot(a, 1, b, 128, 128);
                               };
                             }));
  list.push_back(workload<5>("mlp",
                             [](Draw& d) {
                               return Arrays{d.normal({512, 784}), d.normal({784, 1024}, 1.0f / 28), d.normal({1024}, 0.1f),
                                             d.normal({1024, 10}, 1.0f / 32), d.normal({10}, 0.1f)};
                             },
                             [](Array x, Array w1, Array b1, Array w2, Array b2) { return mlp(x, w1, b1, w2, b2); }, mlp_reference));
}

}  // namespace tenon::bench
