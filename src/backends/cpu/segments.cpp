// Long bodies. A chain of operations that is longer than what the processor looks ahead (some 200
// instructions) runs at the pace of its latencies: 18 ns for each logarithm of a chain of them, where one alone
// takes 4. So a long body is cut into segments, and each runs as a loop of its own over a strip of the
// elements; what a later segment reads is in the first-level cache meanwhile. The code is no larger, and its
// shorter blocks compile faster.
#include <algorithm>
#include <map>
#include <set>

#include "backends/cpu/ir_number.h"
#include "backends/cpu/kernel_emitter.h"
#include "backends/cpu/scalar_table.h"

namespace tenon::cpu {

static constexpr int64_t kSegmentCost = 48;  // instructions; four rounds of the loop are in sight
static constexpr int64_t kCheap = 2;         // computed again rather than kept

namespace {

/// What the roots need at a probe of the vector loop, in the order in which it is computed.
class Sequence {
 public:
  Sequence(DemandGraph& demands, const std::vector<int>& roots, int probe) : demands_(demands), probe_(probe) {
    for (int root : roots) append(root);
    last_use_.assign(order_.size(), 0);
    for (size_t k = 0; k < order_.size(); ++k)
      for (size_t source : sources(order_[k])) last_use_[source] = std::max(last_use_[source], k);
    for (int root : roots)
      for (size_t source : sources_of(root)) last_use_[source] = order_.size();
  }

  size_t size() const { return order_.size(); }
  int operator[](size_t k) const { return order_[k]; }
  int64_t cost(size_t k) const { return demands_.node(order_[k]).scalar->cost; }
  /// The last place that reads number `k`; size() for the roots.
  size_t last_use(size_t k) const { return last_use_[k]; }

 private:
  void append(int id) {
    std::vector<std::pair<int, size_t>> stack{{id, 0}};
    while (!stack.empty()) {
      auto& [top, next] = stack.back();
      const llvm::SmallVector<int, 4>& operands = demands_.operands(top);
      if (next == 0 && !seen_.insert(top).second) {
        stack.pop_back();
      } else if (next < operands.size()) {
        const int operand = operands[next++];
        if (!seen_.count(operand)) stack.push_back({operand, 0});
      } else {
        finish(top);
        stack.pop_back();
      }
    }
  }

  /// In the sequence are values worth keeping: computed, of each element, from more than a little.
  void finish(int id) {
    const Node& n = demands_.node(id);
    int64_t cost = n.scalar ? n.scalar->cost : 0;
    bool is_kept = false;
    for (int operand : demands_.operands(id)) {
      is_kept |= place_.count(operand) > 0;
      cost += below_.count(operand) ? below_[operand] : 0;
    }
    below_[id] = cost;
    if (n.kind != NodeKind::elementwise || (!is_kept && cost <= kCheap)) return;
    if (demands_.substitute(id, probe_, Index(0)) == id) return;  // the same for all elements
    place_[id] = order_.size();
    order_.push_back(id);
  }

  /// The places that `id` reads, through what is not in the sequence.
  std::set<size_t> sources(int id) {
    std::set<size_t> found;
    for (int operand : demands_.operands(id)) {
      const std::set<size_t>& from = sources_of(operand);
      found.insert(from.begin(), from.end());
    }
    return found;
  }
  const std::set<size_t>& sources_of(int id) {
    if (const auto it = sources_.find(id); it != sources_.end()) return it->second;
    std::set<size_t> found;
    if (const auto it = place_.find(id); it != place_.end()) found = {it->second};
    else if (demands_.substitute(id, probe_, Index(0)) != id) found = sources(id);
    return sources_[id] = std::move(found);
  }

