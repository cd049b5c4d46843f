#include "passes/in_place.h"

#include "dialect/cumulative.h"
#include "dialect/tenon_ops.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "passes/blocks.h"
#include "passes/cost.h"

namespace tenon::passes {

mlir::Value buffer_root(mlir::Value value) {
  while (auto reshape = value.getDefiningOp<stablehlo::ReshapeOp>()) value = reshape.getOperand();
  return value;
}

std::vector<mlir::OpOperand*> readers_of(mlir::Value value) {
  std::vector<mlir::OpOperand*> readers;
  std::vector<mlir::Value> open{value};
  while (!open.empty()) {
    const mlir::Value next = open.back();
    open.pop_back();
    for (mlir::OpOperand& use : next.getUses()) {
      if (auto reshape = mlir::dyn_cast<stablehlo::ReshapeOp>(use.getOwner())) open.push_back(reshape.getResult());
      else readers.push_back(&use);
    }
  }
  return readers;
}

/// Whatever depends on the block arguments `from` has the same index.
static bool keeps_index(mlir::Block& body, llvm::DenseSet<mlir::Value> from) {
  for (mlir::Operation& op : body.without_terminator()) {
    bool depends = false;
    for (mlir::Value operand : op.getOperands()) {
      if (!from.contains(operand)) continue;
      depends = true;
      bool same = is_elementwise(&op) ? elements_of(operand) == elements_of(op.getResult(0)) : keeps_bytes(&op);
      if (!same) return false;
    }
    if (depends) from.insert(op.result_begin(), op.result_end());
  }
  return true;
}

bool updates_carried(mlir::Operation* op) {
  auto update = mlir::dyn_cast<stablehlo::DynamicUpdateSliceOp>(op);
  mlir::Block* block = op->getBlock();
  if (!update || !mlir::isa<stablehlo::WhileOp>(block->getParentOp())) return false;
  auto carried = mlir::dyn_cast<mlir::BlockArgument>(buffer_root(update.getOperand()));
  if (!carried || carried.getOwner() != block) return false;
  return buffer_root(block->getTerminator()->getOperand(carried.getArgNumber())) == update.getResult();
}

bool can_overwrite(mlir::Operation* op, mlir::Value root, mlir::Value result) {
  if (bytes_of(root) != bytes_of(result) || elements_of(root) != elements_of(result)) return false;
  if (mlir::isa<ir::CopyOp>(op)) return true;
  if (auto update = mlir::dyn_cast<stablehlo::DynamicUpdateSliceOp>(op))
    return buffer_root(update.getOperand()) == root && buffer_root(update.getUpdate()) != root;
  if (mlir::isa<stablehlo::WhileOp>(op)) {  // what the loop begins with is where it goes on; further values that begin as it does are copies
    const unsigned k = mlir::cast<mlir::OpResult>(result).getResultNumber();
    unsigned first = 0;
    while (first < op->getNumOperands() && buffer_root(op->getOperand(first)) != root) ++first;
    return k == first && llvm::none_of(captured_values(op), [&](mlir::Value value) { return buffer_root(value) == root; });
  }
  if (auto scatter = mlir::dyn_cast<stablehlo::ScatterOp>(op)) {  // result k over input k
    const unsigned k = mlir::cast<mlir::OpResult>(result).getResultNumber();
    unsigned uses = 0;
    for (mlir::Value operand : op->getOperands()) uses += buffer_root(operand) == root;
    return uses == 1 && buffer_root(scatter.getInputs()[k]) == root;
  }
  if (auto window = mlir::dyn_cast<stablehlo::ReduceWindowOp>(op)) {  // a running total reads each element once
    return op->getNumResults() == 1 && cumulative(window) && buffer_root(window.getInitValues()[0]) != root;
  }
  auto fusion = mlir::dyn_cast<ir::FusionOp>(op);
  if (!fusion || fusion.getKind() != ir::FusionKind::Loop) return false;
  auto same_loop = [&](mlir::Value other) { return elements_of(other) == elements_of(result); };
  if (!llvm::all_of(fusion.getResults(), same_loop)) return false;
  mlir::Block& body = fusion.getBody().front();
  llvm::DenseSet<mlir::Value> arguments;
  for (auto [operand, argument] : llvm::zip(fusion.getInputs(), body.getArguments())) {
    if (buffer_root(operand) == root) arguments.insert(argument);
  }
  return keeps_index(body, std::move(arguments));
}

}  // namespace tenon::passes
