#include "backends/cpu/emitter.h"

#include <algorithm>

#include "backends/cpu/debug_info.h"
#include "backends/cpu/element_loop.h"
#include "backends/cpu/ir_number.h"
#include "backends/cpu/reduction.h"
#include "backends/cpu/scalar_table.h"
#include "llvm/IR/Module.h"
#include "math/complex.h"
#include "tenon/error.h"

namespace tenon::cpu {

Emitter::Emitter(DemandGraph& demands, llvm::Function* function, int lanes, int registers)
    : b(function->getContext()),
      demands(demands),
      space(demands.space()),
      function(function),
      lanes(lanes),
      registers(registers) {
  Scope outermost;
  outermost.end = llvm::BasicBlock::Create(b.getContext(), "entry", function);
  scopes_.push_back(std::move(outermost));
  b.SetInsertPoint(scopes_[0].end);
}

// ---- what a demand depends on

const std::vector<int>& Emitter::inside(int id) {
  auto [it, is_new] = inside_.try_emplace(id);
  if (is_new) {
    const Node& n = demands.node(id);
    const Dims& shape = demands.graph().nodes[n.operands[0]].shape;
    Indices probe;
    for (int64_t dim : n.dims) {
      probes_[id].push_back(space.add_loop(0, std::max<int64_t>(0, shape[dim] - 1)));
      probe.push_back(IndexSpace::variable(probes_[id].back()));
    }
    for (size_t k = 0; k < n.operands.size() / 2; ++k)
      it->second.push_back(demands.reduction_input(id, static_cast<int>(k), probe));
  }
  return it->second;
}

const std::vector<int>& Emitter::leaves(int id) {
  std::vector<int> stack{id};
  while (!stack.empty()) {
    const int top = stack.back();
    if (leaves_.count(top)) {
      stack.pop_back();
      continue;
    }
    llvm::SmallVector<int, 8> operands;
    operands.append(demands.operands(top).begin(), demands.operands(top).end());
    const Node& n = demands.node(top);
    if (n.kind == NodeKind::reduce) operands.append(inside(top).begin(), inside(top).end());
    std::vector<int> found;
    const auto visit = [&](int leaf) {
      if (space[leaf].kind == Variable::Kind::loop) found.push_back(leaf);
      else operands.push_back(space[leaf].handle);
    };
    const Demand d = demands[top];
    if (n.kind == NodeKind::parameter || n.kind == NodeKind::constant || n.kind == NodeKind::iota) {
      for (const Index& index : d.at) space.for_each_leaf(index, visit);
    }
    for (int p = d.predicate; p != kAlways; p = demands.predicate(p).parent)
      space.for_each_leaf(demands.predicate(p).index, visit);
    bool is_ready = true;
    for (int operand : operands) {
      if (!leaves_.count(operand)) stack.push_back(operand), is_ready = false;
    }
    if (!is_ready) continue;
    stack.pop_back();
    for (int operand : operands)
      found.insert(found.end(), leaves_[operand].begin(), leaves_[operand].end());
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    leaves_[top] = std::move(found);
  }
  return leaves_[id];
}

Emitter::Dependence Emitter::dependence(int id) {
  Dependence result;
  for (int leaf : leaves(id)) {
    auto it = states_.find(leaf);
    if (it == states_.end() || it->second.depth < 0) continue;
    result.depth = std::max(result.depth, it->second.depth);
    if (it->second.is_vector) result.vector = leaf;
  }
  return result;
}

// ---- values

void Emitter::unsupported(const Node& node, const std::string& why) {
  const char* what = node.scalar     ? name_of(node.scalar->op).data()
                     : node.function ? node.function->name
                                     : "operation";
  throw UnimplementedError("cpu: " + std::string(what) + " in kernel " + demands.graph().name +
                           ": " + why + "; see src/backends/cpu/scalar_table.cpp");
}

llvm::Type* Emitter::type_of(int id) {
  const Node& n = demands.node(id);
  llvm::Type* type = value_type(b.getContext(), n.dtype);
  if (!type) unsupported(n, "no code for dtype " + n.dtype.str());
  return type;
}

llvm::Value* Emitter::stack_array(llvm::Type* element, int64_t count) {
  llvm::BasicBlock& entry = function->getEntryBlock();
  llvm::IRBuilder<> first(&entry, entry.begin());
  auto* array = first.CreateAlloca(element, i64(count));
  array->setAlignment(llvm::Align(64));
  stack_bytes += count * static_cast<int64_t>(function->getParent()->getDataLayout().getTypeAllocSize(element));
  return array;
}

llvm::Value* Emitter::load_pointer(int number) {
  llvm::Value*& pointer = buffers_[number];
  if (!pointer) {
    At at(*this, 0);
    llvm::Value* slot = b.CreateConstInBoundsGEP1_64(b.getPtrTy(), function->getArg(0), number);
    pointer = b.CreateLoad(b.getPtrTy(), slot);
  }
  return pointer;
}

llvm::Value* Emitter::splat(Value value) {
  if (value.is_vector) return value.value;
  if (auto* constant = llvm::dyn_cast<llvm::Constant>(value.value))
    return llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(lanes), constant);
  llvm::Value*& vector = splats_[{value.value, lanes}];
  if (!vector) {
    At at(*this, value.depth);
    vector = b.CreateVectorSplat(lanes, value.value);
  }
  return vector;
}

