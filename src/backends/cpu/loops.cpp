// The loops of the emitter: opening, closing, and what their variables are.
#include "backends/cpu/emitter.h"
#include "backends/cpu/ir_number.h"

namespace tenon::cpu {

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

int Emitter::counted_from(int variable, llvm::Value* origin) {
  const int id = space.add_loop(0, space[variable].max);
  LoopState state = states_[variable];
  At at(*this, state.depth);
  state.value = b.CreateSub(state.value, origin, "", true, true);
  state.mask = state.is_full = state.last = nullptr;
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
  one.value =
      binary_intrinsic(b, llvm::Intrinsic::smin, b.CreateAdd(state.value, i64(lane)), state.last);
  states_[id] = one;
  return IndexSpace::variable(id);
}

}  // namespace tenon::cpu
