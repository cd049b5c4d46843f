// From one operation to its kernel.
#pragma once

#include <functional>
#include <memory>

#include "dialect/interfaces.h"
#include "evaluator/kernels.h"
#include "mlir/IR/Operation.h"

namespace tenon::evaluator {

/// Shape and dtype of a value; of a token: no elements.
Aval value_aval(mlir::Value value);
Avals value_avals(mlir::ValueRange values);

/// The elements of a constant; bools as bytes. A splat gives one element.
struct ConstantData {
  std::shared_ptr<const void> data;
  bool is_splat;
};
ConstantData constant_data(mlir::ElementsAttr attribute);

/// A region as a program on its block arguments, which captures nothing.
using PrepareRegion = std::function<ProgramRef(mlir::Region&)>;

/// The kernel of an operation whose operands and results are the kernel's. Throws UnimplementedError.
KernelRef make_kernel(mlir::Operation* op, const PrepareRegion& prepare_region);

/// The kernel of an elementwise operation on arrays of these shapes.
KernelRef make_scalar_kernel(ElementwiseOpInterface op, const Avals& operands, const Aval& result);

/// Whether result i is operand i, byte by byte (reshape, bitcast_convert, optimization_barrier, copy).
bool renames_bytes(mlir::Operation* op);

}  // namespace tenon::evaluator
