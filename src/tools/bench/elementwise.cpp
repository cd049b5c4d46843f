// Workloads whose result at a place needs the inputs at that place; and random numbers.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "tools/bench/workload.h"

namespace tenon::bench {

static constexpr int64_t M = int64_t{1} << 20;

static Array black_scholes(const Array& s, const Array& k, const Array& t) {
  const double r = 0.03, sigma = 0.2;
  const Array deviation = sigma * jnp::sqrt(t);
  const Array d1 = (jnp::log(s / k) + (r + 0.5 * sigma * sigma) * t) / deviation;
  const auto cdf = [](const Array& v) { return 0.5 * (1 + lax::erf(v * (1 / std::sqrt(2.0)))); };
  return s * cdf(d1) - k * jnp::exp(-r * t) * cdf(d1 - deviation);
}

static double black_scholes(double s, double k, double t) {
  const double r = 0.03, sigma = 0.2, deviation = sigma * std::sqrt(t);
  const double d1 = (std::log(s / k) + (r + 0.5 * sigma * sigma) * t) / deviation;
  const auto cdf = [](double v) { return 0.5 * (1 + std::erf(v / std::sqrt(2.0))); };
  return s * cdf(d1) - k * std::exp(-r * t) * cdf(d1 - deviation);
}

// Element `i` of jax.random.normal(jax.random.key(42), (n,)), but for the inverse of erf, which is
// found from erf by Newton's method.
static double normal_of_key_42(uint32_t i) {
  const uint32_t keys[] = {0, 42, 42 ^ 0x1BD11BDA};
  constexpr int kRotations[][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  uint32_t x0 = keys[0], x1 = i + keys[1];
  for (uint32_t round = 0; round < 5; ++round) {
    for (int r : kRotations[round % 2]) {
      x0 += x1;
      x1 = ((x1 << r) | (x1 >> (32 - r))) ^ x0;
    }
    x0 += keys[(round + 1) % 3];
    x1 += keys[(round + 2) % 3] + round + 1;
  }
  const uint32_t pattern = ((x0 ^ x1) >> 9) | 0x3F800000;
  float unit;
  std::memcpy(&unit, &pattern, sizeof unit);
  const float low = std::nextafter(-1.0f, 0.0f);
  const double u = std::max(low, (unit - 1.0f) * (1.0f - low) + low);
  double v = 0;  // erf(v) = u; the function is concave above 0, so steps from there never overshoot far
  for (int step = 0; step < 60; ++step) v += (u - std::erf(v)) * std::exp(v * v) * std::sqrt(std::acos(-1.0)) / 2;
  return std::sqrt(2.0) * v;
}

void add_elementwise(Workloads& list) {
  list.push_back(workload<3>(
      "sin_mul_add", [](Draw& d) { return Arrays{d.uniform({1000, 1000}, -10, 10), jnp::float32(1.7), jnp::float32(0.3)}; },
      [](Array x, Array a, Array b) { return jnp::sin(x) * a + b; },
      [](const Host& in) { return [&in](int64_t i) { return std::sin(double(in[0][i])) * in[1][0] + in[2][0]; }; }));
  for (const auto& [id, shape] : {std::pair{"exp_log_add_1m", Shape{1000, 1000}}, {"exp_log_add_16m", Shape{16 * M}}})
    list.push_back(workload<2>(
        id, [shape](Draw& d) { return Arrays{d.uniform(shape, 0.5f, 2), d.normal(shape)}; },
        [](Array x, Array y) { return jnp::exp(jnp::log(x) + y); },
        [](const Host& in) { return [&in](int64_t i) { return std::exp(std::log(double(in[0][i])) + in[1][i]); }; }));
  list.push_back(workload<1>(
      "gelu_tanh", [](Draw& d) { return Arrays{d.normal({4 * M})}; },
      [](Array x) { return 0.5 * x * (1 + jnp::tanh(std::sqrt(2 / jnp::pi) * (x + 0.044715 * x * x * x))); },
      [](const Host& in) {
        return [&in](int64_t i) {
          const double x = in[0][i];
          return 0.5 * x * (1 + std::tanh(std::sqrt(2 / jnp::pi) * (x + 0.044715 * x * x * x)));
        };
      }));
  list.push_back(workload<3>(
      "black_scholes", [](Draw& d) { return Arrays{d.uniform({4 * M}, 50, 150), d.uniform({4 * M}, 50, 150), d.uniform({4 * M}, 0.1f, 2)}; },
      [](Array s, Array k, Array t) { return black_scholes(s, k, t); },
      [](const Host& in) { return [&in](int64_t i) { return black_scholes(double(in[0][i]), in[1][i], in[2][i]); }; }));
  list.push_back(workload<0>(
      "random_normal", [](Draw&) { return Arrays{}; }, [] { return random::normal(random::key(42), {16 * M}); },
      [](const Host&) { return [](int64_t i) { return normal_of_key_42(static_cast<uint32_t>(i)); }; }));
}

}  // namespace tenon::bench
