// Two operations with the same name, operands, attributes and body are one (common subexpressions).
#include "dialect/stablehlo.h"
#include "llvm/ADT/DenseMap.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/blocks.h"
#include "passes/pass.h"

namespace tenon::passes {
namespace {

/// Structure instead of identity.
struct ByStructure : llvm::DenseMapInfo<mlir::Operation*> {
  static unsigned getHashValue(const mlir::Operation* op) {
    return mlir::OperationEquivalence::computeHash(
        const_cast<mlir::Operation*>(op), mlir::OperationEquivalence::directHashValue,
        mlir::OperationEquivalence::ignoreHashValue, mlir::OperationEquivalence::IgnoreLocations);
  }
  static bool isEqual(const mlir::Operation* a, const mlir::Operation* b) {
    if (a == b) return true;
    if (a == getEmptyKey() || b == getEmptyKey() || a == getTombstoneKey() || b == getTombstoneKey()) return false;
    return mlir::OperationEquivalence::isEquivalentTo(const_cast<mlir::Operation*>(a), const_cast<mlir::Operation*>(b),
                                                      mlir::OperationEquivalence::IgnoreLocations);
  }
};

}  // namespace

static void merge_in_block(mlir::Block& body, PassContext& context) {
  llvm::DenseMap<mlir::Operation*, mlir::Operation*, ByStructure> first;
  for (mlir::Operation& op : llvm::make_early_inc_range(body.without_terminator())) {
    // A barrier is there to keep values apart.
    if (mlir::isa<stablehlo::OptimizationBarrierOp>(op) || !mlir::isMemoryEffectFree(&op)) continue;
    auto [entry, is_new] = first.try_emplace(&op, &op);
    if (is_new || !context.may_apply()) continue;
    op.replaceAllUsesWith(entry->second);
    op.erase();
    context.applied();
  }
}

void merge_duplicates(mlir::ModuleOp module, PassContext& context) {
  for_each_block(module, [&](mlir::Block& block) { merge_in_block(block, context); });
}

}  // namespace tenon::passes
