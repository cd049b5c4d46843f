// Operations on complex numbers, and on the parts of elements, as nodes of real numbers.
#pragma once

#include "backends/cpu/graph.h"
#include "dialect/scalar_op.h"
#include "llvm/ADT/ArrayRef.h"

namespace tenon::cpu {

/// The node of a real value, or the nodes of a complex one.
struct Parts {
  int re = -1, im = -1;
  bool is_complex() const { return im >= 0; }
};

/// The dtype of a complex number's parts; other dtypes as they are.
DType part_type(DType dtype);

/// Appends an elementwise node to `graph` and gives its number.
int add_scalar_node(Graph& graph, ScalarOp op, std::vector<int> operands, DType dtype,
                    const Dims& shape, const ScalarFacts& facts = {});

/// Appends the nodes of an elementwise operation of which an operand or the result is complex.
/// Throws UnimplementedError where there is no code.
Parts add_complex_nodes(Graph& graph, ScalarOp op, llvm::ArrayRef<Parts> operands, DType result,
                        const Dims& shape, const ScalarFacts& facts);

/// Appends the nodes of bitcast_convert between elements of different size.
int add_bitcast_nodes(Graph& graph, int operand, DType result, const Dims& shape);

}  // namespace tenon::cpu
