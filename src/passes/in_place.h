// Whether an operation may write a result over one of its operands.
#pragma once

#include <vector>

#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"

namespace tenon::passes {

/// The value whose buffer `value` shares: reshapes are seen through.
mlir::Value buffer_root(mlir::Value value);

/// The uses of a value's buffer: those of the value and of what reshapes make of it.
std::vector<mlir::OpOperand*> readers_of(mlir::Value value);

/// `op` reads each element of the buffer of `root` before or when it writes the same element of `result`, and
/// reads it nowhere else. True for element loops whose paths from the operand to every result keep the index.
bool can_overwrite(mlir::Operation* op, mlir::Value root, mlir::Value result);

/// `op` replaces a part of an array that its loop carries, and the loop goes on with the result: done in place,
/// it costs what the part is, and not what the array is. No kernel takes it in.
bool updates_carried(mlir::Operation* op);

}  // namespace tenon::passes
