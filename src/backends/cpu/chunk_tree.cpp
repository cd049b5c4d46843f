// math::PairwiseTree in generated code: its stack is memory of the kernel.
#include <bit>

#include "backends/cpu/ir_number.h"
#include "backends/cpu/reduction.h"

namespace tenon::cpu {

void Reduction::make_stacks(const Tuples& like) {
  stacks_.clear();
  for (const Tuple& tuple : like) {
    stacks_.emplace_back();
    for (llvm::Value* value : tuple)
      stacks_.back().push_back(e_.stack_array(
          value->getType(), std::bit_width(static_cast<uint64_t>(order_.chunks)) + 1));
  }
}

// Before chunk i there are popcount(i) values on the stack, of which as many as i has trailing ones
// combine with the new one.
void Reduction::push(llvm::Value* chunk, Tuples values) {
  llvm::Value *depth, *merges;
  {
    Emitter::At at(e_, e_.depth());
    depth = unary_intrinsic(b_, llvm::Intrinsic::ctpop, chunk);
    merges = b_.CreateIntrinsic(llvm::Intrinsic::cttz, {b_.getInt64Ty()},
                                {b_.CreateNot(chunk), b_.getFalse()});
  }
  const int variable = e_.space.add_loop(0, 64);
  const auto inside = e_.enter({variable, e_.i64(0), merges, 1, true, false, flatten(values)});
  Tuples merged = unflatten(inside);
  {
    Emitter::At at(e_, e_.depth());
    llvm::Value* slot = b_.CreateSub(b_.CreateSub(depth, e_.state(variable).value), e_.i64(1));
    for (size_t k = 0; k < merged.size(); ++k) {
      Tuple left;
      for (int i = 0; i < inputs_; ++i) {
        llvm::Type* type = merged[k][i]->getType();
        left.push_back(b_.CreateLoad(type, b_.CreateGEP(type, stacks_[k][i], slot)));
      }
      merged[k] = combine(left, merged[k]);
    }
  }
  merged = unflatten(e_.leave(flatten(merged)));
  Emitter::At at(e_, e_.depth());
  llvm::Value* top = b_.CreateSub(depth, merges);
  for (size_t k = 0; k < merged.size(); ++k) {
    for (int i = 0; i < inputs_; ++i)
      b_.CreateStore(merged[k][i], b_.CreateGEP(merged[k][i]->getType(), stacks_[k][i], top));
  }
}

Reduction::Tuples Reduction::tree_total(const Tuples& like) {
  Emitter::At at(e_, e_.depth());
  Tuples totals(like.size());
  for (size_t k = 0; k < like.size(); ++k) {
    const auto load = [&](int slot) {
      Tuple tuple;
      for (int i = 0; i < inputs_; ++i) {
        llvm::Type* type = like[k][i]->getType();
        tuple.push_back(b_.CreateLoad(type, b_.CreateConstGEP1_64(type, stacks_[k][i], slot)));
      }
      return tuple;
    };
    int slot = std::popcount(static_cast<uint64_t>(order_.chunks)) - 1;
    totals[k] = load(slot);
    while (slot-- > 0) totals[k] = combine(load(slot), totals[k]);
  }
  return totals;
}

}  // namespace tenon::cpu
