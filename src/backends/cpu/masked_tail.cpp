#include "backends/cpu/masked_tail.h"

#include <algorithm>

#include "backends/cpu/ir_number.h"
#include "backends/cpu/scalar_table.h"

namespace tenon::cpu {

/// What broadcasts, reshapes and the like take the value from.
static int source(DemandGraph& demands, int id) {
  while (demands.node(id).kind == NodeKind::index_map) id = demands.operands(id).back();
  return id;
}

/// The value of an integer as an expression in loop variables.
static std::optional<Index> as_index(DemandGraph& demands, int id) {
  id = source(demands, id);
  const Node& n = demands.node(id);
  if (!n.dtype.is_integer()) return std::nullopt;
  std::optional<Index> result;
  const llvm::SmallVector<int, 4>& operands = demands.operands(id);
  const auto operand = [&](size_t k) { return as_index(demands, operands[k]); };
  if (n.kind == NodeKind::iota) {
    result = demands[id].at[static_cast<size_t>(n.axis)];
  } else if (n.kind == NodeKind::constant && static_cast<int64_t>(n.data.size()) == n.dtype.itemsize()) {
    uint64_t bits = 0;
    std::copy(n.data.begin(), n.data.end(), reinterpret_cast<std::byte*>(&bits));
    const int unused = 64 - 8 * n.dtype.itemsize();
    result = Index(n.dtype.is_signed() ? static_cast<int64_t>(bits << unused) >> unused : static_cast<int64_t>(bits));
  } else if (n.kind == NodeKind::elementwise && n.scalar->op == ScalarOp::kConvert) {
    result = operand(0);
  } else if (n.kind == NodeKind::elementwise && (n.scalar->op == ScalarOp::kAdd || n.scalar->op == ScalarOp::kSubtract)) {
    const std::optional<Index> a = operand(0), b = operand(1);
    if (a && b) result = demands.space().add(*a, n.scalar->op == ScalarOp::kAdd ? *b : demands.space().multiply(*b, -1));
  }
  if (!result) return std::nullopt;
  // Nothing wraps.
  const int bits = std::min(8 * n.dtype.itemsize(), 48) - (n.dtype.is_signed() ? 1 : 0);
  const IndexSpace::Range range = demands.space().range(*result);
  if (range.max >= int64_t{1} << bits || range.min < (n.dtype.is_signed() ? -(int64_t{1} << bits) : 0)) return std::nullopt;
  return result;
}

/// From which value of `variable` on a comparison of indices stays what it is, and what that is.
static std::optional<std::pair<Index, bool>> settled(DemandGraph& demands, int mask, int variable) {
  mask = source(demands, mask);
  const Node& n = demands.node(mask);
  if (n.kind != NodeKind::elementwise || n.scalar->op != ScalarOp::kCompare) return std::nullopt;
  const std::optional<Index> a = as_index(demands, demands.operands(mask)[0]), b = as_index(demands, demands.operands(mask)[1]);
  if (!a || !b) return std::nullopt;
  IndexSpace& space = demands.space();
  // a - b = +-variable + rest
  const Index difference = space.add(*a, space.multiply(*b, -1));
  const int64_t slope = difference.coefficient(variable);
  const Index rest = space.add(difference, IndexSpace::variable(variable, -slope));
  if ((slope != 1 && slope != -1) || space.depends_on(rest, variable)) return std::nullopt;
  const int how = n.facts.comparison;
  const bool is_above = how == kGe || how == kGt;  // true for large differences
  if (!is_above && how != kLe && how != kLt) return std::nullopt;
  // Settled where the difference has left 0 behind, and for those comparisons that 0 settles too, at 0.
  const bool zero_settles = slope > 0 ? how == kGe || how == kLt : how == kGt || how == kLe;
  const Index zero = slope > 0 ? space.multiply(rest, -1) : rest;
  return std::pair{space.add(zero, zero_settles ? 0 : 1), is_above == (slope > 0)};
}

std::optional<MaskedTail> MaskedTail::find(Emitter& e, const std::vector<int>& ids, int probe) {
  MaskedTail tail;
  tail.probe_ = probe;
  for (int id : e.demands.below(ids)) {
    const Node& n = e.demands.node(id);
    if (n.kind != NodeKind::elementwise || n.scalar->op != ScalarOp::kSelect) continue;
    const llvm::SmallVector<int, 4> operands = e.demands.operands(id);
    const auto mask = settled(e.demands, operands[0], probe);
    if (!mask) continue;
    const int operand = source(e.demands, operands[mask->second ? 1 : 2]);
    if (e.demands.substitute(operand, probe, Index(0)) != operand) continue;
    tail.selects_.emplace_back(id, operand);
    tail.begins_.push_back(mask->first);
  }
  if (tail.selects_.empty()) return std::nullopt;
  return tail;
}

llvm::Value* MaskedTail::begin(Emitter& e, int64_t step, int64_t end) const {
  llvm::Value* latest = e.i64(0);
  for (const Index& begin : begins_) {
    llvm::Value* one = e.lane0(begin);
    Emitter::At at(e, e.depth());
    latest = binary_intrinsic(e.b, llvm::Intrinsic::smax, latest, one);
  }
  Emitter::At at(e, e.depth());
  latest = binary_intrinsic(e.b, llvm::Intrinsic::smin, latest, e.i64(end));
  llvm::Value* steps = e.b.CreateUDiv(e.b.CreateAdd(latest, e.i64(step - 1)), e.i64(step));
  return binary_intrinsic(e.b, llvm::Intrinsic::smin, e.b.CreateMul(steps, e.i64(step)), e.i64(end));
}

void MaskedTail::apply(Emitter& e, const Index& index) {
  for (const auto& [select, operand] : selects_) {
    const int here = e.demands.substitute(select, probe_, index);
    if (!applied_.insert(here).second) continue;
    e.set(here, e.get(operand));
  }
}

bool MaskedTail::is_uniform(Emitter& e, int id, int variable) const {
  std::vector<int> work{id};
  std::set<int> seen;
  while (!work.empty()) {
    const int top = work.back();
    work.pop_back();
    if (applied_.count(top) || !seen.insert(top).second) continue;
    if (e.dependence(top).vector != variable) continue;
    const llvm::SmallVector<int, 4>& operands = e.demands.operands(top);
    if (operands.empty() || e.demands.node(top).kind == NodeKind::reduce || e.demands[top].predicate != kAlways) return false;
    work.insert(work.end(), operands.begin(), operands.end());
  }
  return true;
}

}  // namespace tenon::cpu
