#include "passes/depends.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"

namespace tenon::passes {

constexpr int kMaxVisits = 1000;  // operations looked at to show that nothing depends on one

bool depend_on(llvm::ArrayRef<mlir::Value> values, mlir::Block* block, llvm::function_ref<bool(mlir::Operation*)> is_sought,
               llvm::function_ref<std::vector<mlir::Value>(mlir::Operation*)> reads) {
  llvm::DenseSet<mlir::Operation*> seen;
  llvm::SmallVector<mlir::Operation*> work;
  auto follow = [&](llvm::ArrayRef<mlir::Value> from) {
    for (mlir::Value value : from) {
      mlir::Operation* op = value.getDefiningOp();
      if (op && op->getBlock() == block && seen.insert(op).second) work.push_back(op);
    }
  };
  follow(values);
  while (!work.empty()) {
    if (seen.size() > kMaxVisits) return true;
    mlir::Operation* op = work.pop_back_val();
    if (is_sought(op)) return true;
    follow(reads(op));
  }
  return false;
}

}  // namespace tenon::passes
