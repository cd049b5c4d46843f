// A product of matrices as data, in the canonical form of passes/canonicalize_dots.cpp.
#pragma once

#include <cstdint>

#include "tenon/dtype.h"

namespace tenon::cpu {

struct GemmStep {
  DType type{DType::kFloat32}, result_type{DType::kFloat32};
  int64_t batches = 1, m = 0, n = 0, k = 0;
  int64_t a_row_stride = 0, a_column_stride = 0, a_batch_stride = 0;
  int64_t b_row_stride = 0, b_column_stride = 0, b_batch_stride = 0;

  int64_t result_bytes() const { return batches * m * n * result_type.itemsize(); }
  double flops() const {
    return 2.0 * static_cast<double>(batches * m * n) * static_cast<double>(k);
  }
};

}  // namespace tenon::cpu
