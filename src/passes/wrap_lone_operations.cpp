// An operation that no fusion took becomes a kernel of its own, so that after this pass every computation of
// the entry is a fusion, a dot or a copy.
#include "dialect/tenon_ops.h"
#include "llvm/ADT/SetVector.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/fusion_rules.h"
#include "passes/kernel_names.h"
#include "passes/pass.h"

namespace tenon::passes {

void wrap_lone_operations(mlir::ModuleOp module, PassContext& context) {
  remove_dead_code(module, context);  // a kernel without results is no kernel
  mlir::Block& body = main_function(module).getBody().front();
  KernelMaker maker(body);
  mlir::OpBuilder builder(module.getContext());
  for (mlir::Operation& op : llvm::make_early_inc_range(body.without_terminator())) {
    if (!can_be_root(&op)) continue;
    llvm::SetVector<mlir::Value> operands(op.operand_begin(), op.operand_end());
    maker.emit(builder, &op, {&op}, operands.getArrayRef(), nullptr);
    op.erase();
  }
}

}  // namespace tenon::passes
