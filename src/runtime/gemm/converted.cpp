#include "runtime/gemm/converted.h"

#include <complex>
#include <cstdlib>
#include <optional>

#include "base/element.h"
#include "base/fail.h"
#include "runtime/scratch.h"
#include "runtime/thread_pool.h"

namespace tenon::runtime {

using namespace tenon::elements;

namespace {

constexpr int64_t kChunkElements = 1 << 15;  // worth a thread's attention: some 10 us

std::optional<DType::Code> computed_type(DType type, DType result) {
  // Neither numbers of less than a byte or with their own rounding, nor keys.
  if (type.code() > DType::kComplex128 || result.code() > DType::kComplex128) return std::nullopt;
  const bool integers = !type.is_inexact();
  if (type.is_complex() || result.is_complex()) {
    if (!type.is_complex() || !result.is_complex()) return std::nullopt;
    return type.itemsize() == 16 || result.itemsize() == 16 ? DType::kFloat64 : DType::kFloat32;
  }
  if (integers && !result.is_inexact()) return result.bits() == 64 ? DType::kUInt64 : DType::kUInt32;
  if (!result.is_inexact()) return std::nullopt;
  const bool wide = integers || type.bits() == 64 || result.bits() == 64;
  return wide ? DType::kFloat64 : DType::kFloat32;
}

/// A dense copy of a batch of matrices, converted; the axis whose elements were closer is minor.
struct Copy {
  Scratch memory;
  int64_t row_stride = 1, column_stride = 1, batch_stride = 0;
};

void make_dense(int64_t rows, int64_t columns, int64_t& row_stride, int64_t& column_stride) {
  const bool by_rows = std::abs(column_stride) <= std::abs(row_stride);
  row_stride = by_rows ? columns : 1, column_stride = by_rows ? 1 : rows;
}

template <class To, class From>
To converted(From value, bool imaginary) {
  const auto wide = widen(value);
  if constexpr (is_complex<From>) return static_cast<To>(imaginary ? wide.imag() : wide.real());
  else return static_cast<To>(wide);
}

template <class To>
Copy copy_of(DType type, const void* data, int64_t batches, int64_t rows, int64_t columns, int64_t row_stride,
             int64_t column_stride, int64_t batch_stride, bool imaginary) {
  Copy copy;
  const bool by_rows = std::abs(column_stride) <= std::abs(row_stride);
  copy.row_stride = row_stride, copy.column_stride = column_stride;
  make_dense(rows, columns, copy.row_stride, copy.column_stride);
  if (batch_stride == 0) batches = 1;
  copy.batch_stride = batch_stride == 0 ? 0 : rows * columns;
  copy.memory = Scratch(batches * rows * columns * static_cast<int64_t>(sizeof(To)));
  const int64_t outer = by_rows ? rows : columns, inner = by_rows ? columns : rows;
  const int64_t outer_stride = by_rows ? row_stride : column_stride, inner_stride = by_rows ? column_stride : row_stride;
  if (inner == 0) return copy;
  with_element_type(type, [&]<class From>() {
    parallel_for(batches * outer, std::max<int64_t>(1, kChunkElements / inner), [&](int64_t begin, int64_t end) {
      for (int64_t line = begin; line < end; ++line) {
        const From* in = static_cast<const From*>(data) + line / outer * batch_stride + line % outer * outer_stride;
        To* out = static_cast<To*>(copy.memory.data()) + line * inner;
        for (int64_t i = 0; i < inner; ++i) out[i] = converted<To>(in[i * inner_stride], imaginary);
      }
    });
  });
  return copy;
}

template <class T, class C>
constexpr bool kHasResult = is_complex<T> == is_complex<C>;

template <class T, class C>
T result_of(C sum) {
  if constexpr (std::is_same_v<T, bool>) return sum != 0;
  else if constexpr (is_half<T>) return narrow<T>(static_cast<float>(sum));
  else if constexpr (is_complex<T>) return T(static_cast<typename T::value_type>(sum.real()), static_cast<typename T::value_type>(sum.imag()));
  else return static_cast<T>(sum);
}

/// Stores `sum(i)` for each element i of the dense results.
template <class Sum>
void store(const GemmProblem& p, Sum sum) {
  if (p.n == 0) return;
  with_element_type(DType(p.result_type), [&]<class T>() {
    if constexpr (kHasResult<T, decltype(sum(0))>)
      parallel_for(p.batches * p.m, std::max<int64_t>(1, kChunkElements / p.n), [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row) {
          T* out = static_cast<T*>(p.c) + row / p.m * p.c_batch_stride + row % p.m * p.c_row_stride;
          for (int64_t j = 0; j < p.n; ++j) out[j] = result_of<T>(sum(row * p.n + j));
        }
      });
  });
}

template <class C>
class Product {
 public:
  Product(const GemmProblem& problem, DType::Code computed) : problem_(problem), computed_(computed) {}

