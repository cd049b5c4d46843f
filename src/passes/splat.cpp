#include "passes/splat.h"

#include "dialect/stablehlo.h"

namespace tenon::passes {

mlir::Attribute splat_of(mlir::Value value) {
  while (mlir::Operation* op = value.getDefiningOp()) {
    if (auto constant = mlir::dyn_cast<stablehlo::ConstantOp>(op)) {
      auto elements = mlir::dyn_cast<mlir::DenseElementsAttr>(constant.getValue());
      return elements && elements.isSplat() ? elements.getSplatValue<mlir::Attribute>() : nullptr;
    }
    if (!mlir::isa<stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp>(op)) return nullptr;
    value = op->getOperand(0);
  }
  return nullptr;
}

std::optional<llvm::APFloat> float_splat(mlir::Value value) {
  if (!mlir::isa<mlir::FloatType>(tensor_type(value).getElementType())) return std::nullopt;
  if (auto number = mlir::dyn_cast_if_present<mlir::FloatAttr>(splat_of(value))) return number.getValue();
  return std::nullopt;
}

std::optional<llvm::APInt> integer_splat(mlir::Value value) {
  if (!mlir::isa<mlir::IntegerType>(tensor_type(value).getElementType())) return std::nullopt;
  if (auto number = mlir::dyn_cast_if_present<mlir::IntegerAttr>(splat_of(value))) return number.getValue();
  return std::nullopt;
}

bool is_one(mlir::Value value) {
  if (auto number = float_splat(value)) return number->isExactlyValue(1.0);
  auto number = integer_splat(value);
  return number && number->isOne();
}

bool is_positive_zero(mlir::Value value) {
  if (auto number = float_splat(value)) return number->isPosZero();
  auto number = integer_splat(value);
  return number && number->isZero();
}

bool is_negative_zero(mlir::Value value) {
  auto number = float_splat(value);
  return number && number->isNegZero();
}

bool is_all_ones(mlir::Value value) {
  auto number = integer_splat(value);
  return number && number->isAllOnes();
}

mlir::Value make_splat(mlir::OpBuilder& builder, mlir::Location location, mlir::RankedTensorType type,
                       mlir::Attribute element) {
  auto scalar = mlir::RankedTensorType::get({}, type.getElementType());
  auto elements = mlir::DenseElementsAttr::get(scalar, llvm::ArrayRef<mlir::Attribute>(element));
  mlir::Value constant = stablehlo::ConstantOp::create(builder, location, elements);
  if (type.getRank() == 0) return constant;
  return stablehlo::BroadcastInDimOp::create(builder, location, type, constant, llvm::ArrayRef<int64_t>());
}

mlir::Value make_integer_splat(mlir::OpBuilder& builder, mlir::Location location,
                               mlir::RankedTensorType type, int64_t number) {
  auto integer = mlir::cast<mlir::IntegerType>(type.getElementType());
  llvm::APInt bits(integer.getWidth(), static_cast<uint64_t>(number), /*isSigned=*/true, /*implicitTrunc=*/true);
  return make_splat(builder, location, type, mlir::IntegerAttr::get(integer, bits));
}

}  // namespace tenon::passes
