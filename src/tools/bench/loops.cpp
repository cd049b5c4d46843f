// Workloads of loops: one scalar, one array element by element, one product for each step.
#include <cmath>
#include <memory>

#include "tools/bench/workload.h"

namespace tenon::bench {

static Array newton(const Array& a) {
  using Carry = std::pair<Array, Array>;
  return lax::while_loop([](Carry c) { return c.first < 1000; },
                         [a](Carry c) { return Carry{c.first + 1, c.second - (c.second * c.second - a) / (2 * c.second)}; },
                         std::pair{0, jnp::float32(1.0)}).second;
}

static Array mandelbrot(const Array& cr, const Array& ci) {
  using Carry = std::tuple<Array, Array, Array>;
  auto step = [=](Array, Carry c) {
    auto [zr, zi, n] = c;
    const Array m = zr * zr + zi * zi <= 4;
    return Carry{jnp::where(m, zr * zr - zi * zi + cr, zr), jnp::where(m, 2 * zr * zi + ci, zi), n + m};
  };
  const Array z = jnp::zeros_like(cr);
  return std::get<2>(lax::fori_loop(0, 100, step, Carry{z, z, jnp::zeros(cr.shape(), jnp::int32)}));
}

static double mandelbrot_count(float cr, float ci) {
  float zr = 0, zi = 0;
  int n = 0;
  for (int i = 0; i < 100; ++i) {
    if (zr * zr + zi * zi > 4) break;
    const float next = zr * zr - zi * zi + cr;
    zi = 2 * zr * zi + ci;
    zr = next;
    ++n;
  }
  return n;
}

static Reference rnn_reference(const Host& in) {
  constexpr int64_t steps = 512, rows = 32, n = 128;
  auto h = std::make_shared<std::vector<double>>(static_cast<size_t>((steps + 1) * rows * n));
  for (int64_t t = 0; t < steps; ++t)
    for (int64_t r = 0; r < rows; ++r) {
      const double* before = h->data() + (t * rows + r) * n;
      double* after = h->data() + ((t + 1) * rows + r) * n;
      for (int64_t j = 0; j < n; ++j) after[j] = in[1][static_cast<size_t>((t * rows + r) * n + j)];
      for (int64_t k = 0; k < n; ++k)
        for (int64_t j = 0; j < n; ++j) after[j] += before[k] * in[0][static_cast<size_t>(k * n + j)];
      for (int64_t j = 0; j < n; ++j) after[j] = std::tanh(after[j]);
    }
  return [h](int64_t i) { return (*h)[static_cast<size_t>(i + rows * n)]; };
}

void add_loops(Workloads& list) {
  list.push_back(workload<1>("while_newton", [](Draw&) { return Arrays{jnp::array(2.0f)}; }, [](Array a) { return newton(a); },
                             [](const Host&) { return [](int64_t) { return std::sqrt(2.0); }; }, 1e-6));
  constexpr int64_t n = 1024;
  list.push_back(workload<2>("mandelbrot",
                             [](Draw&) {
                               return Arrays{jnp::broadcast_to(jnp::linspace(-2.0, 0.5, n), {n, n}) + 0.0f,
                                             jnp::broadcast_to(jnp::linspace(-1.25, 1.25, n).reshape({n, 1}), {n, n}) + 0.0f};
                             },
                             [](Array cr, Array ci) { return mandelbrot(cr, ci); },
                             [](const Host& in) {
                               return [&in](int64_t i) { return mandelbrot_count(in[0][static_cast<size_t>(i)], in[1][static_cast<size_t>(i)]); };
                             }));
  list.push_back(workload<2>("scan_rnn", [](Draw& d) { return Arrays{d.normal({128, 128}, 0.08f), d.normal({512, 32, 128})}; },
                             [](Array w, Array xs) {
                               auto step = [w](Array h, Array x) {
                                 const Array next = jnp::tanh(jnp::matmul(h, w) + x);
                                 return std::pair{next, next};
                               };
                               auto [last, all] = lax::scan(step, jnp::zeros({32, 128}), xs);
                               return Arrays{all, last};
                             },
                             rnn_reference, 1e-4));
}

}  // namespace tenon::bench
