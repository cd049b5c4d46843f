#include "backends/cpu/emitter.h"

#include <algorithm>

#include "backends/cpu/ir_number.h"
#include "backends/cpu/reduction.h"
#include "backends/cpu/scalar_table.h"
#include "tenon/error.h"

namespace tenon::cpu {

Emitter::Emitter(DemandGraph& demands, llvm::Function* function, int lanes)
    : b(function->getContext()), demands(demands), space(demands.space()), function(function), lanes(lanes) {
  Scope outermost;
  outermost.end = llvm::BasicBlock::Create(b.getContext(), "entry", function);
  scopes_.push_back(std::move(outermost));
  b.SetInsertPoint(scopes_[0].end);
}

// ---- loops

llvm::SmallVector<llvm::Value*, 8> Emitter::enter(const Loop& loop) {
  Scope scope;
  scope.loop = loop;
  llvm::SmallVector<llvm::Value*, 8> inside;
  scope.header = llvm::BasicBlock::Create(b.getContext(), "loop", function);
  scope.end = scope.header;
  b.SetInsertPoint(scope.header);
  LoopState state;
  state.depth = depth() + 1;
  if (loop.is_once) {
    state.value = loop.begin;
    inside.assign(loop.carried.begin(), loop.carried.end());
  } else {
    scope.counter = b.CreatePHI(b.getInt64Ty(), 2, "i");
    state.value = scope.counter;
    for (llvm::Value* value : loop.carried) {
      scope.phis.push_back(b.CreatePHI(value->getType(), 2));
      inside.push_back(scope.phis.back());
    }
  }
  states_[loop.variable] = state;
  scopes_.push_back(std::move(scope));
  return inside;
}

llvm::SmallVector<llvm::Value*, 8> Emitter::leave(llvm::ArrayRef<llvm::Value*> next) {
  Scope scope = std::move(scopes_.back());
  scopes_.pop_back();
  llvm::BasicBlock* entry = scopes_.back().end;
  llvm::BasicBlock* exit = llvm::BasicBlock::Create(b.getContext(), "done", function);
  llvm::SmallVector<llvm::Value*, 8> after(next.begin(), next.end());
  states_[scope.loop.variable].depth = -1;
  if (scope.loop.is_once) {
    b.SetInsertPoint(entry);
    b.CreateBr(scope.header);
    b.SetInsertPoint(scope.end);
    b.CreateBr(exit);
  } else {
    b.SetInsertPoint(scope.end);
    llvm::Value* bumped = b.CreateAdd(scope.counter, i64(scope.loop.step), "", true, true);
    b.CreateCondBr(b.CreateICmpSLT(bumped, scope.loop.end), scope.header, exit);
    scope.counter->addIncoming(bumped, scope.end);
    scope.counter->addIncoming(scope.loop.begin, entry);
    for (size_t k = 0; k < scope.phis.size(); ++k) {
      scope.phis[k]->addIncoming(next[k], scope.end);
      scope.phis[k]->addIncoming(scope.loop.carried[k], entry);
    }
    b.SetInsertPoint(entry);
    if (scope.loop.may_be_empty) {
      b.CreateCondBr(b.CreateICmpSLT(scope.loop.begin, scope.loop.end), scope.header, exit);
      b.SetInsertPoint(exit);
      for (size_t k = 0; k < scope.phis.size(); ++k) {
        llvm::PHINode* phi = b.CreatePHI(next[k]->getType(), 2);
        phi->addIncoming(next[k], scope.end);
        phi->addIncoming(scope.loop.carried[k], entry);
        after[k] = phi;
      }
    } else {
      b.CreateBr(scope.header);
    }
  }
  scopes_.back().end = exit;
  b.SetInsertPoint(exit);
  return after;
}

void Emitter::make_vector(int variable) { states_[variable].is_vector = true; }

void Emitter::make_vector(int variable, int count) {
  LoopState& state = states_[variable];
  state.is_vector = true;
  if (count >= lanes) return;
  llvm::SmallVector<llvm::Constant*, 16> bits;
  for (int l = 0; l < lanes; ++l) bits.push_back(b.getInt1(l < count));
  state.mask = llvm::ConstantVector::get(bits);
  At at(*this, state.depth);
  state.last = b.CreateAdd(state.value, i64(count - 1), "", true, true);
}

void Emitter::make_vector(int variable, llvm::Value* end) {
  LoopState& state = states_[variable];
  state.is_vector = true;
  At at(*this, state.depth);
  llvm::Value* left = b.CreateSub(end, state.value);
  state.is_full = b.CreateICmpSGE(left, i64(lanes));
  llvm::Value* few = binary_intrinsic(b, llvm::Intrinsic::smin, left, i64(lanes));
  llvm::SmallVector<llvm::Constant*, 16> numbers;
  for (int l = 0; l < lanes; ++l) numbers.push_back(b.getInt32(l));
  state.mask = b.CreateICmpSLT(llvm::ConstantVector::get(numbers),
                               b.CreateVectorSplat(lanes, b.CreateTrunc(few, b.getInt32Ty())));
  state.last = b.CreateSub(end, i64(1));
}

void Emitter::make_vector_up_to(int variable, int64_t last_begin) {
  states_[variable].is_vector = true;
  limit(variable, last_begin);
}

void Emitter::limit(int variable, int64_t last) {
  LoopState& state = states_[variable];
  At at(*this, state.depth);
  state.value = binary_intrinsic(b, llvm::Intrinsic::smin, state.value, i64(last));
}

int Emitter::shifted(int variable, int64_t offset) {
  if (offset == 0) return variable;
  const int id = space.add_loop(space[variable].min, space[variable].max);
  LoopState state = states_[variable];
  At at(*this, state.depth);
  state.value = b.CreateAdd(state.value, i64(offset), "", true, true);
  states_[id] = state;
  return id;
}

Index Emitter::lane_index(int variable, int lane) {
  const LoopState state = states_[variable];
  LoopState one{state.value, state.depth};
  if (!state.mask) {
    // One twin for all lanes, so that their addresses differ by constants.
    auto [it, is_new] = twins_.try_emplace(variable, space.size());
    if (is_new) {
      space.add_loop(space[variable].min, space[variable].max - (lanes - 1));
      states_[it->second] = one;
    }
    return space.add(IndexSpace::variable(it->second), lane);
  }
  const int id = space.add_loop(space[variable].min, space[variable].max);
  At at(*this, state.depth);
  one.value = binary_intrinsic(b, llvm::Intrinsic::smin, b.CreateAdd(state.value, i64(lane)), state.last);
  states_[id] = one;
  return IndexSpace::variable(id);
}

// ---- index expressions

int Emitter::depth_of(const Index& index) {
  int depth = 0;
  for (const Term& t : index.terms) {
    const Variable& v = space[t.variable];
    int d = 0;
    switch (v.kind) {
      case Variable::Kind::loop: d = states_[t.variable].depth; break;
      case Variable::Kind::loaded: d = values_.at(v.handle).depth; break;
      default: d = depth_of(v.source);
    }
    depth = std::max(depth, d);
  }
  return depth;
}

int Emitter::vector_variable(const Index& index) {
  int found = -1;
  space.for_each_leaf(index, [&](int leaf) {
    const Variable& v = space[leaf];
    if (v.kind == Variable::Kind::loop) {
      if (states_[leaf].is_vector) found = leaf;
    } else if (values_.at(v.handle).is_vector) {
      found = dependence(v.handle).vector;
    }
  });
  return found;
}

// A quotient, remainder or loaded index: of lane 0, or of all lanes where they differ.
const Value& Emitter::derived(int variable) {
  if (auto it = derived_.find(variable); it != derived_.end()) return it->second;
  const Variable v = space[variable];
  if (v.kind == Variable::Kind::loaded) {
    const Value loaded = values_.at(v.handle);
    At at(*this, loaded.depth);
    const bool is_signed = demands.node(v.handle).dtype.is_signed();
    llvm::Type* wide = like_type(loaded.value->getType(), b.getInt64Ty());
    llvm::Value* x = is_signed ? b.CreateSExt(loaded.value, wide) : b.CreateZExt(loaded.value, wide);
    llvm::Value* most = llvm::ConstantInt::get(wide, v.max);
    if (is_signed) {
      x = binary_intrinsic(b, llvm::Intrinsic::smax, x, llvm::ConstantInt::get(wide, 0));
      x = binary_intrinsic(b, llvm::Intrinsic::smin, x, most);
    } else {
      x = binary_intrinsic(b, llvm::Intrinsic::umin, x, most);
    }
    return derived_[variable] = {x, loaded.is_vector, loaded.depth};
  }
  const bool is_quotient = v.kind == Variable::Kind::quotient;
  const Value source = index(v.source);
  At at(*this, source.depth);
  llvm::Value* divisor = llvm::ConstantInt::get(source.value->getType(), v.divisor);
  llvm::Value* x = is_quotient ? b.CreateUDiv(source.value, divisor) : b.CreateURem(source.value, divisor);
  return derived_[variable] = {x, source.is_vector, source.depth};
}

Value Emitter::scalar_index(const Index& index) {
  if (index.is_constant()) return {i64(index.constant), false, 0};
  if (index.constant == 0 && index.terms.size() == 1 && index.terms[0].coefficient == 1 &&
      space[index.terms[0].variable].kind == Variable::Kind::loop) {
    const LoopState& state = states_[index.terms[0].variable];
    return {state.value, false, state.depth};
  }
  if (auto it = indices_.find(index); it != indices_.end()) return it->second;
  const int depth = depth_of(index);
  Index outer;
  llvm::SmallVector<std::pair<llvm::Value*, int64_t>, 4> inner;
  for (const Term& t : index.terms) {
    const Index self = IndexSpace::variable(t.variable);
    if (depth_of(self) < depth) {
      outer.terms.push_back(t);
      continue;
    }
    if (space[t.variable].kind == Variable::Kind::loop) {
      inner.push_back({states_[t.variable].value, t.coefficient});
    } else {
      inner.push_back({derived(t.variable).value, t.coefficient});
    }
  }
  llvm::Value* sum = outer.terms.empty() ? nullptr : scalar_index(outer).value;
  At at(*this, depth);
  for (auto [value, coefficient] : inner) {
    llvm::Value* term = coefficient == 1 ? value : b.CreateMul(value, i64(coefficient), "", true, true);
    sum = sum ? b.CreateAdd(sum, term, "", false, true) : term;
  }
  if (index.constant != 0) sum = b.CreateAdd(sum, i64(index.constant), "", false, true);
  return indices_[index] = {sum, false, depth};
}

// Narrow lanes where the range allows: twice as many in a register, and cheap divisions.
Value Emitter::vector_index(const Index& index) {
  if (auto it = vector_indices_.find(index); it != vector_indices_.end()) return it->second;
  const int depth = depth_of(index);
  const auto range = space.range(index);
  llvm::Type* scalar = range.min >= INT32_MIN && range.max < INT32_MAX - lanes ? b.getInt32Ty() : b.getInt64Ty();
  auto* type = llvm::FixedVectorType::get(scalar, lanes);
  Index uniform(index.constant);
  llvm::SmallVector<std::pair<Value, int64_t>, 4> parts;
  int64_t stride = 0;
  for (const Term& t : index.terms) {
    const Variable::Kind kind = space[t.variable].kind;
    if (kind == Variable::Kind::loop) {
      uniform.terms.push_back(t);  // a vector variable counts with its lane 0 here
      if (states_[t.variable].is_vector) stride += t.coefficient;
      continue;
    }
    const Value part = derived(t.variable);
    if (part.is_vector) parts.push_back({part, t.coefficient});
    else uniform.terms.push_back(t);
  }
  const Value base = scalar_index(uniform);
  At at(*this, depth);
  llvm::Value* sum = b.CreateVectorSplat(lanes, b.CreateTrunc(base.value, scalar));
  if (stride != 0) {
    llvm::SmallVector<llvm::Constant*, 16> steps;
    for (int l = 0; l < lanes; ++l) steps.push_back(llvm::ConstantInt::get(scalar, stride * l, true));
    sum = b.CreateAdd(sum, llvm::ConstantVector::get(steps));
  }
  for (auto& [part, coefficient] : parts) {
    llvm::Value* x = b.CreateZExtOrTrunc(part.value, type);
    sum = b.CreateAdd(sum, b.CreateMul(x, llvm::ConstantInt::get(type, coefficient, true)));
  }
  return vector_indices_[index] = {sum, true, depth};
}

Value Emitter::index(const Index& index) {
  return vector_variable(index) == -1 ? scalar_index(index) : vector_index(index);
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
    for (size_t k = 0; k < n.operands.size() / 2; ++k) it->second.push_back(demands.reduction_input(id, static_cast<int>(k), probe));
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
    bool is_ready = true;
    for (int operand : operands) {
      if (!leaves_.count(operand)) stack.push_back(operand), is_ready = false;
    }
    if (!is_ready) continue;
    stack.pop_back();
    std::vector<int> found;
    const auto visit = [&](int leaf) {
      if (space[leaf].kind == Variable::Kind::loop) found.push_back(leaf);
    };
    const Demand& d = demands[top];
    if (n.kind == NodeKind::parameter || n.kind == NodeKind::constant || n.kind == NodeKind::iota) {
      for (const Index& index : d.at) space.for_each_leaf(index, visit);
    }
    for (int p = d.predicate; p != kAlways; p = demands.predicate(p).parent)
      space.for_each_leaf(demands.predicate(p).index, visit);
    for (int operand : operands) found.insert(found.end(), leaves_[operand].begin(), leaves_[operand].end());
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
  const char* what = node.scalar ? name_of(node.scalar->op).data() : "operation";
  throw UnimplementedError("cpu: " + std::string(what) + " in kernel " + demands.graph().name + ": " + why +
                           "; see src/backends/cpu/scalar_table.cpp");
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

Value Emitter::get(int id) {
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
  const llvm::SmallVector<int, 4> operands = demands.operands(id);
  switch (n.kind) {
    case NodeKind::parameter:
      if (element_count(n.shape) == 0) unsupported(n, "an empty operand is read");
      values_[id] = load(id);
      break;
    case NodeKind::constant: values_[id] = load(id); break;
    case NodeKind::iota: values_[id] = iota(id); break;
    case NodeKind::elementwise: values_[id] = elementwise(n, operands); break;
    case NodeKind::index_map:
    case NodeKind::gather:
    case NodeKind::dynamic_slice: values_[id] = values_.at(operands.back()); break;
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
    case NodeKind::reduce: emit_reduction(id); break;
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
  result.value = n.scalar->emit({b, x, typed.dtype, n.dtype, n.comparison});
  if (!result.value) unsupported(n, "no code for " + typed.dtype.str() + " to " + n.dtype.str());
  result.value = round_to_type(b, result.value, n.dtype);
  return result;
}

Value Emitter::iota(int id) {
  const Node& n = demands.node(id);
  const Value at_axis = index(demands[id].at[n.axis]);
  At at(*this, at_axis.depth);
  llvm::Type* type = like_type(at_axis.value->getType(), type_of(id));
  llvm::Value* x = n.dtype.is_floating() ? b.CreateSIToFP(at_axis.value, type) : b.CreateSExtOrTrunc(at_axis.value, type);
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
    if (range.min < p.low) mask.value = b.CreateICmpSGE(x.value, llvm::ConstantInt::get(x.value->getType(), p.low, true));
    if (range.max >= p.high || !mask.value) {
      llvm::Value* below = b.CreateICmpSLT(x.value, llvm::ConstantInt::get(x.value->getType(), p.high, true));
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
  std::vector<Scope> aside(std::make_move_iterator(scopes_.begin() + depth + 1), std::make_move_iterator(scopes_.end()));
  scopes_.resize(depth + 1);
  const auto results = Reduction(*this, ids).emit();
  for (Scope& scope : aside) scopes_.push_back(std::move(scope));
  for (size_t k = 0; k < ids.size(); ++k) {
    values_[ids[k]] = results[k][0];
    results_[ids[k]] = results[k];
  }
}

}  // namespace tenon::cpu
