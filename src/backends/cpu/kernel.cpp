#include "backends/cpu/kernel.h"

#include <algorithm>
#include <map>

#include "backends/cpu/kernel_emitter.h"

namespace tenon::cpu {

Kernel emit_kernel(llvm::Module& module, const Graph& graph, const Target& target) {
  // Lanes by the widest numbers, so that no value takes two registers.
  int width = 4;
  for (const Node& n : graph.nodes) {
    if (n.kind != NodeKind::iota && n.kind != NodeKind::constant) width = std::max(width, n.dtype.itemsize());
  }
  const int lanes = target.vector_bits / 8 / std::min(width, 8);
  // Results of one shape share their loops.
  std::map<Dims, std::vector<int>> groups;
  std::vector<Dims> order;
  for (size_t r = 0; r < graph.roots.size(); ++r) {
    const Dims& shape = graph.nodes[graph.roots[r]].shape;
    if (groups[shape].empty()) order.push_back(shape);
    groups[shape].push_back(static_cast<int>(r));
  }
  Kernel kernel{graph.name, {}};
  for (const Dims& shape : order) {
    const std::string symbol = kernel.functions.empty() ? graph.name : graph.name + "." + std::to_string(kernel.functions.size());
    kernel.functions.push_back(KernelEmitter(module, graph, groups[shape], target, lanes, symbol).emit());
  }
  return kernel;
}

}  // namespace tenon::cpu
