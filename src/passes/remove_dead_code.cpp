// Operations without effects whose results nobody uses are removed, last first.
#include "llvm/ADT/STLExtras.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/blocks.h"
#include "passes/pass.h"

namespace tenon::passes {

void remove_dead_code(mlir::ModuleOp module, PassContext&) {
  for_each_block(module, [](mlir::Block& body) {
    for (mlir::Operation& op : llvm::make_early_inc_range(llvm::reverse(body))) {
      if (mlir::isOpTriviallyDead(&op)) op.erase();
    }
  });
}

}  // namespace tenon::passes
