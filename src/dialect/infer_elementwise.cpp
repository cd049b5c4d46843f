// Result types of elementwise operations that are not simply the operands' type.
#include "dialect/infer.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/Builders.h"

namespace tenon::stablehlo {

// T, or the parts' type of complex<T>.
static Type real_type(Type element) {
  const auto complex = llvm::dyn_cast<mlir::ComplexType>(element);
  return complex ? complex.getElementType() : element;
}
static LogicalResult infer_real(mlir::Value operand, Types& results) {
  const auto type = tensor(operand);
  results.push_back(with_element(type, real_type(type.getElementType())));
  return success();
}
static LogicalResult infer_pred(mlir::Value operand, Types& results) {
  const auto type = tensor(operand);
  results.push_back(with_element(type, mlir::IntegerType::get(type.getContext(), 1)));
  return success();
}

LogicalResult AbsOp::infer(MaybeLocation, Adaptor op, Types& results) { return infer_real(op.getOperand(), results); }
LogicalResult RealOp::infer(MaybeLocation, Adaptor op, Types& results) { return infer_real(op.getOperand(), results); }
LogicalResult ImagOp::infer(MaybeLocation, Adaptor op, Types& results) { return infer_real(op.getOperand(), results); }
LogicalResult IsFiniteOp::infer(MaybeLocation, Adaptor op, Types& results) { return infer_pred(op.getX(), results); }

LogicalResult ComplexOp::infer(MaybeLocation location, Adaptor op, Types& results) {
  if (detail::infer_same_type(getOperationName(), location, op.getOperands(), results).failed()) return failure();
  const auto part = tensor(results.back());
  results.back() = with_element(part, mlir::ComplexType::get(part.getElementType()));
  return success();
}

LogicalResult CompareOp::infer(MaybeLocation location, Adaptor op, Types& results) {
  const Check check(location, getOperationName());
  llvm::SmallVector<Type, 1> joined;
  if (detail::infer_same_type(getOperationName(), location, op.getOperands(), joined).failed()) return failure();
  const auto type = tensor(joined.front());
  if (const std::optional<ComparisonType> how = op.getCompareType(); how && *how != ComparisonType::NOTYPE) {
    unsigned kinds = 0;
    switch (*how) {
      case ComparisonType::FLOAT: kinds = detail::kFloat | detail::kComplex | detail::kQuant; break;
      case ComparisonType::TOTALORDER: kinds = detail::kFloat | detail::kQuant; break;
      case ComparisonType::SIGNED: kinds = detail::kSInt | detail::kQuant; break;
      case ComparisonType::UNSIGNED: kinds = detail::kUInt | detail::kPred | detail::kQuant; break;
      case ComparisonType::NOTYPE: break;
    }
    if (!detail::is_tensor_of(type, kinds)) {
      return check.error("comparison type ", stringifyComparisonType(*how), " does not fit ", type);
    }
  }
  const ComparisonDirection direction = op.getComparisonDirection();
  if (detail::is_tensor_of(type, detail::kComplex) && direction != ComparisonDirection::EQ &&
      direction != ComparisonDirection::NE) {
    return check.error("complex values have no order: direction must be EQ or NE; got ",
                       stringifyComparisonDirection(direction));
  }
  results.push_back(with_element(type, mlir::IntegerType::get(type.getContext(), 1)));
  return success();
}

LogicalResult SelectOp::infer(MaybeLocation location, Adaptor op, Types& results) {
  const mlir::Value branches[] = {op.getOnTrue(), op.getOnFalse()};
  if (detail::infer_same_type(getOperationName(), location, branches, results).failed()) return failure();
  const auto pred = tensor(op.getPred());
  if (pred.getRank() != 0 && !detail::are_compatible_shapes(pred.getShape(), tensor(results.back()).getShape())) {
    return Check(location, getOperationName())
        .error("predicate must be a scalar or have the operands' shape; got ", pred, " and ", results.back());
  }
  return success();
}

LogicalResult ClampOp::infer(MaybeLocation location, Adaptor op, Types& results) {
  const auto type = tensor(op.getOperand());
  for (const mlir::Value bound : {op.getMin(), op.getMax()}) {
    const auto got = tensor(bound);
    const bool fits = detail::are_compatible_elements(got.getElementType(), type.getElementType()) &&
                      (got.getRank() == 0 || detail::are_compatible_shapes(got.getShape(), type.getShape()));
    if (!fits) {
      return Check(location, getOperationName())
          .error("bounds must be scalars or have the operand's shape, and its element type; got ", got, " for ", type);
    }
  }
  results.push_back(type);
  return success();
}

LogicalResult ReducePrecisionOp::verify() {
  if (getExponentBits() < 1 || getExponentBits() > 63) {
    return emitOpError("exponent_bits must be 1 to 63; got ") << getExponentBits();
  }
  if (getMantissaBits() > 63) return emitOpError("mantissa_bits must be 0 to 63; got ") << getMantissaBits();
  return success();
}

LogicalResult UniformDequantizeOp::infer(MaybeLocation, Adaptor op, Types& results) {
  const auto type = tensor(op.getOperand());
  results.push_back(with_element(type, llvm::cast<mlir::quant::QuantizedType>(type.getElementType()).getExpressedType()));
  return success();
}

namespace trait {
LogicalResult verify_same_shape(mlir::Operation* op) {
  const auto from = tensor(op->getOperand(0));
  const auto to = tensor(op->getResult(0));
  if (detail::are_compatible_shapes(from.getShape(), to.getShape())) return success();
  return op->emitOpError("must keep the shape; got ") << from << " -> " << to;
}
}  // namespace trait

}  // namespace tenon::stablehlo
