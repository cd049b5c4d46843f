// Loops that apply one scalar function to each element: one table over ScalarOp and element types.
#pragma once

#include <cstdint>

#include "dialect/scalar_op.h"
#include "tenon/dtype.h"

namespace tenon::evaluator {

enum class Comparison : std::uint8_t { eq, ne, ge, gt, le, lt };

/// What a scalar function is given beside its operands.
struct ScalarParams {
  Comparison comparison = Comparison::eq;  // compare
  bool total_order = false;                // compare: -NaN < -inf < ... < -0 < +0 < ... < NaN
  int exponent_bits = 0;                   // reduce_precision
  int mantissa_bits = 0;
};

/// result[i] = f(operands[0][i * steps[0]], ...) for 0 <= i < count. A step is 1, or 0 for a scalar.
using ElementwiseLoop = void (*)(const void* const* operands, const std::int64_t* steps, void* result,
                                 std::int64_t count, const ScalarParams& params);

/// The loop for `op` on elements of `operand` (of select: of its branches), giving `result`.
/// nullptr when there is none. A loop may be called from any thread.
ElementwiseLoop find_loop(ScalarOp op, DType operand, DType result, const ScalarParams& params);

/// The loop that converts (ScalarOp::kConvert).
ElementwiseLoop find_conversion(DType operand, DType result);

}  // namespace tenon::evaluator
