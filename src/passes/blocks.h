// The blocks of a program: main's body and, inside of it, those of loops and branches. A pass works on one after the
// other; what a block reads from outside is in memory already.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SetVector.h"
#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"

namespace mlir {
class ModuleOp;
}

namespace tenon::passes {

/// A loop or a branch whose regions are blocks of the program (what a kernel runs inside is none).
bool is_control_flow(mlir::Operation* op);

/// Calls `visit` for each block of the program, outer ones first; `visit` may change what is in its block.
/// `enter_element_loops`: those of loops that will be the inside of a kernel as well.
void for_each_block(mlir::ModuleOp module, llvm::function_ref<void(mlir::Block&)> visit, bool enter_element_loops = true);

/// Values from outside of `op` that its regions read.
llvm::SetVector<mlir::Value> captured_values(mlir::Operation* op);

/// Operands and captured values: what has to be there before `op` runs.
llvm::SetVector<mlir::Value> values_read(mlir::Operation* op);

}  // namespace tenon::passes
