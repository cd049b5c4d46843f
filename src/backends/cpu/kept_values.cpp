// Row kernels (softmax): a value that costs much, goes into a reduction of the row and is wanted
// again for each result of the row, is computed once and kept in the cache.
#include <algorithm>
#include <map>
#include <set>

#include "backends/cpu/kernel_emitter.h"
#include "backends/cpu/reduction.h"
#include "backends/cpu/scalar_table.h"

namespace tenon::cpu {

static constexpr int kWorthKeeping = 8;          // instructions; a store and a load are 2
static constexpr int64_t kKeptBytes = 64 << 10;  // of stack, for all of a kernel

void KernelEmitter::keep_row_values(const std::vector<int>& wanted, const Loops& loops) {
  const Index& j = loops[nest_.vector];
  if (j.terms.size() != 1 || j.constant != 0) return;
  const std::vector<int> all = demands_.below(wanted);
  int64_t kept_bytes = 0;
  for (int reduction : all) {
    const Node& n = demands_.node(reduction);
    if (n.kind != NodeKind::reduce || n.combiner == Combiner::general || n.dims.size() != 1)
      continue;
    const ReductionView view(graph_, n);
    const int64_t size = view.order.run;
    if (!view.order.is_row || view.order.runs != 1 || size <= math::kLanes ||
        size != nest_.extents[nest_.vector])
      continue;
    if (e_.dependence(reduction).vector != -1) continue;
    const int probe = e_.probes(reduction)[0];
    std::set<int> covered;  // operands of what is kept
    for (int inner : demands_.below(e_.inside(reduction))) {
      const Node& value = demands_.node(inner);
      if (value.kind != NodeKind::elementwise || covered.count(inner)) continue;
      int64_t cost = 0;
      const std::vector<int> parts = demands_.below({inner});
      for (int part : parts)
        cost += demands_.node(part).scalar ? demands_.node(part).scalar->cost : 0;
      const int here = demands_.substitute(inner, probe, j);
      if (cost < kWorthKeeping || std::ranges::find(all, here) == all.end()) continue;
      const int64_t bytes = (size + math::kLanes) * value.dtype.itemsize();
      auto known = std::ranges::find_if(e_.kept_values, [&](const Emitter::KeptValue& k) {
        return demands_[k.demand].node == demands_[inner].node &&
               demands_.substitute(k.demand, k.probe, j) == here;
      });
      if (known == e_.kept_values.end()) {
        if (kept_bytes + bytes > kKeptBytes) continue;
        kept_bytes += bytes;
        llvm::Value* memory =
            e_.stack_array(memory_type(e_.b.getContext(), value.dtype), size + math::kLanes);
        e_.kept_values.push_back({reduction, inner, probe, memory});
        known = std::prev(e_.kept_values.end());
      }
      covered.insert(parts.begin(), parts.end());
    }
  }
  // The reductions store them; then they are there for the results.
  for (size_t k = 0; k < e_.kept_values.size(); ++k) {
    e_.get(e_.kept_values[k].owner);
    const Emitter::KeptValue& kept = e_.kept_values[k];
    const int here = demands_.substitute(kept.demand, kept.probe, j);
    if (kept.is_stored && !(tail_ && tail_->is_uniform(e_, here, j.terms[0].variable))) e_.redirect(here, kept.memory, j);
  }
}

// A unit is a row where the vector loop runs along it, and is not cut.
std::vector<int> KernelEmitter::take_row_results(const std::vector<int>& roots) {
  int64_t rows = 1;
  for (int loop = 0; loop < nest_.vector; ++loop) rows *= nest_.extents[loop];
  const bool has_rows = nest_.vector > 0 && nest_.vector + 1 == static_cast<int>(nest_.extents.size()) &&
                        nest_.has_row_reduction && !nest_.has_column_reduction && nest_.tile < 0 &&
                        nest_.row_loops.count(nest_.vector) == 0;
  std::vector<int> others;
  for (int root : roots) {
    const Node& n = graph_.nodes[graph_.roots[root]];
    const bool is_reduced = n.kind == NodeKind::reduce || n.kind == NodeKind::result;
    (has_rows && is_reduced && element_count(n.shape) == rows ? row_results_ : others).push_back(root);
  }
  return others;
}

void KernelEmitter::store_row_results(const Loops& loops) {
  Index row(0);
  for (int loop : outer_) row = space_.add(space_.multiply(row, nest_.extents[loop]), loops[loop]);
  for (int root : row_results_) {
    const Node& n = graph_.nodes[graph_.roots[root]];
    Indices at(n.shape.size());
    Index rest = row;
    for (size_t d = at.size(); d-- > 0;) {
      at[d] = d == 0 ? rest : space_.remainder(rest, n.shape[d]);
      if (d != 0) rest = space_.quotient(rest, n.shape[d]);
    }
    const Value value = e_.get(demands_.demand(graph_.roots[root], at));
    e_.store(e_.load_pointer(graph_.parameters + graph_.root_results[root]), n.dtype, demands_.root_offset(root, at), value, false);
  }
}

// `id` is the reduction that owns the value: stores what it has just computed.
void Reduction::keep_values(int id, const Index& at_run) {
  for (Emitter::KeptValue& kept : e_.kept_values) {
    if (kept.owner != id) continue;
    const int here = e_.demands.substitute(kept.demand, kept.probe, at_run);
    e_.keep(here, kept.memory, at_run);
    kept.is_stored = true;
  }
}

void Reduction::use_kept_values(int id, const Index& at_run, const MaskedTail* tail) {
  for (const Emitter::KeptValue& kept : e_.kept_values) {
    if (kept.owner == id || !kept.is_stored) continue;
    const int here = e_.demands.substitute(kept.demand, kept.probe, at_run);
    if (!tail || !tail->is_uniform(e_, here, at_run.terms[0].variable)) e_.redirect(here, kept.memory, at_run);
  }
}

}  // namespace tenon::cpu
