// Types of array programs: between MLIR's and ours, and what the dialects' constraints ask of them.
#pragma once

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeRange.h"
#include "tenon/aval.h"

namespace tenon {

/// The element type of `dtype`: ui8 for uint8, i1 for bool, two ui32 for a key's data are the caller's business.
/// Null for a dtype that no program holds (key, float0).
mlir::Type element_type(DType dtype, mlir::MLIRContext* context);
/// The dtype of an element type; throws UnimplementedError for one that we lack (quantized, f6).
DType dtype_of(mlir::Type element_type);
mlir::RankedTensorType tensor_type(const Aval& aval, mlir::MLIRContext* context);
/// Shape and dtype of a tensor; throws UnimplementedError for dynamic dimensions and for what is no tensor.
Aval aval_of(mlir::Type type);
/// Bits of an element in memory: 8 for i1 and sub-byte types. 0 for what has no size.
int64_t storage_bits(mlir::Type element_type);
/// The tensor type with other elements; keeps shape and encoding.
mlir::RankedTensorType with_element(mlir::RankedTensorType type, mlir::Type element);
/// Bytes of a dense tensor of static shape.
int64_t size_bytes(mlir::RankedTensorType type);

namespace stablehlo::detail {

/// Bits of a set of element kinds; `Kind` in stablehlo_base.td.
enum ElementKind : unsigned {
  kPred = 1, kSInt = 2, kUInt = 4, kFloat = 8, kComplex = 16, kQuant = 32, kIndex = 64,
};
/// The one kind of an element type, 0 for what no StableHLO tensor holds.
unsigned kind_of(mlir::Type element);
bool is_tensor_of(mlir::Type type, unsigned kinds);
/// Ranked tensor, token, future or tuple: what operations pass around.
bool is_value(mlir::Type type);
bool is_tensor_or_token(mlir::Type type);
bool is_i64_matrix(mlir::Attribute attribute);

/// Whether the types agree wherever both are known: dynamic sizes match any, quantization parameters differ freely.
bool are_compatible(mlir::Type l, mlir::Type r);
bool are_compatible(mlir::TypeRange l, mlir::TypeRange r);
bool are_compatible_shapes(llvm::ArrayRef<int64_t> l, llvm::ArrayRef<int64_t> r);
bool are_compatible_elements(mlir::Type l, mlir::Type r);

/// Operands of one type; their sizes joined where only some are known.
llvm::LogicalResult infer_same_type(llvm::StringRef op, std::optional<mlir::Location> location,
                                    mlir::ValueRange operands, llvm::SmallVectorImpl<mlir::Type>& results);

}  // namespace stablehlo::detail
}  // namespace tenon
