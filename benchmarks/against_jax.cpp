// One line of JSON for each figure that against_jax.py measures in JAX too: {"id": ..., "seconds": ...}.
//   against_jax [--threads N]
#include <tenon/tenon.h>
#include <tenon/testkit.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <vector>

using namespace tenon;

static double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
static double median(std::vector<double> times) {
  std::ranges::sort(times);
  return times[times.size() / 2];
}
static void print(const char* id, double seconds) { std::printf("{\"id\": \"%s\", \"seconds\": %.9g}\n", id, seconds); }

static Array sin_mul_add(Array x, Array a, Array b) { return jnp::sin(x) * a + b; }

int main(int argc, char** argv) {
  for (int i = 1; i + 1 < argc; ++i)
    if (std::strcmp(argv[i], "--threads") == 0) config::update("num_threads", std::atoi(argv[i + 1]));
  std::vector<float> values(1000 * 1000);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 20000) * 1e-3f - 10.0f;
  Array x = device_put(HostView(values.data(), {1000, 1000}));
  Array a = jnp::float32(1.7), b = jnp::float32(0.3);

  auto f = jit<sin_mul_add>();
  f(x, a, b).block_until_ready();
  print("sin_mul_add_run", testkit::bench(f, x, a, b).median_seconds);

  // Trace, lower and compile a function that was never seen: the captured number makes it new.
  std::vector<double> totals;
  for (int i = 0; i < 20; ++i) {
    double start = now();
    jit([i](Array t, Array p, Array q) { return jnp::sin(t) * p + q * static_cast<double>(i); }, {.name = "fresh"}).lower(x, a, b).compile();
    totals.push_back(now() - start);
  }
  print("sin_mul_add_compile", median(totals));

  auto g = jit([](Array t) { return t + 1.0; }, {.name = "small"});
  Array small = jnp::ones({8});
  g(small).block_until_ready();
  std::vector<double> calls;
  for (int round = 0; round < 50; ++round) {
    constexpr int kCalls = 1000;
    double start = now();
    for (int i = 0; i < kCalls; ++i) g(small);
    calls.push_back((now() - start) / kCalls);
  }
  print("jitted_call_f32_8", median(calls));
}
