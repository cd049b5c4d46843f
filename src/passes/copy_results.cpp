// Every result of the program gets a buffer of its own: one that is an argument, a constant, a reshape of these,
// or a value that is returned twice, is copied.
#include "dialect/tenon_ops.h"
#include "llvm/ADT/DenseSet.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/pass.h"

namespace tenon::passes {

void copy_results(mlir::ModuleOp module, PassContext&) {
  mlir::Operation* terminator = main_function(module).getBody().front().getTerminator();
  mlir::OpBuilder builder(terminator);
  llvm::DenseSet<mlir::Value> returned;
  for (mlir::OpOperand& operand : terminator->getOpOperands()) {
    mlir::Value root = operand.get();
    while (auto reshape = root.getDefiningOp<stablehlo::ReshapeOp>()) root = reshape.getOperand();
    bool owned = root.getDefiningOp() && !root.getDefiningOp<stablehlo::ConstantOp>();
    if (owned && returned.insert(root).second) continue;
    mlir::Location location = root.getDefiningOp() ? root.getDefiningOp()->getLoc() : terminator->getLoc();
    operand.set(ir::CopyOp::create(builder, location, operand.get().getType(), operand.get()));
  }
}

}  // namespace tenon::passes
