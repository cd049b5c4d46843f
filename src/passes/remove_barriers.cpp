// optimization_barrier(x)  ->  x, once nothing can fuse or simplify across it any more.
#include "dialect/stablehlo.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/blocks.h"
#include "passes/pass.h"

namespace tenon::passes {

void remove_barriers(mlir::ModuleOp module, PassContext&) {
  for_each_block(module, [](mlir::Block& body) {
    for (mlir::Operation& op : llvm::make_early_inc_range(body)) {
      if (!mlir::isa<stablehlo::OptimizationBarrierOp>(op)) continue;
      op.replaceAllUsesWith(op.getOperands());
      op.erase();
    }
  });
}

}  // namespace tenon::passes
