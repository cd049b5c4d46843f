// What depends on nothing but constants is computed now, by the evaluator, so that folded and computed agree
// bit for bit. Splats, iotas, broadcasts and captured arrays stay symbolic: they are computed only where a small result needs
// them, and never written out. The budgets bound the time and the size of the program.
#include <algorithm>
#include <optional>

#include "dialect/captured_arrays.h"
#include "dialect/stablehlo.h"
#include "evaluator/fold.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/blocks.h"
#include "passes/cost.h"
#include "passes/pass.h"
#include "passes/splat.h"

namespace tenon::passes {
namespace {

using llvm::SmallVector;
using mlir::DenseElementsAttr;
using mlir::ElementsAttr;
using mlir::Operation;
using mlir::Value;

constexpr int64_t kMaxResultBytes = 1 << 20;    // of one folded array
constexpr int64_t kMaxWork = 4 << 20;           // elements touched for one result
constexpr int64_t kMaxTotalWork = 64 << 20;     // elements touched for one program: a tenth of a second
constexpr int64_t kMaxWrittenElements = 64;     // an array no reduction made small stays symbolic above this

class Folder {
 public:
  explicit Folder(PassContext& context) : context_(context) {}

  void run(mlir::Block& body) {
    for (Operation& op : llvm::make_early_inc_range(body.without_terminator())) {
      if (!is_known(&op)) continue;
      for (Value result : op.getResults()) known_[result] = nullptr;
      if (op.hasTrait<mlir::OpTrait::ConstantLike>() || mlir::isa<stablehlo::ReshapeOp>(op) || !context_.may_apply()) continue;
      if (is_symbolic_splat(&op)) continue;
      if (is_elementwise(&op) && llvm::all_of(op.getOperands(), [](Value v) { return splat_of(v) != nullptr; })) {
        fold_splats(&op);
      } else if (is_worth_it(&op)) {
        fold(&op);
      }
    }
  }

 private:
  /// Depends on constants only, and the evaluator may compute it.
  bool is_known(Operation* op) const {
    if (op->getNumResults() == 0 || !mlir::isMemoryEffectFree(op)) return false;
    if (is_control_flow(op)) return false;  // how long a loop runs is not known, and its blocks may read what is not
    // The GEMM rounds in another order than the evaluator; a barrier asks for nothing to be known.
    if (mlir::isa<stablehlo::DotGeneralOp, stablehlo::DotOp, stablehlo::OptimizationBarrierOp>(op)) return false;
    return llvm::all_of(op->getOperands(), [&](Value operand) { return known_.contains(operand); });
  }
  static bool is_small(Operation* op) {
    return llvm::all_of(op->getResults(), [](Value result) { return elements_of(result) <= kMaxWrittenElements; });
  }
  static bool is_symbolic_splat(Operation* op) {
    return op->getNumResults() == 1 && mlir::isa<stablehlo::BroadcastInDimOp>(op) && splat_of(op->getResult(0));
  }

  /// A small part of what goes in; or constants become a constant that is not larger. Arithmetic on an iota
  /// costs nothing where it is used, so it stays.
  static bool is_worth_it(Operation* op) {
    int64_t result_bytes = 0, constant_bytes = 0, read = 0;
    bool only_constants = true;  // that are written in the program
    for (Value result : op->getResults()) result_bytes += bytes_of(result);
    for (Value operand : op->getOperands()) {
      auto written = operand.getDefiningOp<stablehlo::ConstantOp>();
      bool constant = written && !captured_bytes(written.getValue()) && !splat_of(operand);
      only_constants &= constant || splat_of(operand);
      if (constant) constant_bytes += bytes_of(operand);
      read = std::max(read, elements_of(operand));
    }
    if (result_bytes > kMaxResultBytes) return false;
    if (is_small(op) && elements_of(op->getResult(0)) < read) return true;
    return only_constants && constant_bytes > 0 && (is_small(op) || (result_bytes <= constant_bytes && !computes_nothing(op)));
  }

  void fold_splats(Operation* op) {
    SmallVector<ElementsAttr> operands;
    for (Value operand : op->getOperands()) operands.push_back(DenseElementsAttr::get(tensor_type(operand), splat_of(operand)));
    SmallVector<DenseElementsAttr> results;
    if (evaluator::fold(op, operands, results) && results.size() == 1 && results[0].isSplat()) replace(op, results);
  }

  void fold(Operation* op) {
    SmallVector<Operation*> needed;
    std::optional<int64_t> work = work_of(op, needed);
    if (!work || *work > kMaxWork || total_work_ + *work > kMaxTotalWork) return;
    total_work_ += *work;
    for (Operation* producer : needed) {
      if (!evaluate(producer)) return;
    }
    SmallVector<ElementsAttr> operands;
    for (Value operand : op->getOperands()) operands.push_back(known_[operand]);
    SmallVector<DenseElementsAttr> results;
    if (evaluator::fold(op, operands, results)) replace(op, results);
  }

  /// Elements to compute; `needed` receives the symbolic producers that have no value yet, operands first.
  std::optional<int64_t> work_of(Operation* op, SmallVector<Operation*>& needed) {
    int64_t work = 0;
    SmallVector<Operation*> open{op};
    llvm::DenseMap<Operation*, bool> seen;
    while (!open.empty()) {
      Operation* current = open.pop_back_val();
      for (Value value : current->getResults()) work += elements_of(value);
      for (Value operand : current->getOperands()) {
        work += elements_of(operand);
        Operation* producer = operand.getDefiningOp();
        if (known_[operand] || !seen.try_emplace(producer, true).second) continue;
        needed.push_back(producer);
        open.push_back(producer);
      }
      if (work > kMaxWork) return std::nullopt;
    }
    llvm::sort(needed, [](Operation* a, Operation* b) { return a->isBeforeInBlock(b); });
    return work;
  }

  bool evaluate(Operation* op) {
    if (auto constant = mlir::dyn_cast<stablehlo::ConstantOp>(op)) {
      known_[constant.getResult()] = constant.getValue();
      return true;
    }
    SmallVector<ElementsAttr> operands;
    for (Value operand : op->getOperands()) operands.push_back(known_[operand]);
    SmallVector<DenseElementsAttr> results;
    if (!evaluator::fold(op, operands, results)) return false;
    for (auto [result, value] : llvm::zip(op->getResults(), results)) known_[result] = value;
    return true;
  }

  void replace(Operation* op, llvm::ArrayRef<DenseElementsAttr> results) {
    mlir::OpBuilder builder(op);
    for (auto [result, value] : llvm::zip(op->getResults(), results)) {
      Value constant;
      if (value.isSplat() && value.getNumElements() > 0) {
        constant = make_splat(builder, op->getLoc(), tensor_type(result), value.getSplatValue<mlir::Attribute>());
        for (Value part = constant; part; part = part.getDefiningOp()->getNumOperands() ? part.getDefiningOp()->getOperand(0) : Value()) {
          known_[part] = nullptr;
        }
      } else {
        constant = stablehlo::ConstantOp::create(builder, op->getLoc(), value);
        known_[constant] = value;
      }
      known_.erase(result);
      result.replaceAllUsesWith(constant);
    }
    op->erase();
    context_.applied();
  }

  PassContext& context_;
  /// Values that depend on constants only; the attribute once it was needed.
  llvm::DenseMap<Value, ElementsAttr> known_;
  int64_t total_work_ = 0;
};

}  // namespace

void fold_constants(mlir::ModuleOp module, PassContext& context) {
  for_each_block(module, [&](mlir::Block& block) { Folder(context).run(block); });
}

}  // namespace tenon::passes
