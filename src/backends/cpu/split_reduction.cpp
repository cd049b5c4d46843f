// One result of one large reduction (the sum of all elements): its chunks are units of a first
// function, which threads share; a second function combines them in the canonical tree and does the
// rest.
#include <map>

#include "backends/cpu/kernel_emitter.h"
#include "backends/cpu/reduction.h"
#include "backends/cpu/scalar_table.h"

namespace tenon::cpu {

static constexpr double kSplitSeconds = 50e-6;  // worth a second function

// The demand of the one reduction below the result; -1: none, or several.
int KernelEmitter::splittable_reduction() {
  if (roots_.size() != 1 || !nest_.extents.empty() || !nest_.has_row_reduction) return -1;
  std::vector<int> work{demands_.demand(graph_.roots[roots_[0]], nest_.result_index(space_, {}))};
  std::map<int, bool> seen;
  int found = -1;
  while (!work.empty()) {
    const int id = work.back();
    work.pop_back();
    if (std::exchange(seen[id], true)) continue;
    for (int operand : demands_.operands(id)) work.push_back(operand);
    if (demands_.node(id).kind != NodeKind::reduce) continue;
    if (found != -1) return -1;
    found = id;
    // Nothing inside may be reduced for all of it.
    std::vector<int> inner = e_.inside(id);
    std::map<int, bool> seen_inside;
    while (!inner.empty()) {
      const int one = inner.back();
      inner.pop_back();
      if (std::exchange(seen_inside[one], true)) continue;
      if (demands_.node(one).kind == NodeKind::reduce) return -1;
      for (int operand : demands_.operands(one)) inner.push_back(operand);
    }
  }
  return found != -1 && Reduction(e_, {found}).can_split() ? found : -1;
}

int64_t KernelEmitter::emit_chunks() {
  const int id = splittable_reduction();
  const double seconds = kSecondsPerInstruction * nest_.cost / lanes_;
  if (id == -1 || seconds < kSplitSeconds) return 0;
  Reduction reduction(e_, {id});
  const int chunk = space_.add_loop(0, reduction.chunks() - 1);
  e_.enter({chunk, function_->getArg(1), function_->getArg(2), 1, true, false, {}});
  llvm::Value* total = reduction.emit_chunk(chunk);
  llvm::Value* memory = e_.load_pointer(graph_.chunk_slot());
  llvm::Type* type = total->getType();
  {
    Emitter::At at(e_, e_.depth());
    e_.b.CreateStore(total, e_.b.CreateInBoundsGEP(type, memory, e_.state(chunk).value));
  }
  e_.leave();
  Emitter::At at(e_, 0);
  e_.b.CreateRetVoid();
  result_.units = reduction.chunks();
  result_.unit_seconds = seconds / static_cast<double>(reduction.chunks());
  return reduction.chunks() * 8;  // no value is larger
}

}  // namespace tenon::cpu