void Emitter::batch(std::vector<int> ids) {
  for (int id : ids) batches_[id] = ids;
}

// What the indices of `id` are read from. Whoever comes from a user of `id` has it already.
void Emitter::get_loaded_indices(int id) {
  std::vector<int> handles;
  const auto visit = [&](int leaf) {
    if (space[leaf].kind == Variable::Kind::loaded) handles.push_back(space[leaf].handle);
  };
  for (const Index& index : demands[id].at) space.for_each_leaf(index, visit);
  for (int p = demands[id].predicate; p != kAlways; p = demands.predicate(p).parent) space.for_each_leaf(demands.predicate(p).index, visit);
  for (int handle : handles) get(handle);
}

Value Emitter::get(int id) {
  if (const auto it = values_.find(id); it != values_.end()) return it->second;
  get_loaded_indices(id);
  std::vector<int> stack{id};
  while (!stack.empty()) {
    const int top = stack.back();
    if (values_.count(top)) {
      stack.pop_back();
      continue;
    }
    if (redirections_.count(top)) {
      values_[top] = load(top);
      stack.pop_back();
      continue;
    }
    const size_t before = stack.size();
    const auto& operands = demands.operands(top);
    for (size_t k = operands.size(); k-- > 0;) {
      if (!values_.count(operands[k])) stack.push_back(operands[k]);
    }
    if (stack.size() != before) continue;
    emit(top);
    stack.pop_back();
  }
  return values_.at(id);
}

