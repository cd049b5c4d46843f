// Operations on complex numbers as nodes of real numbers.
#pragma once

#include "backends/cpu/add_nodes.h"
#include "llvm/ADT/ArrayRef.h"

namespace tenon::cpu {

/// Appends the nodes of an elementwise operation of which an operand or the result is complex.
/// Throws UnimplementedError where there is no code.
Parts add_complex_nodes(Graph& graph, ScalarOp op, llvm::ArrayRef<Parts> operands, DType result,
                        const Dims& shape, const ScalarFacts& facts);

}  // namespace tenon::cpu
