// Products of element types that have no kernels of their own, by conversion to one that has.
#pragma once

#include "runtime/gemm/gemm.h"

namespace tenon::runtime {

/// True for the pairs that gemm_converted computes:
///
///     operands            results            computed in
///     f16, bf16, f32      f16, bf16, f32     f32
///     any float           any float          f64, when one of the two is f64
///     integers, bool      integers           integers of 32 bits, of 64 for 64-bit results
///     bool                bool               the same; any product that is not 0 gives true
///     integers, bool      floats             f64
///     complex             complex            four products of the parts
bool has_converted_gemm(DType::Code type, DType::Code result_type) noexcept;

/// Computes C through converted copies of A and B; rounds once at the end.
void gemm_converted(const GemmProblem& problem);

/// gemm_scratch_bytes of such a product.
int64_t gemm_converted_scratch_bytes(const GemmProblem& problem, int threads);

}  // namespace tenon::runtime
