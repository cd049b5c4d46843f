// Whether row r of a result needs no more than row r of an operand. Rows are what the leading axes number, in whatever
// shape: "16384 rows" of f32[4,8,512,512] are the lines along its last axis.
#pragma once

#include <cstdint>

#include "dialect/tenon_ops.h"

namespace tenon::passes {

/// How many leading axes number `rows` rows, as few as can be; -1 when the shape has no such place.
int row_axes(mlir::Value value, int64_t rows);

/// Element (r, ...) of the result is element (r, ...) of the operand that an operation moves, for as many r; axes of size 1 do
/// not matter.
bool keeps_leading_axes(mlir::Operation* op, unsigned operand, int64_t rows);

/// Row r of each result is made of row r of operand `operand`, and of other operands in any way.
bool works_row_by_row(ir::FusionOp fusion, unsigned operand, int64_t rows);

}  // namespace tenon::passes
