// The order in which kernels run: of those that are ready, the one that leaves the fewest bytes alive, and the
// program's own order among equals. Kept only when its peak is below that of the program's order.
#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "base/fail.h"
#include "dialect/tenon_ops.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/blocks.h"
#include "passes/cost.h"
#include "passes/in_place.h"
#include "passes/pass.h"

namespace tenon::passes {
namespace {

using mlir::Operation;
using mlir::Value;

/// Temporaries: what an operation allocates and which of its operands it may be the last to read.
class Liveness {
 public:
  explicit Liveness(mlir::Block& body) {
    for (Operation& op : body) {
      llvm::SetVector<Value> reads;
      if (mlir::isa<stablehlo::ReshapeOp>(op)) continue;
      for (Value value : values_read(&op)) {
        Value root = buffer_root(value);
        if (is_temporary(root, body)) reads.insert(root);
      }
      for (Value root : reads) readers_[root].push_back(&op);
      reads_[&op] = reads.takeVector();
    }
  }
  const llvm::SmallVector<Value>& reads(Operation* op) { return reads_[op]; }
  const std::vector<Operation*>& readers(Value value) { return readers_[value]; }
  static int64_t allocates(Operation* op) {
    int64_t bytes = 0;
    for (Value result : op->getResults()) bytes += is_temporary(result, *op->getBlock()) ? bytes_of(result) : 0;
    return bytes;
  }

 private:
  static bool is_temporary(Value value, mlir::Block& body) {
    Operation* op = value.getDefiningOp();
    return op && op->getBlock() == &body && !mlir::isa<stablehlo::ReshapeOp, stablehlo::ConstantOp>(op);
  }
  llvm::DenseMap<Operation*, llvm::SmallVector<Value>> reads_;
  llvm::DenseMap<Value, std::vector<Operation*>> readers_;
};

int64_t peak_of(const std::vector<Operation*>& order, Liveness& liveness) {
  llvm::DenseMap<Value, int> left;
  int64_t alive = 0, peak = 0;
  for (Operation* op : order) {
    alive += Liveness::allocates(op);
    peak = std::max(peak, alive);
    for (Value value : liveness.reads(op)) {
      auto [count, is_new] = left.try_emplace(value, static_cast<int>(liveness.readers(value).size()));
      if (--count->second == 0) alive -= bytes_of(value);
    }
  }
  return peak;
}

std::vector<Operation*> order_by_memory(const std::vector<Operation*>& program, Liveness& liveness) {
  llvm::DenseMap<Operation*, int> position, waiting;  // operands that have not run
  llvm::DenseMap<Value, int> left;                    // readers that have not run
  llvm::DenseMap<Operation*, int64_t> change;         // of the bytes alive, when it runs now
  for (auto [i, op] : llvm::enumerate(program)) position[op] = static_cast<int>(i);
  for (Operation* op : program) {
    change[op] = Liveness::allocates(op);
    for (Value value : liveness.reads(op)) {
      waiting[op] += position.contains(value.getDefiningOp());
      left[value] = static_cast<int>(liveness.readers(value).size());
      if (left[value] == 1) change[op] -= bytes_of(value);
    }
  }
  std::set<std::pair<int64_t, int>> ready;
  for (Operation* op : program) {
    if (waiting.lookup(op) == 0) ready.insert({change[op], position[op]});
  }
  std::vector<Operation*> order;
  while (!ready.empty()) {
    Operation* op = program[ready.begin()->second];
    ready.erase(ready.begin());
    order.push_back(op);
    position.erase(op);
    for (Value value : liveness.reads(op)) {
      if (--left[value] != 1) continue;
      for (Operation* reader : liveness.readers(value)) {  // the last one frees it
        auto place = position.find(reader);
        if (place == position.end()) continue;
        bool is_ready = ready.erase({change[reader], place->second});
        change[reader] -= bytes_of(value);
        if (is_ready) ready.insert({change[reader], place->second});
      }
    }
    for (Value result : op->getResults()) {
      for (Operation* reader : liveness.readers(result)) {
        auto place = position.find(reader);
        if (place != position.end() && --waiting[reader] == 0) ready.insert({change[reader], place->second});
      }
    }
  }
  return order;
}

}  // namespace

static void schedule_block(mlir::Block& body) {
  // Effects happen in the program's order.
  if (!llvm::all_of(body.without_terminator(), [](Operation& op) { return mlir::isMemoryEffectFree(&op); })) return;
  Liveness liveness(body);
  std::vector<Operation*> program, constants;
  for (Operation& op : body.without_terminator()) {
    if (mlir::isa<stablehlo::ReshapeOp>(op)) continue;
    (mlir::isa<stablehlo::ConstantOp>(op) ? constants : program).push_back(&op);
  }
  std::vector<Operation*> order = order_by_memory(program, liveness);
  TENON_CHECK(order.size() == program.size(), "schedule: lost an operation");
  if (peak_of(order, liveness) >= peak_of(program, liveness)) order = program;

  for (Operation* op : constants) op->moveBefore(body.getTerminator());
  for (Operation* op : order) op->moveBefore(body.getTerminator());
  // A reshape stands behind what it reshapes.
  std::vector<Operation*> reshapes;
  for (Operation& op : body.without_terminator()) {
    if (mlir::isa<stablehlo::ReshapeOp>(op)) reshapes.push_back(&op);
  }
  for (Operation* op : reshapes) {
    Operation* producer = op->getOperand(0).getDefiningOp();
    if (producer && producer->getBlock() == &body) {
      op->moveAfter(producer);
    } else {
      op->moveBefore(&body.front());
    }
  }
}

void schedule(mlir::ModuleOp module, PassContext&) { for_each_block(module, schedule_block); }

}  // namespace tenon::passes
