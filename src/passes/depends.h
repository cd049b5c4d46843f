// Does one kernel need another? A walk from what it reads to what that is made of.
#pragma once

#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "mlir/IR/Operation.h"

namespace tenon::passes {

/// Whether `values` are made from results of an operation of `block` that `is_sought`; true as well when it takes long
/// to see. `reads`: what an operation, or the kernel that it belongs to, reads.
bool depend_on(llvm::ArrayRef<mlir::Value> values, mlir::Block* block, llvm::function_ref<bool(mlir::Operation*)> is_sought,
               llvm::function_ref<std::vector<mlir::Value>(mlir::Operation*)> reads);

}  // namespace tenon::passes
