#include "backends/cpu/kernel.h"

#include <algorithm>
#include <map>

#include "backends/cpu/kernel_emitter.h"
#include "backends/cpu/scalar_table.h"
#include "llvm/IR/Function.h"

namespace tenon::cpu {

// Bytes of a lane: of the widest numbers, so that no value takes two registers; a little work with
// wider ones (the counters of random bits) does not count. Accumulators do.
static int lane_bytes(const Graph& graph) {
  int64_t wide = 0, all = 0;
  for (const Node& n : graph.nodes) {
    if (n.kind == NodeKind::iota || n.kind == NodeKind::constant) continue;
    const bool is_wide = n.dtype.itemsize() >= 8;
    if (is_wide && n.kind != NodeKind::elementwise && n.kind != NodeKind::index_map) return 8;
    const int64_t cost = n.scalar ? n.scalar->cost : 0;
    all += cost;
    if (is_wide) wide += cost;
  }
  return 8 * wide > all ? 8 : 4;
}

Kernel emit_kernel(llvm::Module& module, const Graph& graph, const Target& target) {
  const int lanes = target.vector_bits / 8 / lane_bytes(graph);
  // Results of one shape share their loops.
  std::map<Dims, std::vector<int>> groups;
  std::vector<Dims> order;
  for (size_t r = 0; r < graph.roots.size(); ++r) {
    const Dims& shape = graph.nodes[graph.roots[r]].shape;
    if (groups[shape].empty()) order.push_back(shape);
    groups[shape].push_back(static_cast<int>(r));
  }
  Kernel kernel{graph.name, {}};
  // Another kernel may be called name.1.
  const auto symbol = [&] {
    return kernel.functions.empty() ? graph.name
                                    : graph.name + "$" + std::to_string(kernel.functions.size());
  };
  std::ranges::stable_sort(order, std::greater(), element_count);
  for (const Dims& shape : order) {
    if (groups[shape].empty()) continue;
    if (graph.roots.size() == 1 && element_count(shape) == 1) {
      KernelEmitter chunks(module, graph, groups[shape], target, lanes, symbol());
      kernel.scratch_bytes = chunks.emit_chunks();
      if (kernel.scratch_bytes > 0)
        kernel.functions.push_back(chunks.result());
      else
        chunks.function()->eraseFromParent();
    }
    KernelEmitter emitter(module, graph, groups[shape], target, lanes, symbol());
    if (kernel.scratch_bytes > 0) emitter.use_chunks();
    for (const Dims& other : order) {
      if (other != shape && element_count(shape) > 0)
        groups[other] = emitter.take_row_results(groups[other]);
    }
    kernel.functions.push_back(emitter.emit());
  }
  return kernel;
}

}  // namespace tenon::cpu
