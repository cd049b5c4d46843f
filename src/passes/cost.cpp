#include "passes/cost.h"

#include "dialect/stablehlo.h"
#include "passes/splat.h"

namespace tenon::passes {

int64_t elements_of(mlir::Value value) {
  auto type = mlir::dyn_cast<mlir::RankedTensorType>(value.getType());
  return type && type.hasStaticShape() ? type.getNumElements() : 0;
}

int64_t bytes_of(mlir::Value value) {
  auto type = mlir::dyn_cast<mlir::RankedTensorType>(value.getType());
  return type && type.hasStaticShape() ? size_bytes(type) : 0;
}

bool is_expensive(mlir::Operation* op) {
  if (mlir::isa<ReductionOpInterface>(op)) return true;
  if (auto cost = mlir::dyn_cast<CostOpInterface>(op); cost && cost.transcendentalsPerElement() > 0) return true;
  auto elementwise = mlir::dyn_cast<ElementwiseOpInterface>(op);
  return elementwise && (elementwise.scalarOp() == ScalarOp::kDivide || elementwise.scalarOp() == ScalarOp::kRemainder);
}

bool computes_nothing(mlir::Operation* op) {
  if (mlir::isa<stablehlo::IotaOp>(op)) return true;
  if (op->hasTrait<mlir::OpTrait::ConstantLike>()) return elements_of(op->getResult(0)) == 1;
  auto movement = mlir::dyn_cast<DataMovementOpInterface>(op);
  return movement && movement.indexMap(0).has_value();
}

bool keeps_bytes(mlir::Operation* op) {
  auto movement = mlir::dyn_cast<DataMovementOpInterface>(op);
  return movement && movement.keepsBytes();
}

}  // namespace tenon::passes