void Emitter::emit(int id) {
  const Demand d = demands[id];
  const Node& n = demands.graph().nodes[d.node];
  const LineScope line(b, *function, n);
  const llvm::SmallVector<int, 4> operands = demands.operands(id);
  switch (n.kind) {
    case NodeKind::parameter:
      if (element_count(n.shape) == 0) unsupported(n, "an empty operand is read");
      values_[id] = load(id);
      break;
    case NodeKind::constant:
      values_[id] = load(id);
      break;
    case NodeKind::iota:
      values_[id] = iota(id);
      break;
    case NodeKind::elementwise:
      values_[id] = elementwise(n, operands);
      break;
    case NodeKind::call:
      results_[id] = call(n, operands);
      values_[id] = results_[id][0];
      break;
    case NodeKind::loop:
      results_[id] = loop(n, operands);
      values_[id] = results_[id][0];
      break;
    case NodeKind::index_map:
    case NodeKind::gather:
    case NodeKind::dynamic_slice:
      values_[id] = values_.at(operands.back());
      break;
    case NodeKind::result: {
      const auto it = results_.find(operands[0]);
      values_[id] = it->second[n.number];
      break;
    }
    case NodeKind::concatenate:
    case NodeKind::pad:
    case NodeKind::dynamic_update_slice: {
      // The value of the first operand whose predicate holds. Of pad, the padding comes last; of
      // dynamic_update_slice, the update comes first.
      llvm::SmallVector<int, 4> choices;
      if (n.kind == NodeKind::concatenate) choices = operands;
      if (n.kind == NodeKind::pad) choices.append(operands.rbegin(), operands.rend());
      if (n.kind == NodeKind::dynamic_update_slice) {
        for (size_t k = operands.size(); k-- > n.shape.size();) choices.push_back(operands[k]);
      }
      Value value = values_.at(choices.back());
      for (size_t k = choices.size() - 1; k-- > 0;) {
        const int where = demands[choices[k]].predicate;
        const Value other = values_.at(choices[k]);
        if (where == d.predicate) {
          value = other;
          continue;
        }
        const Value mask = condition(where);
        Value merged{nullptr, mask.is_vector || value.is_vector || other.is_vector,
                     std::max({mask.depth, value.depth, other.depth})};
        llvm::Value* m = merged.is_vector && mask.is_vector ? splat(mask) : mask.value;
        llvm::Value* x = merged.is_vector ? splat(other) : other.value;
        llvm::Value* y = merged.is_vector ? splat(value) : value.value;
        At at(*this, merged.depth);
        merged.value = b.CreateSelect(m, x, y);
        value = merged;
      }
      values_[id] = value;
      break;
    }
    case NodeKind::reduce:
      emit_reduction(id);
      break;
  }
}

Value Emitter::elementwise(const Node& n, llvm::ArrayRef<int> operands) {
  llvm::SmallVector<Value, 4> inputs;
  Value result;
  for (int operand : operands) {
    inputs.push_back(values_.at(operand));
    result.is_vector |= inputs.back().is_vector;
    result.depth = std::max(result.depth, inputs.back().depth);
  }
  llvm::SmallVector<llvm::Value*, 4> x;
  for (const Value& input : inputs) x.push_back(result.is_vector ? splat(input) : input.value);
  At at(*this, result.depth);
  const Node& typed = demands.graph().nodes[n.operands[n.scalar->op == ScalarOp::kSelect ? 1 : 0]];
  result.value = n.scalar->emit({b, x, typed.dtype, n.dtype, n.facts});
  if (!result.value) unsupported(n, "no code for " + typed.dtype.str() + " to " + n.dtype.str());
  result.value = round_to_type(b, result.value, n.dtype);
  return result;
}

// A runtime function on all lanes, through memory: the operands' parts one after the other, then the
// result's.
llvm::SmallVector<Value, 2> Emitter::call(const Node& n, llvm::ArrayRef<int> operands) {
  Value like;
  for (int operand : operands) {
    like.is_vector |= values_.at(operand).is_vector;
    like.depth = std::max(like.depth, values_.at(operand).depth);
  }
  llvm::SmallVector<llvm::Value*, 4> x;
  for (int operand : operands) {
    const Value value = values_.at(operand);
    x.push_back(like.is_vector ? splat(value) : value.value);
  }
  llvm::Type* type = x[0]->getType();
  const int count = like.is_vector ? lanes : 1;
  llvm::Type* scalar = type->getScalarType();
  llvm::Value* arguments = stack_array(scalar, count * static_cast<int64_t>(x.size()));
  llvm::Value* results = stack_array(scalar, count * 2);
  At at(*this, like.depth);
  const auto place = [&](llvm::Value* array, size_t k) {
    return b.CreateConstInBoundsGEP1_64(scalar, array, count * static_cast<int64_t>(k));
  };
  const llvm::Align align(scalar->getScalarSizeInBits() / 8);
  for (size_t k = 0; k < x.size(); ++k) b.CreateAlignedStore(x[k], place(arguments, k), align);
  llvm::FunctionCallee callee = function->getParent()->getOrInsertFunction(
      std::string("tenon_") + n.function->name + (scalar->isDoubleTy() ? "_c128" : "_c64"),
      b.getVoidTy(), b.getPtrTy(), b.getPtrTy(), b.getInt64Ty());
  b.CreateCall(callee, {results, arguments, i64(count)})->setDoesNotThrow();
  llvm::SmallVector<Value, 2> parts;
  for (size_t k = 0; k < 2; ++k)
    parts.push_back({b.CreateAlignedLoad(type, place(results, k), align), like.is_vector, like.depth});
  return parts;
}

