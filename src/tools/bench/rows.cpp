// Workloads along rows and columns: normalizations, sums, distances.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "tools/bench/stages.h"
#include "tools/bench/workload.h"

namespace tenon::bench {

static Array softmax(const Array& x) {
  const Array e = jnp::exp(x - x.max({.axis = -1, .keepdims = true}));
  return e / e.sum({.axis = -1, .keepdims = true});
}

static Array layernorm(const Array& x, const Array& gamma, const Array& beta) {
  const Array d = x - x.mean({.axis = -1, .keepdims = true});
  return d * lax::rsqrt((d * d).mean({.axis = -1, .keepdims = true}) + 1e-5) * gamma + beta;
}

static Array attention(const Array& q, const Array& k, const Array& v) {
  const Array scores = lax::dot_general(q, k, {{3}, {3}, {0, 1}, {0, 1}}) * 0.125;
  const Array causal = jnp::tri(512, 512, 0, jnp::bool_);
  return lax::dot_general(softmax(jnp::where(causal, scores, -1e30)), v, {{3}, {2}, {0, 1}, {0, 1}});
}

/// The row of `n` elements that holds place i.
static const float* row(const std::vector<float>& x, int64_t i, int64_t n) { return x.data() + i / n * n; }

static double sum(const float* x, int64_t n, int64_t step = 1) {
  double total = 0;
  for (int64_t k = 0; k < n; ++k) total += x[k * step];
  return total;
}

static double attention_at(const Host& in, int64_t i) {
  constexpr int64_t n = 512, d = 64;
  const int64_t head = i / (n * d), query = i / d % n, column = i % d;
  const float* q = in[0].data() + (head * n + query) * d;
  double total = 0, weighted = 0;
  for (int64_t key = 0; key <= query; ++key) {
    const float* k = in[1].data() + (head * n + key) * d;
    const double weight = std::exp(std::inner_product(q, q + d, k, 0.0) / 8);  // |score| stays below 100
    total += weight;
    weighted += weight * in[2][(head * n + key) * d + column];
  }
  return weighted / total;
}

static double distance(const Host& in, int64_t i) {
  const float *x = in[0].data() + i / 1500 * 64, *y = in[1].data() + i % 1500 * 64;
  double total = 0;
  for (int k = 0; k < 64; ++k) total += (double(x[k]) - y[k]) * (double(x[k]) - y[k]);
  return std::sqrt(total);
}

static double acceleration(const Host& in, int64_t i) {
  const float* p = in[0].data();
  double total = 0;
  for (int64_t j = 0; j < 4096; ++j) {
    double square = 1e-2;
    for (int k = 0; k < 3; ++k) square += std::pow(double(p[j * 3 + k]) - p[i / 3 * 3 + k], 2);
    total += in[1][j] * (double(p[j * 3 + i % 3]) - p[i]) * std::pow(square, -1.5);
  }
  return total;
}

void add_rows(Workloads& list) {
  for (int64_t n : {1024, 4096})
    list.push_back(workload<1>("softmax_" + std::to_string(n), [n](Draw& d) { return Arrays{d.normal({n, n})}; },
                               [](Array x) { return softmax(x); },
                               [n](const Host& in) {
                                 return [&in, n](int64_t i) {
                                   const float* x = row(in[0], i, n);
                                   const double largest = *std::max_element(x, x + n);
                                   const double total = std::accumulate(x, x + n, 0.0, [&](double t, float v) { return t + std::exp(v - largest); });
                                   return std::exp(in[0][i] - largest) / total;
                                 };
                               }));
  list.push_back(workload<3>(
      "layernorm", [](Draw& d) { return Arrays{d.normal({4096, 1024}), d.uniform({1024}, 0.5f, 1.5f), d.normal({1024})}; },
      [](Array x, Array gamma, Array beta) { return layernorm(x, gamma, beta); },
      [](const Host& in) {
        return [&in](int64_t i) {
          const float* x = row(in[0], i, 1024);
          const double mean = sum(x, 1024) / 1024;
          const double variance = std::accumulate(x, x + 1024, 0.0, [&](double t, float v) { return t + (v - mean) * (v - mean); }) / 1024;
          return (in[0][i] - mean) / std::sqrt(variance + 1e-5) * in[1][i % 1024] + in[2][i % 1024];
        };
      }));
  constexpr int64_t n = 4096;
  const auto big = [](Draw& d) { return Arrays{d.uniform({n, n}, -1, 1)}; };
  list.push_back(workload<1>("sum_axis0", big, [](Array a) { return a.sum(0); },
                             [](const Host& in) { return [&in](int64_t i) { return sum(in[0].data() + i, n, n); }; }, 1e-4));
  list.push_back(workload<1>("sum_axis1", big, [](Array a) { return a.sum(1); },
                             [](const Host& in) { return [&in](int64_t i) { return sum(in[0].data() + i * n, n); }; }, 1e-4));
  list.push_back(workload<1>("sum_all", [](Draw& d) { return Arrays{d.uniform({n, n}, 0, 1)}; }, [](Array a) { return a.sum(); },
                             [](const Host& in) { return [&in](int64_t) { return sum(in[0].data(), n * n); }; }, 1e-4));
  list.push_back(workload<1>("argmax", [](Draw& d) { return Arrays{d.normal({n, n})}; }, [](Array a) { return jnp::argmax(a, {.axis = 1}); },
                             [](const Host& in) {
                               return [&in](int64_t i) {
                                 const float* x = in[0].data() + i * n;
                                 return double(std::max_element(x, x + n) - x);
                               };
                             }, 0));
  const auto points = [](Draw& d) { return Arrays{d.normal({1000, 64}), d.normal({1500, 64})}; };
  const auto distances = [](const Host& in) { return [&in](int64_t i) { return distance(in, i); }; };
  list.push_back(workload<2>("pairwise_v1", points,
                             [](Array x, Array y) {
                               const Array d = x(all, newaxis) - y(newaxis);
                               return jnp::sqrt((d * d).sum(-1));
                             },
                             distances));
  list.push_back(workload<2>("pairwise_v2", points,
                             [](Array x, Array y) {
                               const Array squares = (x * x).sum(1)(all, newaxis) + (y * y).sum(1)(newaxis);
                               return jnp::sqrt(jnp::maximum(squares - 2 * jnp::matmul(x, y.T()), 0));
                             },
                             distances, 1e-4));
  list.push_back(workload<2>("nbody", [](Draw& d) { return Arrays{d.normal({4096, 3}), d.uniform({4096}, 0.5f, 1.5f)}; },
                             [](Array p, Array m) {
                               const Array d = p(newaxis) - p(all, newaxis);
                               const Array inverse = lax::rsqrt((d * d).sum(-1) + 1e-2);
                               return (d * (m(newaxis) * inverse * inverse * inverse)(ellipsis, newaxis)).sum(1);
                             },
                             [](const Host& in) { return [&in](int64_t i) { return acceleration(in, i); }; }, 1e-4));
  list.push_back(workload<3>("attention",
                             [](Draw& d) { return Arrays{d.normal({4, 8, 512, 64}), d.normal({4, 8, 512, 64}), d.normal({4, 8, 512, 64})}; },
                             [](Array q, Array k, Array v) { return attention(q, k, v); },
                             [](const Host& in) { return [&in](int64_t i) { return attention_at(in, i); }; }));
}

void compile_attention(const Emit& emit) {
  const ShapeDtype heads({4, 8, 512, 64}, jnp::float32);
  int unseen = 0;
  time_stages("attention", 5, [unseen](Array q, Array k, Array v) { (void)unseen; return attention(q, k, v); }, emit, heads, heads, heads);
}

}  // namespace tenon::bench
