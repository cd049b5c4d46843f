#include "backends/cpu/element_loop.h"

#include "backends/cpu/ir_number.h"
#include "backends/cpu/scalar_table.h"

namespace tenon::cpu {

namespace {

// The values of a body's graph, one after the other; what is not needed for the roots is left out.
class Body {
 public:
  Body(Emitter& e, const Graph& graph) : e_(e), b_(e.b), graph_(graph), values_(graph.nodes.size()) {}

  void set_parameter(int number, llvm::Value* value) { parameters_[number] = value; }

  llvm::SmallVector<llvm::Value*, 8> emit(const std::vector<int>& roots) {
    std::vector<bool> needed(graph_.nodes.size());
    for (int root : roots) needed[static_cast<size_t>(root)] = true;
    for (size_t k = graph_.nodes.size(); k-- > 0;) {
      if (!needed[k]) continue;
      for (int operand : graph_.nodes[k].operands) needed[static_cast<size_t>(operand)] = true;
    }
    for (size_t k = 0; k < graph_.nodes.size(); ++k)
      if (needed[k]) values_[k] = emit(graph_.nodes[k]);
    llvm::SmallVector<llvm::Value*, 8> results;
    for (int root : roots) results.push_back(values_[static_cast<size_t>(root)]);
    return results;
  }

 private:
  llvm::Value* value(int node) const { return values_[static_cast<size_t>(node)]; }
  llvm::Value* as_vector(llvm::Value* x) {
    return x->getType()->isVectorTy() ? x : b_.CreateVectorSplat(static_cast<unsigned>(e_.lanes), x);
  }

  llvm::Value* emit(const Node& n) {
    switch (n.kind) {
      case NodeKind::parameter: return parameters_.at(n.number);
      case NodeKind::constant: return e_.constant(n);
      case NodeKind::index_map: return value(n.operands[0]);  // the same for all elements
      case NodeKind::result: return results_.at(n.operands[0])[static_cast<size_t>(n.number)];
      case NodeKind::elementwise: return elementwise(n);
      case NodeKind::loop: {
        llvm::SmallVector<llvm::Value*, 8> begin;
        bool has_vector = false;
        for (int operand : n.operands) has_vector |= value(operand)->getType()->isVectorTy();
        for (size_t k = 0; k < n.operands.size(); ++k) {
          llvm::Value* x = value(n.operands[k]);
          const bool is_array = !n.body->nodes[static_cast<size_t>(n.dims[k])].shape.empty();
          begin.push_back(has_vector && is_array ? as_vector(x) : x);
        }
        const int id = static_cast<int>(&n - graph_.nodes.data());
        results_[id] = emit_element_loop(e_, n, begin);
        return results_[id][0];
      }
      default: e_.unsupported(n, "not in the body of a loop for each element");
    }
  }

  llvm::Value* elementwise(const Node& n) {
    llvm::SmallVector<llvm::Value*, 4> x;
    bool has_vector = false;
    for (int operand : n.operands) {
      x.push_back(value(operand));
      has_vector |= x.back()->getType()->isVectorTy();
    }
    if (has_vector)
      for (llvm::Value*& operand : x) operand = as_vector(operand);
    const Node& typed = graph_.nodes[static_cast<size_t>(n.operands[n.scalar->op == ScalarOp::kSelect ? 1 : 0])];
    llvm::Value* result = n.scalar->emit({b_, x, typed.dtype, n.dtype, n.facts});
    if (!result) e_.unsupported(n, "no code for " + typed.dtype.str() + " to " + n.dtype.str());
    return round_to_type(b_, result, n.dtype);
  }

  Emitter& e_;
  llvm::IRBuilder<>& b_;
  const Graph& graph_;
  std::vector<llvm::Value*> values_;
  std::map<int, llvm::Value*> parameters_;
  std::map<int, llvm::SmallVector<llvm::Value*, 8>> results_;  // of loops inside
};

}  // namespace

llvm::SmallVector<llvm::Value*, 8> emit_element_loop(Emitter& e, const Node& node, llvm::ArrayRef<llvm::Value*> begin) {
  llvm::IRBuilder<>& b = e.b;
  llvm::BasicBlock* before = b.GetInsertBlock();
  auto* header = llvm::BasicBlock::Create(b.getContext(), "while", e.function);
  auto* body = llvm::BasicBlock::Create(b.getContext(), "round", e.function);
  auto* after = llvm::BasicBlock::Create(b.getContext(), "end", e.function);
  b.CreateBr(header);
  b.SetInsertPoint(header);
  llvm::SmallVector<llvm::PHINode*, 8> carried;
  for (llvm::Value* value : begin) {
    carried.push_back(b.CreatePHI(value->getType(), 2));
    carried.back()->addIncoming(value, before);
  }
  const auto run = [&](const Graph& graph, const std::vector<int>& roots) {
    Body values(e, graph);
    for (size_t k = 0; k < carried.size(); ++k) values.set_parameter(static_cast<int>(node.dims[k]), carried[k]);
    return values.emit(roots);
  };
  llvm::Value* again = run(*node.condition, node.condition->roots)[0];
  b.CreateCondBr(again, body, after);
  b.SetInsertPoint(body);
  std::vector<int> roots;
  for (int64_t number : node.dims) roots.push_back(node.body->roots[static_cast<size_t>(number)]);
  const auto next = run(*node.body, roots);
  for (size_t k = 0; k < carried.size(); ++k) {
    llvm::Value* value = next[k];
    if (carried[k]->getType()->isVectorTy() && !value->getType()->isVectorTy()) value = b.CreateVectorSplat(static_cast<unsigned>(e.lanes), value);
    carried[k]->addIncoming(value, b.GetInsertBlock());
  }
  b.CreateBr(header);
  b.SetInsertPoint(after);
  return llvm::SmallVector<llvm::Value*, 8>(carried.begin(), carried.end());
}

}  // namespace tenon::cpu
