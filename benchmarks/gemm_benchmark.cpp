// GFLOP/s of the runtime's GEMM against the peak of one core, measured in the same run: the fused
// multiply-adds that this machine retires on registers.
//
//   gemm_benchmark [threads [case]]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

#include "runtime/allocator.h"
#include "runtime/gemm/gemm.h"
#include "runtime/thread_pool.h"

using namespace tenon;
using namespace tenon::runtime;

namespace {

bool g_cpu_time = true;  // of this thread: right on a busy machine, and for one thread only

double seconds() {
  timespec t;
  clock_gettime(g_cpu_time ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

// Best of several runs of at least 20 ms in all.
template <class F>
double best_seconds(F&& f) {
  double best = 1e30;
  const double begin = seconds();
  for (int round = 0; round < 5 || seconds() - begin < 0.3; ++round) {
    const double t = seconds();
    f();
    best = std::min(best, seconds() - t);
  }
  return best;
}

#if defined(__x86_64__)
typedef float Vec8 __attribute__((vector_size(32)));
typedef float Vec16 __attribute__((vector_size(64)));

template <class Vec>
[[gnu::always_inline]] inline double retire(int64_t rounds) {
  Vec acc[12];
  for (int i = 0; i < 12; ++i) acc[i] = Vec{} + static_cast<float>(i);
  const Vec a = Vec{} + 0.999f, b = Vec{} + 0.001f;
  for (int64_t r = 0; r < rounds; ++r) {
    for (int i = 0; i < 12; ++i) acc[i] = __builtin_elementwise_fma(acc[i], a, b);
  }
  float sum = 0;
  for (int i = 0; i < 12; ++i) sum += acc[i][0];
  volatile float sink = sum;
  (void)sink;
  return 12.0 * 2 * (sizeof(Vec) / 4) * static_cast<double>(rounds);
}
[[gnu::target("avx2,fma")]] double retire_avx2(int64_t rounds) { return retire<Vec8>(rounds); }
[[gnu::target("avx512f")]] double retire_avx512(int64_t rounds) { return retire<Vec16>(rounds); }
#endif

double peak_gflops() {
  double flops = 0;
#if defined(__x86_64__)
  const InstructionSet set = best_instruction_set();
  if (set == InstructionSet::baseline) return 0;
  const auto run = set == InstructionSet::avx512 ? retire_avx512 : retire_avx2;
  return 1e-9 / best_seconds([&] { flops = run(1000000); }) * flops;
#endif
  return flops;
}

struct Case {
  const char* name;
  int64_t batches, m, n, k;
  bool a_transposed, b_transposed;
};

void measure(const Case& c, double peak, int threads) {
  const int64_t sizes[] = {c.batches * c.m * c.k, c.batches * c.k * c.n, c.batches * c.m * c.n};
  Allocation a(4 * sizes[0]), b(4 * sizes[1]), out(4 * sizes[2]);
  for (int64_t i = 0; i < sizes[0]; ++i) static_cast<float*>(a.data())[i] = float(i % 17) - 8;
  for (int64_t i = 0; i < sizes[1]; ++i) static_cast<float*>(b.data())[i] = float(i % 13) - 6;
  GemmProblem p;
  p.batches = c.batches;
  p.m = c.m;
  p.n = c.n;
  p.k = c.k;
  p.a = a.data();
  p.b = b.data();
  p.c = out.data();
  p.a_row_stride = c.a_transposed ? 1 : c.k;
  p.a_column_stride = c.a_transposed ? c.m : 1;
  p.b_row_stride = c.b_transposed ? 1 : c.n;
  p.b_column_stride = c.b_transposed ? c.k : 1;
  p.c_row_stride = c.n;
  p.a_batch_stride = c.m * c.k;
  p.b_batch_stride = c.k * c.n;
  p.c_batch_stride = c.m * c.n;
  g_cpu_time = threads == 1;
  PoolSizeScope size(threads);
  const int repeat = static_cast<int>(1 + 1e6 / (2.0 * c.batches * c.m * c.n * c.k));
  const double time = best_seconds([&] {
                        for (int r = 0; r < repeat; ++r) gemm(p);
                      }) /
                      repeat;
  const double gflops = 2e-9 * c.batches * c.m * c.n * c.k / time;
  const double gbytes = 4e-9 * (sizes[0] + sizes[1] + sizes[2]) / time;
  std::printf("%-22s %10.2f us %8.1f GFLOP/s %5.1f %% of peak %7.1f GB/s\n", c.name, time * 1e6,
              gflops, 100 * gflops / (peak * threads), gbytes);
}

}  // namespace

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : 1;
  const std::string only = argc > 2 ? argv[2] : "";
  const double peak = peak_gflops();
  std::printf("%s, %d thread(s), FMA peak of one core %.1f GFLOP/s\n",
              std::string(name_of(best_instruction_set())).c_str(), threads, peak);
  const Case cases[] = {
      {"matmul_256", 1, 256, 256, 256, false, false},
      {"matmul_512", 1, 512, 512, 512, false, false},
      {"matmul_1024", 1, 1024, 1024, 1024, false, false},
      {"matmul_2048", 1, 2048, 2048, 2048, false, false},
      {"matmul_at_b_1024", 1, 1024, 1024, 1024, true, false},
      {"matmul_a_bt_1024", 1, 1024, 1024, 1024, false, true},
      {"batched_64x128", 64, 128, 128, 128, false, false},
      {"mlp_1", 1, 512, 1024, 784, false, false},
      {"mlp_2", 1, 512, 10, 1024, false, false},
      {"digits_64x1200x64", 1, 64, 1200, 64, false, true},
      {"odd_513x257x129", 1, 513, 257, 129, false, false},
      {"small_8", 1, 8, 8, 8, false, false},
      {"small_32", 1, 32, 32, 32, false, false},
      {"small_64", 1, 64, 64, 64, false, false},
      {"small_64_bt", 1, 64, 64, 64, false, true},
      {"tall_4096x4x4096", 1, 4096, 4, 4096, false, false},
      {"wide_4x4096x4096", 1, 4, 4096, 4096, false, false},
      {"matvec_256", 1, 256, 1, 256, false, false},
      {"matvec_1024", 1, 1024, 1, 1024, false, false},
      {"matvec_4096", 1, 4096, 1, 4096, false, false},
      {"matvec_t_4096", 1, 4096, 1, 4096, true, false},
      {"vecmat_1024", 1, 1, 1024, 1024, false, false},
      {"vecmat_4096", 1, 1, 4096, 4096, false, false},
      {"dot_1m", 1, 1, 1, 1000000, false, false},
  };
  for (const Case& c : cases) {
    if (only.empty() || c.name == only) measure(c, peak, threads);
  }
}
