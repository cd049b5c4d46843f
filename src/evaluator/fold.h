// Constant folding: one operation on constant operands.
#pragma once

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace tenon::evaluator {

/// The results of `op` for constant `operands`, as the evaluator computes them; an elementwise
/// operation on splats gives a splat. False, and nothing in `results`, when the evaluator cannot (an
/// unknown operation or element type, effects, captured values, no memory). Never throws.
///
/// What it costs is the caller's decision: it computes whatever the shapes ask for.
bool fold(mlir::Operation* op, llvm::ArrayRef<mlir::ElementsAttr> operands,
          llvm::SmallVectorImpl<mlir::DenseElementsAttr>& results);

}  // namespace tenon::evaluator
