// tenon.fusion in, Graph out: the only file that knows how the dialects spell what a kernel does.
#pragma once

#include "backends/cpu/graph.h"

namespace mlir {
class Block;
class ElementsAttr;
class Operation;
class Type;
}  // namespace mlir

namespace tenon::cpu {

/// The graph of a fusion's block: its arguments are parameters, its terminator's operands roots.
Graph read_fusion(mlir::Block& body, std::string name);

/// A dot_general in canonical form. Throws CompileError for another, UnimplementedError for operands
/// of two types.
GemmStep read_gemm(mlir::Operation* dot);

/// Elements in memory form; one element for a splat when `keep_splat`.
std::vector<std::byte> constant_bytes(mlir::ElementsAttr value, bool keep_splat);
/// Strides in elements of an array of this type; row-major unless it has a layout.
Dims strides_of(mlir::Type type);

}  // namespace tenon::cpu
