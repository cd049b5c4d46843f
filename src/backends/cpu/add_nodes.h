// Nodes at the end of a graph, and the parts of complex values.
#pragma once

#include "backends/cpu/graph.h"
#include "dialect/scalar_op.h"

namespace tenon::cpu {

/// The node of a real value, or the nodes of a complex one.
struct Parts {
  int re = -1, im = -1;
  bool is_complex() const { return im >= 0; }
};

/// The dtype of a complex number's parts; other dtypes as they are.
DType part_type(DType dtype);

Node make_node(NodeKind kind, DType dtype, const Dims& shape, std::vector<int> operands);

/// These append a node to `graph` and give its number.
int add_node(Graph& graph, Node n);
int add_scalar_node(Graph& graph, ScalarOp op, std::vector<int> operands, DType dtype,
                    const Dims& shape, const ScalarFacts& facts = {});
/// The same integer (or, of a float, zero) everywhere.
int add_constant(Graph& graph, uint64_t value, DType dtype, const Dims& shape);

}  // namespace tenon::cpu
