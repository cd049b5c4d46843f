// Where values come from: the operation inside of a kernel that makes one, the line of the user's program.
#pragma once

#include <string>

#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"

namespace tenon::passes {

/// "file:line" of the user's program; empty when it is not known.
std::string source_of(mlir::Operation* op);

/// The operation that makes `value`, inside of kernels if it is one's result; null for an argument.
mlir::Operation* maker_of(mlir::Value value);

}  // namespace tenon::passes
