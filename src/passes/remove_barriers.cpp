// optimization_barrier(x)  ->  x, once nothing can fuse or simplify across it any more.
#include "dialect/stablehlo.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/blocks.h"
#include "passes/fusion_boundaries.h"
#include "passes/in_place.h"
#include "passes/pass.h"

namespace tenon::passes {

void remove_barriers(mlir::ModuleOp module, PassContext& context) {
  for_each_block(module, [&](mlir::Block& body) {
    for (mlir::Operation& op : llvm::make_early_inc_range(body)) {
      if (!mlir::isa<stablehlo::OptimizationBarrierOp>(op)) continue;
      if (context.options.explain) {
        for (mlir::Value result : op.getResults()) {
          for (mlir::OpOperand* use : readers_of(result))
            if (!use->getOwner()->hasTrait<mlir::OpTrait::IsTerminator>()) refuse_operand(use->getOwner(), use->getOperandNumber(), kBarrierRule);
        }
      }
      op.replaceAllUsesWith(op.getOperands());
      op.erase();
    }
  });
}

}  // namespace tenon::passes
