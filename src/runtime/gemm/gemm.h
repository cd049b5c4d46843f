// Matrix products: C = A·B for a batch of matrices with any strides, on the thread pool.
//
// One order of summation for every shape, stride, thread count and instruction set with FMA:
// k is cut into blocks of kGemmKBlock; in a block an element of C accumulates from 0 in order of k,
// acc = fma(a[i,k], b[k,j], acc); block sums are added in order. So the bits of C[i,j] depend on
// row i of A and column j of B alone: a matrix-vector product is a column of the matrix product, a
// batch is a loop. Baseline x86-64 has no fma and rounds the product and the sum.
#pragma once

#include <cstdint>

#include "runtime/gemm/gemm_k_block.h"
#include "runtime/instruction_set.h"
#include "tenon/dtype.h"

namespace tenon::runtime {

/// A finished part of C: rows x columns elements from (row, column) of matrix `batch`, in cache.
struct GemmTile {
  void* c;             // its first element
  int64_t row_stride;  // elements
  int64_t batch, row, column, rows, columns;
};

/// What happens to each tile after its last K block, on the thread that computed it. Every element
/// is in one tile. Null: nothing.
struct GemmEpilogue {
  void (*apply)(void* context, const GemmTile& tile) = nullptr;
  void* context = nullptr;
};

/// Strides count elements; they may be 0 (broadcast) or negative for A and B.
struct GemmProblem {
  DType::Code type = DType::kFloat32;         // of A and B
  DType::Code result_type = DType::kFloat32;  // of C
  int64_t batches = 1;
  int64_t m = 0, n = 0, k = 0;

  const void* a = nullptr;  // m x k
  int64_t a_row_stride = 0, a_column_stride = 1, a_batch_stride = 0;
  const void* b = nullptr;  // k x n
  int64_t b_row_stride = 0, b_column_stride = 1, b_batch_stride = 0;
  // Made of B by pack_gemm_b; for products that share it, of one batch each. Then parts of the work can be left out:
  const void* packed_b = nullptr;
  int64_t n_end = INT64_MAX;  // columns of C from here on are left as they are, or written: nobody reads them
  int64_t k_end = INT64_MAX;  // A holds +0 from here on; its products with B, which add nothing but 0, are not made
  void* c = nullptr;  // m x n, columns next to each other; overwritten; apart from A and B
  int64_t c_row_stride = 0, c_batch_stride = 0;

  GemmEpilogue epilogue;
  /// Executables pass what they were compiled for; must be one that the machine has.
  InstructionSet instruction_set = best_instruction_set();
};

/// True for the (type, result_type) pairs that gemm computes: f32, f64 and integers of 32 and 64 bits
/// with results of the same type have kernels; for the others see converted.h.
bool has_gemm(DType::Code type, DType::Code result_type) noexcept;

/// What pack_gemm_b writes for products with this B; 0 when they read B where it lies. A may be any.
int64_t packed_b_bytes(const GemmProblem& problem);
/// Copies B into the order in which the kernels read it. `out` is aligned to kAlignmentBytes.
void pack_gemm_b(const GemmProblem& problem, void* out);

/// Computes C. k = 0 gives zeros, an empty C nothing. Integers wrap.
/// Throws UnimplementedError when !has_gemm, OutOfMemoryError when packing finds no memory, and
/// what the epilogue throws.
void gemm(const GemmProblem& problem);

/// Bytes that gemm(problem) takes at once at most where `threads` threads share the work: panels, of which those of A
/// belong to a thread; copies in the type that is computed. The addresses in `problem` do not matter.
int64_t gemm_scratch_bytes(const GemmProblem& problem, int threads);

}  // namespace tenon::runtime
