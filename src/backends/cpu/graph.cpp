#include "backends/cpu/graph.h"

#include <sstream>

#include "backends/cpu/scalar_table.h"

namespace tenon::cpu {

Dims dense_strides(const Dims& shape) {
  Dims strides(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * shape[d];
  return strides;
}

static const char* name_of(NodeKind kind) {
  static constexpr const char* kNames[] = {
      "parameter", "constant", "iota",          "elementwise",          "call",   "index_map", "concatenate",
      "pad",       "gather",   "dynamic_slice", "dynamic_update_slice", "reduce", "result",    "loop"};
  return kNames[static_cast<int>(kind)];
}

std::string str(const Graph& graph) {
  std::ostringstream out;
  out << graph.name << '\n';
  for (size_t k = 0; k < graph.nodes.size(); ++k) {
    const Node& n = graph.nodes[k];
    out << "  %" << k << " = " << (n.scalar ? name_of(n.scalar->op) : name_of(n.kind)) << ' '
        << n.dtype.short_str() << '[';
    for (size_t d = 0; d < n.shape.size(); ++d) out << (d ? "," : "") << n.shape[d];
    out << ']';
    for (int operand : n.operands) out << " %" << operand;
    out << '\n';
  }
  out << "  return";
  for (int root : graph.roots) out << " %" << root;
  out << '\n';
  return out.str();
}

}  // namespace tenon::cpu
