// An operation that no fusion took becomes a kernel of its own, so that after this pass every computation of
// the entry is a fusion, a dot or a copy.
#include "dialect/tenon_ops.h"
#include "llvm/ADT/SetVector.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/blocks.h"
#include "passes/fusion_rules.h"
#include "passes/kernel_names.h"
#include "passes/pass.h"

namespace tenon::passes {

void wrap_lone_operations(mlir::ModuleOp module, PassContext& context) {
  remove_dead_code(module, context);  // a kernel without results is no kernel
  KernelMaker maker(module);
  mlir::OpBuilder builder(module.getContext());
  for_each_block(module, [&](mlir::Block& body) {
    for (mlir::Operation& op : llvm::make_early_inc_range(body.without_terminator())) {
      if (!can_be_root(&op)) continue;
      llvm::SetVector<mlir::Value> operands(op.operand_begin(), op.operand_end());
      mlir::Operation* root = &op;
      builder.setInsertionPoint(root);
      maker.emit(builder, root, root, operands.getArrayRef(), nullptr);
      maker.replace_results();
      op.erase();
    }
  }, /*enter_element_loops=*/false);
}

}  // namespace tenon::passes