llvm::SmallVector<Value, 2> Emitter::loop(const Node& n, llvm::ArrayRef<int> operands) {
  Value like;
  for (int operand : operands) {
    like.is_vector |= values_.at(operand).is_vector;
    like.depth = std::max(like.depth, values_.at(operand).depth);
  }
  // Arrays that begin with one number everywhere differ after the first round.
  llvm::SmallVector<llvm::Value*, 8> begin;
  llvm::SmallVector<bool, 8> is_vector;
  for (size_t k = 0; k < operands.size(); ++k) {
    const Node& parameter = n.body->nodes[static_cast<size_t>(n.dims[k])];
    is_vector.push_back(like.is_vector && !parameter.shape.empty());
    const Value value = values_.at(operands[k]);
    begin.push_back(is_vector.back() ? splat(value) : value.value);
  }
  At at(*this, like.depth);
  const auto end = emit_element_loop(*this, n, begin);
  llvm::SmallVector<Value, 2> results;
  for (size_t k = 0; k < end.size(); ++k) results.push_back({end[k], is_vector[k], like.depth});
  return results;
}

Value Emitter::iota(int id) {
  const Node& n = demands.node(id);
  const Value at_axis = index(demands[id].at[n.axis]);
  At at(*this, at_axis.depth);
  llvm::Type* type = like_type(at_axis.value->getType(), type_of(id));
  llvm::Value* x = n.dtype.is_floating() ? b.CreateSIToFP(at_axis.value, type)
                                         : b.CreateSExtOrTrunc(at_axis.value, type);
  return {round_to_type(b, x, n.dtype), at_axis.is_vector, at_axis.depth};
}

// All of the predicates up to the outermost.
Value Emitter::condition(int predicate) {
  if (predicate == kAlways) return {b.getTrue(), false, 0};
  if (auto it = conditions_.find(predicate); it != conditions_.end()) return it->second;
  const Predicate p = demands.predicate(predicate);
  const auto range = space.range(p.index);
  const Value x = index(p.index);
  Value mask{nullptr, x.is_vector, x.depth};
  {
    At at(*this, x.depth);
    if (range.min < p.low)
      mask.value =
          b.CreateICmpSGE(x.value, llvm::ConstantInt::get(x.value->getType(), p.low, true));
    if (range.max >= p.high || !mask.value) {
      llvm::Value* below =
          b.CreateICmpSLT(x.value, llvm::ConstantInt::get(x.value->getType(), p.high, true));
      mask.value = mask.value ? b.CreateAnd(mask.value, below) : below;
    }
  }
  if (p.parent != kAlways) {
    const Value parent = condition(p.parent);
    Value all{nullptr, parent.is_vector || mask.is_vector, std::max(parent.depth, mask.depth)};
    llvm::Value* l = all.is_vector ? splat(parent) : parent.value;
    llvm::Value* r = all.is_vector ? splat(mask) : mask.value;
    At at(*this, all.depth);
    all.value = b.CreateAnd(l, r);
    mask = all;
  }
  return conditions_[predicate] = mask;
}

void Emitter::emit_reduction(int id) {
  // The loop goes where the reduction belongs; loops further in are set aside meanwhile.
  const auto it = batches_.find(id);
  const std::vector<int> ids = it == batches_.end() ? std::vector<int>{id} : it->second;
  int depth = 0;
  for (int one : ids) depth = std::max(depth, dependence(one).depth);
  std::vector<Scope> aside(std::make_move_iterator(scopes_.begin() + depth + 1),
                           std::make_move_iterator(scopes_.end()));
  scopes_.resize(depth + 1);
  const auto results = Reduction(*this, ids).emit();
  for (Scope& scope : aside) scopes_.push_back(std::move(scope));
  for (size_t k = 0; k < ids.size(); ++k) {
    values_[ids[k]] = results[k][0];
    results_[ids[k]] = results[k];
  }
}

}  // namespace tenon::cpu
