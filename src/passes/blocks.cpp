#include "passes/blocks.h"

#include "dialect/stablehlo.h"
#include "llvm/ADT/SmallVector.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/RegionUtils.h"
#include "passes/element_loops.h"
#include "passes/pass.h"

namespace tenon::passes {

bool is_control_flow(mlir::Operation* op) { return mlir::isa<stablehlo::WhileOp, stablehlo::CaseOp, stablehlo::IfOp>(op); }

void for_each_block(mlir::ModuleOp module, llvm::function_ref<void(mlir::Block&)> visit, bool enter_element_loops) {
  llvm::SmallVector<mlir::Block*> open{&main_function(module).getBody().front()};
  while (!open.empty()) {
    mlir::Block& block = *open.pop_back_val();
    visit(block);
    for (mlir::Operation& op : block) {
      if (!is_control_flow(&op) || (!enter_element_loops && is_element_loop(&op))) continue;
      for (mlir::Region& region : op.getRegions()) open.push_back(&region.front());
    }
  }
}

llvm::SetVector<mlir::Value> captured_values(mlir::Operation* op) {
  llvm::SetVector<mlir::Value> captured;
  mlir::getUsedValuesDefinedAbove(op->getRegions(), captured);
  return captured;
}

llvm::SetVector<mlir::Value> values_read(mlir::Operation* op) {
  llvm::SetVector<mlir::Value> values(op->operand_begin(), op->operand_end());
  if (op->getNumRegions() > 0) {
    const auto captured = captured_values(op);
    values.insert(captured.begin(), captured.end());
  }
  return values;
}

}  // namespace tenon::passes