  Copy left(bool imaginary) const {
    const GemmProblem& p = problem_;
    return copy_of<C>(DType(p.type), p.a, p.batches, p.m, p.k, p.a_row_stride, p.a_column_stride, p.a_batch_stride, imaginary);
  }
  Copy right(bool imaginary) const {
    const GemmProblem& p = problem_;
    return copy_of<C>(DType(p.type), p.b, p.batches, p.k, p.n, p.b_row_stride, p.b_column_stride, p.b_batch_stride, imaginary);
  }
  /// Dense sums.
  Scratch multiply(const Copy& a, const Copy& b) const {
    GemmProblem q = problem_;
    Scratch sums(q.batches * q.m * q.n * static_cast<int64_t>(sizeof(C)));
    q.type = q.result_type = computed_;
    q.a = a.memory.data(), q.a_row_stride = a.row_stride, q.a_column_stride = a.column_stride, q.a_batch_stride = a.batch_stride;
    q.b = b.memory.data(), q.b_row_stride = b.row_stride, q.b_column_stride = b.column_stride, q.b_batch_stride = b.batch_stride;
    q.c = sums.data(), q.c_row_stride = q.n, q.c_batch_stride = q.m * q.n;
    q.epilogue = {};
    gemm(q);
    return sums;
  }

 private:
  const GemmProblem& problem_;
  DType::Code computed_;
};

template <class C>
void run_real(const GemmProblem& problem, DType::Code computed) {
  const Product<C> product(problem, computed);
  const Scratch sums = product.multiply(product.left(false), product.right(false));
  store(problem, [&](int64_t i) { return static_cast<const C*>(sums.data())[i]; });
}

template <class C>
void run_complex(const GemmProblem& problem, DType::Code computed) {
  const Product<C> product(problem, computed);
  const Copy a = product.left(false), ai = product.left(true), b = product.right(false), bi = product.right(true);
  const Scratch rr = product.multiply(a, b), ii = product.multiply(ai, bi), ri = product.multiply(a, bi), ir = product.multiply(ai, b);
  const auto at = [](const Scratch& sums, int64_t i) { return static_cast<const C*>(sums.data())[i]; };
  store(problem, [&](int64_t i) { return std::complex<C>(at(rr, i) - at(ii, i), at(ri, i) + at(ir, i)); });
}

}  // namespace

bool has_converted_gemm(DType::Code type, DType::Code result_type) noexcept {
  return computed_type(DType(type), DType(result_type)).has_value();
}

int64_t gemm_converted_scratch_bytes(const GemmProblem& problem, int threads) {
  const GemmProblem& p = problem;
  if (p.m <= 0 || p.n <= 0 || p.batches <= 0) return 0;
  GemmProblem q = problem;
  q.type = q.result_type = *computed_type(DType(p.type), DType(p.result_type));
  const auto elements = [&](int64_t batch_stride, int64_t of_one) { return (batch_stride == 0 ? 1 : p.batches) * of_one; };
  const int64_t parts = DType(p.type).is_complex() ? 2 : 1;
  const int64_t copies = elements(p.a_batch_stride, p.m * p.k) + elements(p.b_batch_stride, p.k * p.n), sums = p.batches * p.m * p.n;
  make_dense(p.m, p.k, q.a_row_stride, q.a_column_stride);
  make_dense(p.k, p.n, q.b_row_stride, q.b_column_stride);
  q.c_row_stride = p.n;
  return (parts * copies + parts * parts * sums) * DType(q.type).itemsize() + gemm_scratch_bytes(q, threads);
}

void gemm_converted(const GemmProblem& problem) {
  if (problem.m <= 0 || problem.n <= 0 || problem.batches <= 0) return;
  const DType::Code computed = *computed_type(DType(problem.type), DType(problem.result_type));
  const bool is_complex_product = DType(problem.type).is_complex();
  if (computed == DType::kUInt32) run_real<uint32_t>(problem, computed);
  else if (computed == DType::kUInt64) run_real<uint64_t>(problem, computed);
  else if (computed == DType::kFloat32) is_complex_product ? run_complex<float>(problem, computed) : run_real<float>(problem, computed);
  else is_complex_product ? run_complex<double>(problem, computed) : run_real<double>(problem, computed);
  if (!problem.epilogue.apply) return;
  const int64_t itemsize = DType(problem.result_type).itemsize();
  for (int64_t batch = 0; batch < problem.batches; ++batch)
    problem.epilogue.apply(problem.epilogue.context,
                           {static_cast<char*>(problem.c) + batch * problem.c_batch_stride * itemsize, problem.c_row_stride,
                            batch, 0, 0, problem.m, problem.n});
}

}  // namespace tenon::runtime
