#include "backends/cpu/element_loop.h"

#include "backends/cpu/ir_number.h"
#include "backends/cpu/scalar_table.h"
#include "llvm/Analysis/VectorUtils.h"

namespace tenon::cpu {

namespace {

using Values = llvm::SmallVector<llvm::Value*, 8>;

Values emit_rounds(Emitter& e, const Node& node, llvm::ArrayRef<llvm::Value*> begin, int lanes, int pieces);

// The values of a body's graph, one after the other; what is not needed for the roots is left out.
class Body {
 public:
  /// For vectors of `lanes`.
  Body(Emitter& e, const Graph& graph, int lanes) : e_(e), b_(e.b), graph_(graph), lanes_(lanes), values_(graph.nodes.size()) {}

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
    return x->getType()->isVectorTy() ? x : b_.CreateVectorSplat(static_cast<unsigned>(lanes_), x);
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
        results_[id] = emit_rounds(e_, n, begin, lanes_, 1);
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
  const int lanes_;
  std::vector<llvm::Value*> values_;
  std::map<int, llvm::Value*> parameters_;
  std::map<int, llvm::SmallVector<llvm::Value*, 8>> results_;  // of loops inside
};

// A vector of several registers goes round in pieces of one, each computed to its end before the next begins: what is
// between lives in few registers, and the processor runs the pieces side by side.
Values emit_rounds(Emitter& e, const Node& node, llvm::ArrayRef<llvm::Value*> begin, int lanes, int pieces) {
  llvm::IRBuilder<>& b = e.b;
  const int piece_lanes = lanes / pieces;
  const auto is_vector = [](const llvm::Value* value) { return value->getType()->isVectorTy(); };
  const auto piece_of = [&](llvm::Value* value, int piece) {
    if (pieces == 1 || !is_vector(value)) return value;
    llvm::SmallVector<int, 16> elements;
    for (int lane = 0; lane < piece_lanes; ++lane) elements.push_back(piece * piece_lanes + lane);
    return b.CreateShuffleVector(value, elements);
  };
  std::vector<Values> first(static_cast<size_t>(pieces));
  for (int piece = 0; piece < pieces; ++piece)
    for (llvm::Value* value : begin) first[static_cast<size_t>(piece)].push_back(piece_of(value, piece));

  llvm::BasicBlock* before = b.GetInsertBlock();
  auto* header = llvm::BasicBlock::Create(b.getContext(), "while", e.function);
  auto* body = llvm::BasicBlock::Create(b.getContext(), "round", e.function);
  auto* after = llvm::BasicBlock::Create(b.getContext(), "end", e.function);
  b.CreateBr(header);
  b.SetInsertPoint(header);
  std::vector<llvm::SmallVector<llvm::PHINode*, 8>> carried(static_cast<size_t>(pieces));
  for (size_t piece = 0; piece < carried.size(); ++piece) {
    for (llvm::Value* value : first[piece]) {
      carried[piece].push_back(b.CreatePHI(value->getType(), 2));
      carried[piece].back()->addIncoming(value, before);
    }
  }
  const auto run = [&](const Graph& graph, const std::vector<int>& roots, size_t piece) {
    Body values(e, graph, piece_lanes);
    for (size_t k = 0; k < begin.size(); ++k) values.set_parameter(static_cast<int>(node.dims[k]), carried[piece][k]);
    return values.emit(roots);
  };
  llvm::Value* again = run(*node.condition, node.condition->roots, 0)[0];
  b.CreateCondBr(again, body, after);
  b.SetInsertPoint(body);
  std::vector<int> roots;
  for (int64_t number : node.dims) roots.push_back(node.body->roots[static_cast<size_t>(number)]);
  std::vector<Values> next;
  for (size_t piece = 0; piece < carried.size(); ++piece) {
    next.push_back(run(*node.body, roots, piece));
    for (size_t k = 0; k < begin.size(); ++k)
      if (is_vector(carried[piece][k]) && !is_vector(next[piece][k])) next[piece][k] = b.CreateVectorSplat(static_cast<unsigned>(piece_lanes), next[piece][k]);
  }
  for (size_t piece = 0; piece < carried.size(); ++piece)
    for (size_t k = 0; k < begin.size(); ++k) carried[piece][k]->addIncoming(next[piece][k], b.GetInsertBlock());
  b.CreateBr(header);
  b.SetInsertPoint(after);

  Values end;
  for (size_t k = 0; k < begin.size(); ++k) {
    llvm::SmallVector<llvm::Value*, 4> parts;
    for (size_t piece = 0; piece < carried.size(); ++piece) parts.push_back(carried[piece][k]);
    end.push_back(is_vector(parts[0]) && pieces > 1 ? llvm::concatenateVectors(b, parts) : parts[0]);
  }
  return end;
}

}  // namespace

Values emit_element_loop(Emitter& e, const Node& node, llvm::ArrayRef<llvm::Value*> begin) { return emit_rounds(e, node, begin, e.lanes, e.registers); }

}  // namespace tenon::cpu
