#include "passes/rewrite.h"

#include <deque>

#include "llvm/ADT/DenseSet.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/blocks.h"

namespace tenon::passes {
namespace {

/// Remembers what a rule has touched.
class Worklist : public mlir::RewriterBase::Listener {
 public:
  void push(mlir::Operation* op) {
    if (queued_.insert(op).second) queue_.push_back(op);
  }
  mlir::Operation* pop() {
    while (!queue_.empty()) {
      mlir::Operation* op = queue_.front();
      queue_.pop_front();
      if (queued_.erase(op)) return op;
    }
    return nullptr;
  }
  void notifyOperationInserted(mlir::Operation* op, mlir::OpBuilder::InsertPoint) override { push(op); }
  void notifyOperationModified(mlir::Operation* op) override { push(op); }
  void notifyOperationReplaced(mlir::Operation* op, mlir::ValueRange) override {
    for (mlir::Operation* user : op->getUsers()) push(user);
  }
  void notifyOperationErased(mlir::Operation* op) override {
    queued_.erase(op);
    for (mlir::Value operand : op->getOperands()) {  // may be dead now
      if (mlir::Operation* producer = operand.getDefiningOp()) push(producer);
    }
  }

 private:
  std::deque<mlir::Operation*> queue_;
  llvm::DenseSet<mlir::Operation*> queued_;
};

}  // namespace

static void rewrite_block(mlir::Block& body, llvm::ArrayRef<Rule> rules, PassContext& context) {
  Worklist worklist;
  for (mlir::Operation& op : body) worklist.push(&op);
  mlir::IRRewriter rewriter(body.getParentOp()->getContext(), &worklist);

  while (mlir::Operation* op = worklist.pop()) {
    if (op->getBlock() != &body) continue;  // inside a reduction's body, or another block
    if (mlir::isOpTriviallyDead(op)) {
      rewriter.eraseOp(op);
      continue;
    }
    for (const Rule& rule : rules) {
      if (!context.may_apply()) return;
      rewriter.setInsertionPoint(op);
      if (rule.apply(op, rewriter)) {
        context.applied();
        break;
      }
    }
  }
}

void rewrite(mlir::ModuleOp module, llvm::ArrayRef<Rule> rules, PassContext& context) {
  for_each_block(module, [&](mlir::Block& block) { rewrite_block(block, rules, context); });
}

}  // namespace tenon::passes