  DemandGraph& demands_;
  const int probe_;
  std::vector<int> order_;
  std::map<int, size_t> place_;
  std::map<int, int64_t> below_;
  std::map<int, std::set<size_t>> sources_;
  std::set<int> seen_;
  std::vector<size_t> last_use_;
};

/// Where segments end: behind about kSegmentCost, where the fewest values are read later.
std::vector<size_t> cut(const Sequence& sequence) {
  int64_t rest = 0;
  for (size_t k = 0; k < sequence.size(); ++k) rest += sequence.cost(k);
  std::vector<size_t> ends;
  std::multiset<size_t> live;  // last uses
  int64_t cost = 0;
  size_t best = 0, fewest = SIZE_MAX;
  for (size_t k = 0; k < sequence.size(); ++k) {
    cost += sequence.cost(k), rest -= sequence.cost(k);
    if (sequence.last_use(k) > k) live.insert(sequence.last_use(k));
    live.erase(live.begin(), live.upper_bound(k));
    if (2 * rest < kSegmentCost) break;
    if (2 * cost >= kSegmentCost && live.size() < fewest) best = k + 1, fewest = live.size();
    if (cost < kSegmentCost) continue;
    ends.push_back(best);
    cost = 0, fewest = SIZE_MAX;
    for (size_t again = best; again <= k; ++again) cost += sequence.cost(again);
  }
  ends.push_back(sequence.size());
  return ends;
}

}  // namespace

bool KernelEmitter::is_long(const Graph& graph, const LoopNest& nest) {
  const auto is_simple = [](const Node& n) { return n.kind != NodeKind::loop && n.kind != NodeKind::call && n.kind != NodeKind::reduce; };
  return nest.vector >= 0 && nest.vector + 1 == static_cast<int>(nest.extents.size()) && nest.tile < 0 && !nest.has_reduction &&
         nest.body_cost > 2 * kSegmentCost && nest.extents[nest.vector] >= 2 * kStrip && std::ranges::all_of(graph.nodes, is_simple);
}

void KernelEmitter::emit_segments(llvm::Value* begin, llvm::Value* end, const Loops& loops) {
  const int64_t extent = nest_.extents[nest_.vector];
  const auto at = [&](const Index& index) {
    Loops inside = loops;
    inside[nest_.vector] = index;
    return nest_.result_index(space_, inside);
  };
  const int probe = space_.add_loop(0, extent - 1);
  const Sequence sequence(demands_, demand_roots(at(IndexSpace::variable(probe))), probe);
  const std::vector<size_t> ends = cut(sequence);

  const int strip = space_.add_loop(0, extent - 1);
  e_.enter({strip, begin, end, kStrip, !llvm::isa<llvm::ConstantInt>(begin) || !llvm::isa<llvm::ConstantInt>(end), false, {}});
  llvm::Value *first, *last;
  {
    // Opaque: LLVM would think about each inner loop in terms of the outer one, for a quarter of the time.
    Emitter::At here(e_, e_.depth());
    first = e_.b.CreateFreeze(e_.state(strip).value);
    last = e_.b.CreateFreeze(binary_intrinsic(e_.b, llvm::Intrinsic::smin, e_.b.CreateAdd(first, e_.i64(kStrip)), end));
  }
  struct Kept {
    size_t number;
    llvm::Value* memory;
  };
  std::vector<Kept> kept;
  std::map<llvm::Type*, std::vector<llvm::Value*>> free;
  const auto type_of = [&](size_t number) { return memory_type(e_.b.getContext(), demands_.node(sequence[number]).dtype); };
  size_t from = 0;
  for (size_t segment_end : ends) {
    const int variable = space_.add_loop(0, extent - 1);
    e_.enter({variable, first, last, lanes_, false, false, {}});
    extent % lanes_ == 0 ? e_.make_vector(variable) : e_.make_vector(variable, end);
    const Index index = IndexSpace::variable(variable);
    const Index in_strip = IndexSpace::variable(e_.counted_from(variable, first));
    const auto here = [&](int id) { return demands_.substitute(id, probe, index); };
    for (const Kept& value : kept) e_.redirect(here(sequence[value.number]), value.memory, in_strip);

    std::vector<Kept> results;
    for (size_t k = from; k < segment_end && segment_end < sequence.size(); ++k) {
      if (sequence.last_use(k) < segment_end) continue;
      std::vector<llvm::Value*>& places = free[type_of(k)];
      if (places.empty()) places.push_back(e_.stack_array(type_of(k), kStrip + lanes_));
      results.push_back({k, places.back()});
      places.pop_back();
      e_.keep(here(sequence[k]), results.back().memory, in_strip);
    }
    if (segment_end == sequence.size()) store_results({at(index)});
    e_.leave();
    kept.insert(kept.end(), results.begin(), results.end());
    std::erase_if(kept, [&](const Kept& value) {
      if (sequence.last_use(value.number) >= segment_end) return false;
      free[type_of(value.number)].push_back(value.memory);
      return true;
    });
    from = segment_end;
  }
  e_.leave();
}

}  // namespace tenon::cpu
