// Large arrays that a program captured: constants whose elements stay in the user's memory, so that what compiling
// costs does not grow with them. In MLIR a resource of the module's context, "captured_3"; as text a dense constant.
#pragma once

#include <memory>
#include <optional>

#include "llvm/ADT/ArrayRef.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir {
class AsmPrinter;
}

namespace tenon {

/// A value of `type` whose elements, row-major, a byte or more each, are what `elements` points to; the context holds it.
/// `number`: of the array in its context.
mlir::ElementsAttr captured_array(mlir::RankedTensorType type, std::shared_ptr<const void> elements, size_t number);

/// The elements of a value that is a resource; none for other values, and for a resource which is not there or is not of its type's size.
std::optional<llvm::ArrayRef<char>> captured_bytes(mlir::ElementsAttr value);

/// `value` as if it were dense, when it is a resource; else as it is.
void print_elements(mlir::AsmPrinter& printer, mlir::ElementsAttr value);

}  // namespace tenon
