// The AVX-512 kernels where there is no AVX-512: the same templates, 64-byte vectors, compiled for
// AVX2 with FMA, which splits each in two. Their bits must be those of the AVX2 kernels.
#if defined(__x86_64__) && defined(__clang__)
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "runtime/gemm/gemm.h"

#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#define TENON_GEMM_FMA 1
#include "runtime/gemm/micro_kernels.h"

namespace tenon::runtime {
namespace {
constinit const GemmKernels<float> kWideF32 = Kernels<float, 64>::table<12, 2>();
constinit const GemmKernels<double> kWideF64 = Kernels<double, 64>::table<12, 2>();
}  // namespace
}  // namespace tenon::runtime
#pragma clang attribute pop

#include "runtime/gemm/driver.h"

namespace tenon::runtime {
namespace {

template <class T>
void check(const GemmKernels<T>& narrow, const GemmKernels<T>& wide, int64_t m, int64_t n,
           int64_t k, bool a_transposed, bool b_transposed) {
  SCOPED_TRACE(testing::Message() << m << "x" << n << "x" << k << " transposed " << a_transposed
                                  << b_transposed);
  std::mt19937 random(3);
  std::uniform_real_distribution<T> uniform(-1, 1);
  std::vector<T> a(m * k + 64), b(k * n + 64), c(m * n), wide_c(m * n);
  for (T& x : a) x = uniform(random);
  for (T& x : b) x = uniform(random);
  GemmProblem p;
  p.m = m, p.n = n, p.k = k;
  p.a = a.data(), p.a_row_stride = a_transposed ? 1 : k, p.a_column_stride = a_transposed ? m : 1;
  p.b = b.data(), p.b_row_stride = b_transposed ? 1 : n, p.b_column_stride = b_transposed ? k : 1;
  p.c = c.data(), p.c_row_stride = n;
  GemmDriver<T>(p, narrow).run();
  p.c = wide_c.data();
  GemmDriver<T>(p, wide).run();
  EXPECT_EQ(std::memcmp(c.data(), wide_c.data(), c.size() * sizeof(T)), 0);
}

TEST(GemmWide, HasTheBitsOfTheNarrowKernels) {
  if (best_instruction_set() == InstructionSet::baseline) GTEST_SKIP() << "needs AVX2";
  for (bool a_transposed : {false, true}) {
    for (bool b_transposed : {false, true}) {
      for (int64_t m : {1, 2, 11, 12, 13, 30}) {
        for (int64_t n : {1, 15, 16, 17, 31, 32, 33, 100}) {
          for (int64_t k : {1, 15, 16, 40, 513}) {
            check(kGemmAvx2F32, kWideF32, m, n, k, a_transposed, b_transposed);
            check(kGemmAvx2F64, kWideF64, m, n, k, a_transposed, b_transposed);
          }
        }
      }
      check(kGemmAvx2F32, kWideF32, 300, 200, 1100, a_transposed, b_transposed);
    }
  }
  for (int64_t k : {1500, 20000}) {
    check(kGemmAvx2F32, kWideF32, 40, 1, k, false, false);
    check(kGemmAvx2F32, kWideF32, 1, 1, k, false, false);
    check(kGemmAvx2F64, kWideF64, 1, 300, k, false, false);
  }
}

}  // namespace
}  // namespace tenon::runtime
#endif
