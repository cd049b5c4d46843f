// Threads that trace, compile and call programs of their own and programs of all, at once: threads_programs [THREADS] [PROGRAMS OF EACH].
// Each result is compared with what C++ computes; ends with an error at the first that differs. Meant for TSan too.
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "tenon/tenon.h"

using namespace tenon;

namespace {

std::atomic<int> g_wrong{0};

void expect(double got, double want, const char* what, int thread, int i) {
  if (std::abs(got - want) <= 1e-4 * (1 + std::abs(want))) return;
  if (g_wrong++ < 10) std::fprintf(stderr, "thread %d, program %d, %s: got %g, not %g\n", thread, i, what, got, want);
}

// Of all threads: one program each.
Array shared_sum(Array x) { return jnp::sum(x * x); }
Array shared_loop(Array x) {
  return lax::fori_loop(0, 3, [](Array, Array v) { return v * 2.0 + 1.0; }, x);
}

void work(int thread, int programs) {
  for (int i = 0; i < programs; ++i) {
    const int n = 1 + (thread * 7 + i) % 9;
    const double k = thread * 1000 + i + 1;
    const Array x = jnp::arange(n, jnp::float32) * 0.25f + 1.0f;
    double sum = 0, squares = 0;
    for (int j = 0; j < n; ++j) {
      sum += 0.25 * j + 1;
      squares += (0.25 * j + 1) * (0.25 * j + 1);
    }
    switch (i % 5) {
      case 0:  // a program of its own
        expect(jit([k](Array a) { return jnp::sum(a * k); })(x).item(), k * sum, "sum", thread, i);
        break;
      case 1:  // a derivative
        expect(jnp::sum(jit(grad([k](Array a) { return jnp::sum(a * a) * k; }))(x)).item(), 2 * k * sum, "grad", thread, i);
        break;
      case 2:  // stages, by hand
        {
          auto compiled = jit([k](Array a) { return a / k; }).lower(x).compile();
          expect(compiled(x).to_vector<float>()[static_cast<size_t>(n - 1)], (0.25 * (n - 1) + 1) / k, "stages", thread, i);
          if (compiled.as_text().empty()) ++g_wrong;
        }
        break;
      case 3:  // eager operations, batches
        expect(jnp::sum(vmap([](Array a) { return a * 3.0; })(x) - 1.0).item(), 3 * sum - n, "vmap", thread, i);
        break;
      default:  // control flow
        expect(jit([k](Array a) { return lax::cond(a(0) > 0, [k](Array t) { return t + k; }, [](Array t) { return t; }, a); })(x).to_vector<float>()[0], k + 1,
               "cond", thread, i);
    }
    expect(jit<shared_sum>()(x).item(), squares, "shared sum", thread, i);
    expect(jit<shared_loop>()(x).to_vector<float>()[0], 15, "shared loop", thread, i);
    if (i % 50 == 49 && thread % 4 == 0) clear_caches();  // programs in use live on
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 16, programs = argc > 2 ? std::atoi(argv[2]) : 50;
  std::vector<std::thread> threads;
  for (int t = 0; t < count; ++t)
    threads.emplace_back([t, programs] {
      try {
        work(t, programs);
      } catch (const std::exception& error) {
        std::fprintf(stderr, "thread %d: %s\n", t, error.what());
        ++g_wrong;
      }
    });
  for (std::thread& thread : threads) thread.join();
  const CacheStats stats = program_cache_stats();
  std::printf("%d threads, %d programs each: %d wrong; %lld programs kept, %lld bytes\n", count, programs, g_wrong.load(), static_cast<long long>(stats.entries),
              static_cast<long long>(stats.bytes));
  return g_wrong == 0 ? 0 : 1;
}
