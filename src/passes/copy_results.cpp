// Every result of the program, of a branch and of a round of a loop gets a buffer of its own: one that is an argument, a constant, a reshape of these,
// or a value that is returned twice, is copied.
#include "dialect/tenon_ops.h"
#include "llvm/ADT/DenseSet.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/blocks.h"
#include "passes/pass.h"

namespace tenon::passes {

static void copy_results_of(mlir::Block& block) {
  mlir::Operation* terminator = block.getTerminator();
  if (auto loop = mlir::dyn_cast<stablehlo::WhileOp>(block.getParentOp()); loop && &block == &loop.getCond().front()) return;
  mlir::OpBuilder builder(terminator);
  llvm::DenseSet<mlir::Value> returned;
  for (mlir::OpOperand& operand : terminator->getOpOperands()) {
    mlir::Value root = operand.get();
    while (auto reshape = root.getDefiningOp<stablehlo::ReshapeOp>()) root = reshape.getOperand();
    auto argument = mlir::dyn_cast<mlir::BlockArgument>(root);
    if (argument && argument.getOwner() == &block && mlir::isa<stablehlo::WhileOp>(block.getParentOp()) &&
        argument.getArgNumber() == operand.getOperandNumber()) {
      continue;  // it stays where it is
    }
    bool owned = root.getDefiningOp() && root.getDefiningOp()->getBlock() == &block && !root.getDefiningOp<stablehlo::ConstantOp>();
    if (owned && returned.insert(root).second) continue;
    mlir::Location location = root.getDefiningOp() ? root.getDefiningOp()->getLoc() : terminator->getLoc();
    operand.set(ir::CopyOp::create(builder, location, operand.get().getType(), operand.get()));
  }
}

void copy_results(mlir::ModuleOp module, PassContext&) { for_each_block(module, copy_results_of); }

}  // namespace tenon::passes
