// Values whose elements are all the same number, known without computing anything: a splat constant, seen
// through broadcasts and reshapes. They stay a scalar and a broadcast, whatever their size.
#pragma once

#include <optional>

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace tenon::passes {

/// The element (FloatAttr, IntegerAttr; ArrayAttr of two for complex), or null when `value` is no splat.
mlir::Attribute splat_of(mlir::Value value);

std::optional<llvm::APFloat> float_splat(mlir::Value value);
std::optional<llvm::APInt> integer_splat(mlir::Value value);

/// All elements are 1 (float or integer; true for bool).
bool is_one(mlir::Value value);
/// All elements are +0.0 or the integer 0.
bool is_positive_zero(mlir::Value value);
/// All elements are -0.0.
bool is_negative_zero(mlir::Value value);
/// All bits of an integer are set; true for bool.
bool is_all_ones(mlir::Value value);

inline mlir::RankedTensorType tensor_type(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType());
}

/// A scalar constant and, for a shape with axes, its broadcast.
mlir::Value make_splat(mlir::OpBuilder& builder, mlir::Location location, mlir::RankedTensorType type,
                       mlir::Attribute element);
mlir::Value make_integer_splat(mlir::OpBuilder& builder, mlir::Location location,
                               mlir::RankedTensorType type, int64_t number);

}  // namespace tenon::passes
