// One result of one large reduction (the sum of all elements): its chunks are units of a first
// function, which threads share; a second function combines them in the canonical tree and does the
// rest.
#include <map>

#include "backends/cpu/ir_number.h"
#include "backends/cpu/kernel_emitter.h"
#include "backends/cpu/reduction.h"
#include "backends/cpu/scalar_table.h"

namespace tenon::cpu {

static constexpr double kSplitSeconds = 50e-6;  // worth a second function
static constexpr double kHeavyElement = 16;     // instructions

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
  const int64_t chunks = reduction.chunks();
  // Several chunks in one loop keep more reads under way; where there is much to compute, their code
  // is not worth it.
  const bool is_heavy = nest_.cost > kHeavyElement * static_cast<double>(reduction.elements());
  const int64_t group = is_heavy ? 1 : reduction.chunks_at_once();
  const int64_t groups = group == 1 ? 0 : reduction.full_chunks() / group;
  llvm::Value* memory = e_.load_pointer(graph_.chunk_slot());
  const auto emit = [&](const Indices& numbers) {
    const std::vector<llvm::Value*> totals = reduction.emit_chunks(numbers);
    for (size_t k = 0; k < totals.size(); ++k) {
      llvm::Value* number = e_.lane0(numbers[k]);
      Emitter::At at(e_, e_.depth());
      llvm::Type* type = totals[k]->getType();
      e_.b.CreateStore(totals[k], e_.b.CreateInBoundsGEP(type, memory, number));
    }
    e_.leave();
  };
  // Units are groups; those after the last full one are done chunk by chunk.
  using llvm::Intrinsic::smax, llvm::Intrinsic::smin;
  const auto clamped = [&](llvm::Value* x, llvm::Intrinsic::ID which, int64_t bound) {
    Emitter::At at(e_, 0);
    return binary_intrinsic(e_.b, which, x, e_.i64(bound));
  };
  const auto in_chunks = [&](llvm::Value* unit) {
    Emitter::At at(e_, 0);
    return e_.b.CreateMul(unit, e_.i64(group));
  };
  llvm::Value *begin = function_->getArg(1), *end = function_->getArg(2);
  if (groups > 0) {
    const int number = space_.add_loop(0, groups - 1);
    e_.enter({number, begin, clamped(end, smin, groups), 1, true, false, {}});
    Indices numbers;
    for (int64_t k = 0; k < group; ++k)
      numbers.push_back(space_.add(IndexSpace::variable(number, group), k));
    emit(numbers);
  }
  if (groups * group < chunks) {
    const int chunk = space_.add_loop(groups * group, chunks - 1);
    e_.enter({chunk, in_chunks(clamped(begin, smax, groups)),
              clamped(in_chunks(end), smin, chunks), 1, true, false, {}});
    emit({IndexSpace::variable(chunk)});
  }
  Emitter::At at(e_, 0);
  e_.b.CreateRetVoid();
  result_.units = (chunks + group - 1) / group;
  result_.unit_seconds = seconds / static_cast<double>(result_.units);
  return chunks * 8;  // no value is larger
}

}  // namespace tenon::cpu
