// The interfaces of interfaces.td, and questions about an operation that may lack them.
#pragma once

#include <optional>

#include "dialect/scalar_op.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/OpDefinition.h"

#include "dialect/interfaces.h.inc"

namespace tenon {

/// Whether each element of the results depends on the operands' elements at the same index only.
bool is_elementwise(mlir::Operation* op);
bool is_data_movement(mlir::Operation* op);
/// The scalar operation of a region `(a, b) -> op(a, b)`, operands in order; nothing for any other region.
std::optional<ScalarOp> single_scalar_op(mlir::Region& region);
/// "multiply"; the operation's own name where it has no opcode.
llvm::StringRef hlo_opcode(mlir::Operation* op);

}  // namespace tenon
