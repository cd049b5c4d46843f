#include "runtime/gemm/gemm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "runtime/allocator.h"
#include "runtime/thread_pool.h"
#include "tenon/error.h"

namespace tenon::runtime {
namespace {

std::vector<InstructionSet> instruction_sets() {
  std::vector<InstructionSet> sets;
  for (int i = 0; i <= static_cast<int>(best_instruction_set()); ++i) {
    sets.push_back(static_cast<InstructionSet>(i));
  }
  return sets;
}

// A matrix with room around it, so that strides are not what they seem.
template <class T>
struct Matrix {
  Matrix(int64_t rows, int64_t columns, bool transposed, int64_t spread, unsigned seed)
      : row_stride(transposed ? spread : columns * spread + 3),
        column_stride(transposed ? rows * spread + 3 : spread),
        elements((rows + 1) * (columns + 1) * spread * 4 + 64) {
    std::mt19937 random(seed);
    for (T& x : elements) {
      if constexpr (std::is_integral_v<T>) {
        x = static_cast<T>(random());
      } else {
        x = static_cast<T>(std::uniform_real_distribution<double>(-1, 1)(random));
      }
    }
  }
  T at(int64_t i, int64_t j) const { return elements[i * row_stride + j * column_stride]; }

  int64_t row_stride, column_stride;
  std::vector<T> elements;
};

template <class T>
constexpr DType::Code kCode = std::is_same_v<T, float>    ? DType::kFloat32
                              : std::is_same_v<T, double> ? DType::kFloat64
                                                          : DType::kInt32;

// The definition of gemm.h.
template <class T>
T canonical(const Matrix<T>& a, const Matrix<T>& b, int64_t i, int64_t j, int64_t k, bool fused) {
  using U = std::conditional_t<std::is_integral_v<T>, uint32_t, T>;
  U total{};
  for (int64_t block = 0; block < k; block += kGemmKBlock) {
    U acc{};
    for (int64_t p = block; p < std::min(k, block + kGemmKBlock); ++p) {
      const U x = a.at(i, p), y = b.at(p, j);
      if constexpr (std::is_floating_point_v<T>) {
        if (fused) {
          acc = std::fma(x, y, acc);
          continue;
        }
      }
      acc = x * y + acc;  // compiled without contraction
    }
    total = block == 0 ? acc : total + acc;
  }
  return static_cast<T>(total);
}

bool is_fused(InstructionSet set) {
#if defined(__x86_64__)
  return set != InstructionSet::baseline;
#else
  return true;
#endif
}

struct Layout {
  bool a_transposed = false, b_transposed = false;
  int64_t spread = 1;
};

template <class T>
void expect_canonical(const std::vector<T>& c, int64_t stride, const Matrix<T>& a, const Matrix<T>& b, int64_t m, int64_t n, int64_t k,
                      InstructionSet set) {
  int wrong = 0;
  for (int64_t i = 0; i <= m; ++i) {
    for (int64_t j = 0; j < stride; ++j) {
      const bool is_inside = i < m && j < n;
      const T expected = is_inside ? canonical(a, b, i, j, k, is_fused(set)) : T{77};
      if (std::memcmp(&c[i * stride + j], &expected, sizeof(T)) != 0 && wrong++ < 3)
        ADD_FAILURE() << "(" << i << "," << j << ") is " << c[i * stride + j] << ", not " << expected;
    }
  }
}

// All elements against the definition, bit for bit, and nothing written outside of C.
template <class T>
void check(int64_t m, int64_t n, int64_t k, Layout layout, InstructionSet set) {
  SCOPED_TRACE(testing::Message() << m << "x" << n << "x" << k << " transposed "
                                  << layout.a_transposed << layout.b_transposed << " spread "
                                  << layout.spread << " " << name_of(set));
  const Matrix<T> a(m, k, layout.a_transposed, layout.spread, 1);
  const Matrix<T> b(k, n, layout.b_transposed, layout.spread, 2);
  const int64_t stride = n + 5;
  const T untouched = T{77};
  std::vector<T> c((m + 1) * stride, untouched);
  GemmProblem p;
  p.type = p.result_type = kCode<T>;
  p.m = m, p.n = n, p.k = k;
  p.a = a.elements.data(), p.a_row_stride = a.row_stride, p.a_column_stride = a.column_stride;
  p.b = b.elements.data(), p.b_row_stride = b.row_stride, p.b_column_stride = b.column_stride;
  p.c = c.data(), p.c_row_stride = stride;
  p.instruction_set = set;
  const Allocation packed(packed_b_bytes(p) + 1);
  // B where it lies, then packed for several products.
  for (const void* packed_b : {static_cast<const void*>(nullptr), static_cast<const void*>(packed.data())}) {
    if (packed_b && packed_b_bytes(p) == 0) continue;
    if (packed_b) pack_gemm_b(p, packed.data());
    p.packed_b = packed_b;
    std::fill(c.begin(), c.end(), untouched);
    gemm(p);
    SCOPED_TRACE(packed_b ? "packed" : "in place");
    expect_canonical(c, stride, a, b, m, n, k, set);
  }
}

TEST(Gemm, LeavesOutColumnsThatNobodyReadsAndProductsWithZeros) {
  constexpr int64_t kM = 20, kN = 1100, kK = 700;
  std::vector<float> a(kM * kK, 0.0f), b(kK * kN), whole(kM * kN), part(kM * kN);
  for (size_t i = 0; i < b.size(); ++i) b[i] = 0.25f * static_cast<float>(i % 13) - 1;
  GemmProblem p;
  p.m = kM, p.n = kN, p.k = kK;
  p.a = a.data(), p.a_row_stride = kK, p.b = b.data(), p.b_row_stride = kN, p.c_row_stride = kN;
  const Allocation packed(packed_b_bytes(p) + 1);
  pack_gemm_b(p, packed.data());
  p.packed_b = packed.data();
  for (int64_t k_end : {0, 1, 255, 256, 300, 700}) {
    for (int64_t i = 0; i < kM; ++i)
      for (int64_t k = 0; k < kK; ++k) a[i * kK + k] = k < k_end ? 0.5f * static_cast<float>((i + k) % 7) - 1 : 0.0f;
    p.c = whole.data(), p.k_end = p.n_end = INT64_MAX;
    gemm(p);
    p.c = part.data(), p.k_end = k_end;
    for (int64_t n_end : {1, 16, 17, 1024, 1030, 1100}) {
      p.n_end = n_end;
      std::fill(part.begin(), part.end(), -1.0f);
      gemm(p);
      for (int64_t i = 0; i < kM; ++i)
        for (int64_t j = 0; j < n_end; ++j) ASSERT_EQ(part[i * kN + j], whole[i * kN + j]) << k_end << " " << n_end << " " << i << " " << j;
    }
  }
}

template <class T>
class GemmOf : public testing::Test {};
using Types = testing::Types<float, double, int32_t>;
TYPED_TEST_SUITE(GemmOf, Types);

TYPED_TEST(GemmOf, SizesAroundTiles) {
  for (InstructionSet set : instruction_sets()) {
    for (int64_t m : {1, 2, 5, 6, 7, 12, 13, 25}) {
      for (int64_t n : {1, 2, 7, 8, 9, 15, 16, 17, 33, 65}) {
        for (int64_t k : {1, 3, 8, 17}) check<TypeParam>(m, n, k, {}, set);
      }
    }
  }
}

TYPED_TEST(GemmOf, Transposes) {
  for (InstructionSet set : instruction_sets()) {
    for (bool a_transposed : {false, true}) {
      for (bool b_transposed : {false, true}) {
        for (int64_t spread : {1, 2}) {
          const Layout layout{a_transposed, b_transposed, spread};
          check<TypeParam>(13, 37, 19, layout, set);
          check<TypeParam>(50, 70, 300, layout, set);
          check<TypeParam>(1, 70, 300, layout, set);
          check<TypeParam>(70, 1, 300, layout, set);
          check<TypeParam>(1, 1, 300, layout, set);
        }
      }
    }
  }
}

TYPED_TEST(GemmOf, BlockBoundaries) {
  for (InstructionSet set : instruction_sets()) {
    for (int64_t k : {511, 512, 513, 1024, 1025, 1300}) {
      check<TypeParam>(7, 19, k, {}, set);
      check<TypeParam>(32, 16, k, {}, set);  // B is not packed
    }
    check<TypeParam>(143, 35, 40, {}, set);
    check<TypeParam>(145, 35, 40, {}, set);
    check<TypeParam>(385, 50, 20, {true, true}, set);
    check<TypeParam>(3, 1030, 20, {}, set);
    check<TypeParam>(5, 1030, 20, {false, true}, set);
  }
}

TYPED_TEST(GemmOf, VectorSizes) {
  for (InstructionSet set : instruction_sets()) {
    for (int64_t rows : {1, 2, 3, 8, 9, 31, 33, 64, 65, 100, 1030}) {
      for (int64_t k : {1, 7, 8, 9, 64, 511, 513, 1100}) {
        for (bool transposed : {false, true}) {
          check<TypeParam>(rows, 1, k, {transposed, false}, set);
          check<TypeParam>(1, rows, k, {false, transposed}, set);
        }
      }
    }
  }
}

TYPED_TEST(GemmOf, LongDotProducts) {
  for (InstructionSet set : instruction_sets()) {
    for (int64_t k : {1024, 2048, 4096, 5000, 9001, 17000}) check<TypeParam>(1, 1, k, {}, set);
  }
}

TYPED_TEST(GemmOf, NothingToSum) {
  for (InstructionSet set : instruction_sets()) {
    check<TypeParam>(3, 5, 0, {}, set);
    check<TypeParam>(0, 5, 4, {}, set);
    check<TypeParam>(5, 0, 4, {}, set);
    check<TypeParam>(0, 0, 0, {}, set);
    check<TypeParam>(1, 1, 0, {}, set);
  }
}

// Dense random problem of f32; the result.
std::vector<float> multiply(int64_t batches, int64_t m, int64_t n, int64_t k,
                            GemmEpilogue epilogue = {}) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> a(batches * m * k), b(batches * k * n), c(batches * m * n);
  for (float& x : a) x = uniform(random);
  for (float& x : b) x = uniform(random);
  GemmProblem p;
  p.batches = batches, p.m = m, p.n = n, p.k = k;
  p.a = a.data(), p.a_row_stride = k, p.a_batch_stride = m * k;
  p.b = b.data(), p.b_row_stride = n, p.b_batch_stride = k * n;
  p.c = c.data(), p.c_row_stride = n, p.c_batch_stride = m * n;
  p.epilogue = epilogue;
  gemm(p);
  return c;
}

TEST(Gemm, SameBitsForAnyNumberOfThreads) {
  struct Case {
    int64_t batches, m, n, k;
  };
  for (const Case& c : {Case{1, 500, 700, 600}, Case{64, 40, 50, 60}, Case{3, 300, 300, 300},
                        Case{1, 30, 5000, 300}, Case{1, 5000, 30, 300}, Case{1, 4000, 1, 3000},
                        Case{1, 1, 4000, 3000}}) {
    std::vector<float> one;
    for (int threads : {1, 2, 8}) {
      PoolSizeScope size(threads);
      std::vector<float> result = multiply(c.batches, c.m, c.n, c.k);
      if (threads == 1) one = result;
      EXPECT_EQ(std::memcmp(one.data(), result.data(), one.size() * 4), 0)
          << threads << " threads, " << c.m << "x" << c.n << "x" << c.k;
    }
  }
}

TEST(Gemm, LargeOneIsCloseToDouble) {
  const int64_t m = 130, n = 140, k = 5000;
  std::mt19937 random(7);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> a(m * k), b(k * n);
  for (float& x : a) x = uniform(random);
  for (float& x : b) x = uniform(random);
  const std::vector<float> c = multiply(1, m, n, k);
  for (int64_t i = 0; i < m; i += 13) {
    for (int64_t j = 0; j < n; j += 13) {
      double sum = 0, magnitude = 0;
      for (int64_t p = 0; p < k; ++p) {
        sum += double(a[i * k + p]) * b[p * n + j];
        magnitude += std::abs(double(a[i * k + p]) * b[p * n + j]);
      }
      EXPECT_NEAR(c[i * n + j], sum, 1e-6 * magnitude);
    }
  }
}

// Meant for AddressSanitizer: operands without a byte around them.
TEST(Gemm, TouchesNothingOutside) {
  for (InstructionSet set : instruction_sets()) {
    for (int64_t m : {1, 5, 7, 13, 33, 64}) {
      for (int64_t n : {1, 7, 17, 33, 64, 70}) {
        for (int64_t k : {1, 7, 8, 19, 64, 513, 1030}) {
          for (int transposed = 0; transposed < 4; ++transposed) {
            std::vector<float> a(m * k, 1), b(k * n, 1), c(m * n, 0);
            GemmProblem p;
            p.m = m, p.n = n, p.k = k;
            p.a = a.data(), p.b = b.data(), p.c = c.data(), p.c_row_stride = n;
            p.a_row_stride = transposed & 1 ? 1 : k, p.a_column_stride = transposed & 1 ? m : 1;
            p.b_row_stride = transposed & 2 ? 1 : n, p.b_column_stride = transposed & 2 ? k : 1;
            p.instruction_set = set;
            gemm(p);
            for (float x : c) ASSERT_EQ(x, k);
          }
        }
      }
    }
  }
}

TEST(Gemm, BatchIsALoop) {
  // B is the same for each: so all is one tall product.
  const int64_t m = 20, n = 30, k = 40, batches = 5;
  std::vector<float> a(batches * m * k), b(k * n), c(batches * m * n), tall(batches * m * n);
  std::mt19937 random(7);
  for (float& x : a) x = static_cast<float>(random() % 1000) / 999;
  for (float& x : b) x = static_cast<float>(random() % 1000) / 999;
  GemmProblem p;
  p.batches = batches, p.m = m, p.n = n, p.k = k;
  p.a = a.data(), p.a_row_stride = k, p.a_batch_stride = m * k;
  p.b = b.data(), p.b_row_stride = n;
  p.c = c.data(), p.c_row_stride = n, p.c_batch_stride = m * n;
  gemm(p);
  p.batches = 1, p.m = batches * m, p.c = tall.data();
  gemm(p);
  EXPECT_EQ(c, tall);
}

TEST(Gemm, MatrixVectorIsAColumnOfTheProduct) {
  const int64_t m = 70, n = 30, k = 1700;
  std::vector<float> a(m * k), b(k * n), c(m * n), column(m), row(n);
  std::mt19937 random(7);
  for (float& x : a) x = static_cast<float>(random() % 1000) / 999;
  for (float& x : b) x = static_cast<float>(random() % 1000) / 999;
  GemmProblem p;
  p.m = m, p.n = n, p.k = k;
  p.a = a.data(), p.a_row_stride = k, p.b = b.data(), p.b_row_stride = n;
  p.c = c.data(), p.c_row_stride = n;
  gemm(p);
  p.b = b.data() + 3, p.n = 1, p.c = column.data(), p.c_row_stride = 1;
  gemm(p);
  for (int64_t i = 0; i < m; ++i) EXPECT_EQ(column[i], c[i * n + 3]);
  p.a = a.data() + 5 * k, p.m = 1, p.b = b.data(), p.n = n, p.c = row.data(), p.c_row_stride = n;
  gemm(p);
  for (int64_t j = 0; j < n; ++j) EXPECT_EQ(row[j], c[5 * n + j]);
}

TEST(Gemm, SpecialValuesPropagate) {
  const float inf = std::numeric_limits<float>::infinity();
  const float a[] = {inf, 1, 0, 1}, b[] = {0, 1, 1, 1};
  float c[4];
  GemmProblem p;
  p.m = p.n = p.k = 2;
  p.a = a, p.a_row_stride = 2;
  p.b = b, p.b_row_stride = 2;
  p.c = c, p.c_row_stride = 2;
  for (InstructionSet set : instruction_sets()) {
    p.instruction_set = set;
    gemm(p);
    EXPECT_TRUE(std::isnan(c[0]));
    EXPECT_EQ(c[1], inf);
    EXPECT_EQ(c[2], 1);
    EXPECT_EQ(c[3], 1);
  }
}

TEST(Gemm, EpilogueSeesEveryElementOnceAfterTheLastBlock) {
  struct Case {
    int64_t batches, m, n, k;
  };
  for (const Case& c : {Case{1, 500, 300, 600}, Case{4, 20, 30, 40}, Case{1, 700, 1, 600},
                        Case{1, 1, 700, 600}, Case{2, 3, 4, 0}}) {
    const std::vector<float> plain = multiply(c.batches, c.m, c.n, c.k);
    // Adds one to each element: an element seen twice, or too early, comes out wrong.
    const std::vector<float> result =
        multiply(c.batches, c.m, c.n, c.k,
                 {[](void*, const GemmTile& tile) {
                    for (int64_t i = 0; i < tile.rows; ++i) {
                      for (int64_t j = 0; j < tile.columns; ++j) {
                        static_cast<float*>(tile.c)[i * tile.row_stride + j] += 1;
                      }
                    }
                  },
                  nullptr});
    for (size_t i = 0; i < plain.size(); ++i) ASSERT_EQ(result[i], plain[i] + 1);
  }
}

TEST(Gemm, RefusesTypesItDoesNotHave) {
  GemmProblem p;
  p.type = p.result_type = DType::kKeyFry;
  EXPECT_FALSE(has_gemm(p.type, p.result_type));
  EXPECT_THROW(gemm(p), UnimplementedError);
}

TEST(Gemm, OutOfMemoryIsAnErrorAndLeavesNothingBehind) {
  const int64_t live = Allocator::get().stats().live_bytes;
  for (int n = 1; n < 10; ++n) {
    Allocator::get().fail_nth(n);
    try {
      PoolSizeScope size(4);
      multiply(1, 300, 300, 300);
      Allocator::get().fail_nth(0);
      EXPECT_GT(n, 1);
      break;
    } catch (const OutOfMemoryError&) {
      Allocator::get().fail_nth(0);
    }
    EXPECT_EQ(Allocator::get().stats().live_bytes, live);
  }
}

// Blocks of the allocator are up to an eighth larger.
TEST(Gemm, TakesTheMemoryThatIsSaid) {
  const PoolSizeScope one_thread(1);
  Allocator& allocator = Allocator::get();
  std::vector<char> memory(16 << 20);
  for (DType::Code type : {DType::kFloat32, DType::kFloat64, DType::kInt32, DType::kBFloat16, DType::kComplex64}) {
    for (int64_t m : {1, 7, 40, 200}) {
      for (int64_t n : {1, 9, 64, 300}) {
        for (int64_t k : {0, 1, 33, 700}) {
          for (int64_t batches : {1, 3}) {
            for (bool is_transposed : {false, true}) {
              GemmProblem p;
              p.type = p.result_type = type;
              p.batches = batches, p.m = m, p.n = n, p.k = k;
              p.a = p.b = memory.data(), p.c = memory.data() + (8 << 20);
              p.a_row_stride = is_transposed ? 1 : k, p.a_column_stride = is_transposed ? m : 1, p.a_batch_stride = m * k;
              p.b_row_stride = is_transposed ? 1 : n, p.b_column_stride = is_transposed ? k : 1;
              p.c_row_stride = n, p.c_batch_stride = m * n;
              const int64_t before = allocator.stats().live_bytes;
              allocator.reset_peak();
              gemm(p);
              const int64_t got = allocator.stats().peak_bytes - before, said = gemm_scratch_bytes(p, 1);
              EXPECT_GE(got, said);
              EXPECT_LE(got, said + said / 8 + 10 * kAlignmentBytes)
                  << DType(type).str() << " " << batches << " x " << m << "," << n << "," << k << (is_transposed ? " transposed" : "");
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace tenon::runtime
