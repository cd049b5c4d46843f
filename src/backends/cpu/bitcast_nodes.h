// bitcast_convert between elements of different sizes or numbers of parts.
#pragma once

#include "backends/cpu/add_nodes.h"

namespace tenon::cpu {

/// Appends the nodes of a bitcast_convert of `operand` to a value of this shape: of numbers, complex numbers and bools
/// (a bit each). The side with the smaller elements has one more dimension, its last one.
Parts add_bitcast_nodes(Graph& graph, Parts operand, DType result, const Dims& shape);

}  // namespace tenon::cpu
