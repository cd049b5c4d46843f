// What a loop carries around without changing it is read from outside instead:
//
//     while (c = a, x = b) cond(c, x) do { return c, f(c, x) }  ->  while (x = b) cond(a, x) do { return f(a, x) }
//
// so that it has one buffer, and nothing is copied. Loops that become the inside of a kernel stay as they are.
#include "dialect/stablehlo.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/blocks.h"
#include "passes/element_loops.h"
#include "passes/pass.h"

namespace tenon::passes {
namespace {

/// The carried values of a loop that change, by number.
llvm::SmallVector<unsigned> changing(stablehlo::WhileOp loop) {
  llvm::SmallVector<unsigned> numbers;
  mlir::Block& body = loop.getBody().front();
  for (auto [i, value] : llvm::enumerate(body.getTerminator()->getOperands()))
    if (value != body.getArgument(static_cast<unsigned>(i))) numbers.push_back(static_cast<unsigned>(i));
  return numbers;
}

void read_from_outside(stablehlo::WhileOp loop, llvm::ArrayRef<unsigned> kept) {
  llvm::BitVector dropped(loop->getNumOperands(), true);
  for (unsigned i : kept) dropped.reset(i);
  for (unsigned i : dropped.set_bits()) {
    for (mlir::Region* region : {&loop.getCond(), &loop.getBody()})
      region->front().getArgument(i).replaceAllUsesWith(loop->getOperand(i));
    loop->getResult(i).replaceAllUsesWith(loop->getOperand(i));
  }
  for (mlir::Region* region : {&loop.getCond(), &loop.getBody()}) region->front().eraseArguments(dropped);
  loop.getBody().front().getTerminator()->eraseOperands(dropped);

  mlir::OpBuilder builder(loop);
  llvm::SmallVector<mlir::Value> operands;
  llvm::SmallVector<mlir::Type> types;
  for (unsigned i : kept) {
    operands.push_back(loop->getOperand(i));
    types.push_back(loop->getResult(i).getType());
  }
  mlir::OperationState state(loop.getLoc(), stablehlo::WhileOp::getOperationName());
  state.addOperands(operands);
  state.addTypes(types);
  for (mlir::Region* region : {&loop.getCond(), &loop.getBody()}) state.addRegion()->takeBody(*region);
  mlir::Operation* fewer = builder.create(state);
  for (auto [result, i] : llvm::zip(fewer->getResults(), kept)) loop->getResult(i).replaceAllUsesWith(result);
  loop->erase();
}

}  // namespace

void simplify_loops(mlir::ModuleOp module, PassContext& context) {
  for_each_block(module, [&](mlir::Block& block) {
    for (mlir::Operation& op : llvm::make_early_inc_range(block)) {
      auto loop = mlir::dyn_cast<stablehlo::WhileOp>(&op);
      if (!loop || is_element_loop(loop)) continue;
      const llvm::SmallVector<unsigned> kept = changing(loop);
      if (kept.empty() || kept.size() == loop->getNumOperands() || !context.may_apply()) continue;
      read_from_outside(loop, kept);
      context.applied();
    }
  });
}

}  // namespace tenon::passes
