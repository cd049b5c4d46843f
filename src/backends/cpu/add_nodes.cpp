#include "backends/cpu/add_nodes.h"

#include "backends/cpu/scalar_table.h"
#include "base/fail.h"

namespace tenon::cpu {

DType part_type(DType dtype) {
  if (!dtype.is_complex()) return dtype;
  return DType(dtype.bits() == 64 ? DType::kFloat32 : DType::kFloat64);
}

int add_node(Graph& graph, Node n) {
  graph.nodes.push_back(std::move(n));
  return static_cast<int>(graph.nodes.size()) - 1;
}

Node make_node(NodeKind kind, DType dtype, const Dims& shape, std::vector<int> operands) {
  Node n;
  n.kind = kind;
  n.dtype = dtype;
  n.shape = shape;
  n.operands = std::move(operands);
  return n;
}

int add_scalar_node(Graph& graph, ScalarOp op, std::vector<int> operands, DType dtype,
                    const Dims& shape, const ScalarFacts& facts) {
  Node n = make_node(NodeKind::elementwise, dtype, shape, std::move(operands));
  n.scalar = scalar_code(op);
  n.facts = facts;
  if (!n.scalar)
    fail<UnimplementedError>("cpu", "no code for ", name_of(op), " on ", dtype.str(),
                             "; add a row to src/backends/cpu/scalar_table.cpp");
  return add_node(graph, std::move(n));
}

int add_constant(Graph& graph, uint64_t value, DType dtype, const Dims& shape) {
  Node n = make_node(NodeKind::constant, dtype, shape, {});
  for (int k = 0; k < dtype.itemsize(); ++k) n.data.push_back(static_cast<std::byte>(value >> 8 * k));
  n.strides = dense_strides(shape);
  return add_node(graph, std::move(n));
}

}  // namespace tenon::cpu
