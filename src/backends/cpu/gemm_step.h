// A product of matrices as data, in the canonical form of passes/canonicalize_dots.cpp.
#pragma once

#include <cstdint>

#include "runtime/gemm/gemm.h"
#include "tenon/dtype.h"

namespace tenon::cpu {

struct GemmStep {
  DType type{DType::kFloat32}, result_type{DType::kFloat32};
  int64_t batches = 1, m = 0, n = 0, k = 0;
  int64_t a_row_stride = 0, a_column_stride = 0, a_batch_stride = 0;
  int64_t b_row_stride = 0, b_column_stride = 0, b_batch_stride = 0;
  int64_t columns_after_row = INT64_MAX;  // in a stream: columns of row r after r + this are not read

  int64_t result_bytes() const { return batches * m * n * result_type.itemsize(); }
  double flops() const {
    return 2.0 * static_cast<double>(batches * m * n) * static_cast<double>(k);
  }
};

inline runtime::GemmProblem gemm_problem(const GemmStep& g, runtime::InstructionSet instruction_set, const void* a, const void* b, void* c) {
  runtime::GemmProblem problem;
  problem.type = g.type.code(), problem.result_type = g.result_type.code();
  problem.batches = g.batches, problem.m = g.m, problem.n = g.n, problem.k = g.k;
  problem.a = a, problem.b = b, problem.c = c;
  problem.a_row_stride = g.a_row_stride, problem.a_column_stride = g.a_column_stride, problem.a_batch_stride = g.a_batch_stride;
  problem.b_row_stride = g.b_row_stride, problem.b_column_stride = g.b_column_stride, problem.b_batch_stride = g.b_batch_stride;
  problem.c_row_stride = g.n, problem.c_batch_stride = g.m * g.n;
  problem.instruction_set = instruction_set;
  return problem;
}

}  // namespace tenon::cpu
