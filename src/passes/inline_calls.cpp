// main with calls of private functions in, in its loops and branches too, main alone out. A call repeated with the
// same operands (nested jits) is inlined once, so that the size stays linear in the number of different calls.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/fail.h"
#include "dialect/stablehlo.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/pass.h"

namespace tenon::passes {
namespace {

llvm::StringRef name_of(mlir::Location location) {
  auto named = mlir::dyn_cast<mlir::NameLoc>(location);
  return named ? named.getName().strref() : llvm::StringRef();
}

/// "jit(f)" and "sin" make "jit(f)/sin": the callee's names continue the caller's.
mlir::Location continue_names(mlir::Location inner, llvm::StringRef prefix) {
  auto named = mlir::dyn_cast<mlir::NameLoc>(inner);
  if (!named || prefix.empty() || named.getName().strref().starts_with(prefix)) return inner;
  std::string name = prefix.str() + "/" + named.getName().str();
  return mlir::NameLoc::get(mlir::StringAttr::get(inner.getContext(), name), named.getChildLoc());
}

/// A second call with the same operands gives the same results.
bool is_pure(mlir::func::FuncOp function) {
  auto result = function.walk([](mlir::Operation* op) {
    bool structure = mlir::isa<mlir::func::CallOp, mlir::func::ReturnOp, mlir::func::FuncOp>(op);
    return structure || mlir::isMemoryEffectFree(op) ? mlir::WalkResult::advance() : mlir::WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

}  // namespace

// More than any program has; a few functions that call each other twice make more than memory holds.
static constexpr int64_t kMaxOperations = 1'000'000;

// Bodies of loops in each other.
static constexpr int kMaxDepth = 1000;

void inline_calls(mlir::ModuleOp module, PassContext&) {
  mlir::func::FuncOp main = main_function(module);
  llvm::StringMap<mlir::func::FuncOp> functions;
  for (auto function : module.getOps<mlir::func::FuncOp>()) functions[function.getName()] = function;

  using Call = std::pair<mlir::Operation*, std::vector<void*>>;  // callee, operands
  llvm::DenseMap<mlir::Value, mlir::Value> inlined;              // result of a call -> what it became
  llvm::SmallVector<mlir::Operation*> done;                      // erased last, so that no address is used twice
  auto resolve = [&](mlir::Value value) {
    for (auto found = inlined.find(value); found != inlined.end(); found = inlined.find(value)) value = found->second;
    return value;
  };
  llvm::DenseSet<mlir::Operation*> visited;
  int64_t operations = 0;
  auto check_size = [&](bool fits, mlir::func::FuncOp callee) {
    if (fits) return;
    fail<CompileError>("inline-calls", "calls of functions make more than ", kMaxOperations, " operations or loops more than ",
                       kMaxDepth, " deep; got @", callee.getName().str(), " among them; does it call itself?");
  };
  auto inline_into = [&](mlir::Block& block, int depth) {
    std::map<Call, std::vector<mlir::Value>> known;
    for (mlir::Block::iterator next = block.begin(); next != block.end();) {
      auto call = mlir::dyn_cast<mlir::func::CallOp>(&*next++);
      mlir::func::FuncOp callee = call ? functions.lookup(call.getCallee()) : nullptr;
      if (!callee || callee.isDeclaration()) continue;
      if (callee == main) fail<CompileError>("inline-calls", "main calls itself; a program cannot recurse");
      if (!visited.insert(call).second) continue;  // the walk goes back to what it has inlined before the call
      check_size(depth <= kMaxDepth, callee);
      Call key{callee, {}};
      for (mlir::Value operand : call.getOperands()) key.second.push_back(operand.getAsOpaquePointer());
      auto [entry, is_new] = known.try_emplace(key);
      if (is_new || !is_pure(callee)) {
        mlir::OpBuilder builder(call);
        mlir::IRMapping mapping;
        mapping.map(callee.getArguments(), call.getOperands());
        mlir::Block& inner = callee.getBody().front();
        for (mlir::Operation& op : inner.without_terminator()) {
          check_size(++operations <= kMaxOperations, callee);
          mlir::Operation* clone = builder.clone(op, mapping);
          clone->setLoc(continue_names(clone->getLoc(), name_of(call.getLoc())));
          if (&op == &inner.front()) next = clone->getIterator();
        }
        entry->second.clear();
        for (mlir::Value value : inner.getTerminator()->getOperands()) {
          entry->second.push_back(mapping.lookupOrDefault(value));
        }
      }
      for (auto [result, value] : llvm::zip(call.getResults(), entry->second)) {
        inlined[result] = resolve(value);
        result.replaceAllUsesWith(resolve(value));
      }
      done.push_back(call);
    }
  };
  llvm::SmallVector<std::pair<mlir::Block*, int>> blocks{{&main.getBody().front(), 0}};  // and how deep it lies
  while (!blocks.empty()) {
    auto [block, depth] = blocks.pop_back_val();
    inline_into(*block, depth);
    for (mlir::Operation& op : *block)
      for (mlir::Region& region : op.getRegions())
        for (mlir::Block& inner : region) blocks.emplace_back(&inner, depth + 1);
  }
  for (mlir::Operation* call : llvm::reverse(done)) call->erase();

  // Calls of declarations remain; what main does not reach goes.
  llvm::SmallVector<mlir::func::FuncOp> reached{main};
  llvm::DenseSet<mlir::Operation*> keep{main};
  while (!reached.empty()) {
    reached.pop_back_val().walk([&](mlir::func::CallOp call) {
      mlir::func::FuncOp callee = functions.lookup(call.getCallee());
      if (callee && keep.insert(callee).second) reached.push_back(callee);
    });
  }
  for (auto function : llvm::make_early_inc_range(module.getOps<mlir::func::FuncOp>())) {
    if (function.isPrivate() && !keep.contains(function)) function.erase();
  }
}

}  // namespace tenon::passes
