// StableHLO: dialect, types, attributes, operations.
#pragma once

#include "dialect/interfaces.h"
#include "dialect/types.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

// The traits that ODS records name; most only bring declarations.
namespace tenon::stablehlo::trait {
template <class Op> struct InferredTypes : mlir::OpTrait::TraitBase<Op, InferredTypes> {};
template <class Op> struct OwnTypes : mlir::OpTrait::TraitBase<Op, OwnTypes> {};
template <class Op> struct SameTypes : mlir::OpTrait::TraitBase<Op, SameTypes> {};
llvm::LogicalResult verify_same_shape(mlir::Operation* op);
llvm::LogicalResult verify_regions(mlir::Operation* op);
template <class Op> struct SameShape : mlir::OpTrait::TraitBase<Op, SameShape> {
  static llvm::LogicalResult verifyTrait(mlir::Operation* op) { return verify_same_shape(op); }
};
/// Regions are one block that ends in stablehlo.return.
template <class Op> struct ReturnsAreChecked : mlir::OpTrait::TraitBase<Op, ReturnsAreChecked> {
  static llvm::LogicalResult verifyRegionTrait(mlir::Operation* op) { return verify_regions(op); }
};
}  // namespace tenon::stablehlo::trait

#include "dialect/stablehlo_enums.h.inc"

#include "dialect/stablehlo_dialect.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialect/stablehlo_types.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialect/stablehlo_attrs.h.inc"

#define GET_OP_CLASSES
#include "dialect/stablehlo_ops.h.inc"
