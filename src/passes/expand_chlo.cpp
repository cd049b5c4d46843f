// chlo in, stablehlo out, where an operation of CHLO is a few of StableHLO. What has a kernel of its own (erf,
// ...) stays.
#include "dialect/chlo.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/pass.h"

namespace tenon::passes {

void expand_chlo(mlir::ModuleOp module, PassContext&) {
  llvm::SmallVector<chlo::SquareOp> squares;
  module.walk([&](chlo::SquareOp op) {  // of complex numbers it is less than the multiplication
    if (!mlir::isa<mlir::ComplexType>(op.getType().getElementType())) squares.push_back(op);
  });
  for (chlo::SquareOp op : squares) {  // square(x)  ->  multiply(x, x)
    mlir::OpBuilder builder(op);
    auto product = stablehlo::MultiplyOp::create(builder, op.getLoc(), op.getType(), op.getOperand(), op.getOperand());
    op.replaceAllUsesWith(product.getResult());
    op.erase();
  }
}

}  // namespace tenon::passes
