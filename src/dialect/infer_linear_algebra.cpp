// Checks and result types of contractions, factorizations, transforms and batch normalization.
#include "dialect/infer.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/Builders.h"

namespace tenon::stablehlo {

// The result's element type may differ from the operands' (preferred type), but not in kind.
static LogicalResult check_result_element(const Check& check, RankedTensorType lhs, RankedTensorType result) {
  const auto kind = [](RankedTensorType type) {
    Type element = type.getElementType();
    if (const auto quant = llvm::dyn_cast<mlir::quant::QuantizedType>(element)) element = quant.getExpressedType();
    const unsigned bits = detail::kind_of(element);
    // Products of integers and bools may be counted in floats and the other way round.
    return bits & (detail::kSInt | detail::kUInt | detail::kPred | detail::kFloat) ? 1u : bits;
  };
  if (kind(lhs) == kind(result)) return success();
  return check.error("result's element type does not fit the operands; got ", lhs, " -> ", result);
}
static LogicalResult check_precision(const Check& check, std::optional<mlir::ArrayAttr> precision) {
  if (!precision || precision->empty() || precision->size() == 2) return success();
  return check.error("precision must have one entry for each operand; got ", *precision);
}

LogicalResult DotOp::verify() {
  const Check check = Check::of(*this);
  const RankedTensorType l = getLhs().getType(), r = getRhs().getType();
  if (l.getRank() < 1 || l.getRank() > 2 || r.getRank() < 1 || r.getRank() > 2 ||
      !same_size(l.getShape().back(), r.getShape().front())) {
    return check.error("operands must be vectors or matrices with one contracted size; got ", l, " and ", r);
  }
  Dims shape(l.getShape().drop_back());
  llvm::append_range(shape, r.getShape().drop_front());
  if (!detail::are_compatible_shapes(shape, getType().getShape())) {
    return check.error("result must have shape ", Print{shape}, "; got ", getType());
  }
  return failure(check_result_element(check, l, getType()).failed() ||
                 check_precision(check, getPrecisionConfig()).failed());
}

LogicalResult DotGeneralOp::verify() {
  const Check check = Check::of(*this);
  const RankedTensorType l = getLhs().getType(), r = getRhs().getType();
  const DotDimensionNumbersAttr n = getDotDimensionNumbers();
  const Dims lhs_dims = llvm::to_vector(llvm::concat<const int64_t>(n.getLhsBatchingDimensions(), n.getLhsContractingDimensions()));
  const Dims rhs_dims = llvm::to_vector(llvm::concat<const int64_t>(n.getRhsBatchingDimensions(), n.getRhsContractingDimensions()));
  if (check.axes("lhs dimensions", lhs_dims, l.getRank()).failed() ||
      check.axes("rhs dimensions", rhs_dims, r.getRank()).failed()) {
    return failure();
  }
  const auto pair = [&](llvm::StringRef what, DimsRef a, DimsRef b) -> LogicalResult {
    if (a.size() != b.size()) {
      return check.error("lhs and rhs must have as many ", what, " dimensions; got ", Print{a}, " and ", Print{b});
    }
    for (auto [i, j] : llvm::zip_equal(a, b)) {
      if (!same_size(l.getDimSize(i), r.getDimSize(j))) {
        return check.error(what, " sizes differ: lhs axis ", i, " is ", l.getDimSize(i), ", rhs axis ", j, " is ",
                           r.getDimSize(j), "; got ", l, " and ", r);
      }
    }
    return success();
  };
  if (pair("batching", n.getLhsBatchingDimensions(), n.getRhsBatchingDimensions()).failed() ||
      pair("contracting", n.getLhsContractingDimensions(), n.getRhsContractingDimensions()).failed()) {
    return failure();
  }
  Dims shape;
  for (const int64_t dim : n.getLhsBatchingDimensions()) shape.push_back(l.getDimSize(dim));
  for (int64_t i = 0; i < l.getRank(); ++i) {
    if (!llvm::is_contained(lhs_dims, i)) shape.push_back(l.getDimSize(i));
  }
  for (int64_t i = 0; i < r.getRank(); ++i) {
    if (!llvm::is_contained(rhs_dims, i)) shape.push_back(r.getDimSize(i));
  }
  if (!detail::are_compatible_shapes(shape, getType().getShape())) {
    return check.error("result must have shape ", Print{shape}, "; got ", getType());
  }
  if (const auto algorithm = getAlgorithm()) {
    if (algorithm->getLhsComponentCount() < 1 || algorithm->getRhsComponentCount() < 1 ||
        algorithm->getNumPrimitiveOperations() < 1) {
      return check.error("algorithm's counts must be positive; got ", *algorithm);
    }
  }
  return failure(check_result_element(check, l, getType()).failed() ||
                 check_precision(check, getPrecisionConfig()).failed());
}

// What both convolutions have in common; `padding` is null where it is known only at run time.
template <class Op>
static LogicalResult check_convolution(Op op, mlir::DenseIntElementsAttr padding, bool dynamic_padding) {
  const Check check = Check::of(op);
  const RankedTensorType l = op.getLhs().getType(), r = op.getRhs().getType(), to = op.getType();
  const ConvDimensionNumbersAttr n = op.getDimensionNumbers();
  const int64_t rank = l.getRank();
  if (r.getRank() != rank || to.getRank() != rank) {
    return check.error("operands and result must have one rank; got ", l, ", ", r, " -> ", to);
  }
  const auto side = [&](llvm::StringRef what, int64_t batch, int64_t feature, DimsRef spatial) -> LogicalResult {
    Dims dims{batch, feature};
    llvm::append_range(dims, spatial);
    if (check.length(what, dims, rank).failed()) return failure();
    return check.axes(what, dims, rank);
  };
  if (side("input dimensions", n.getInputBatchDimension(), n.getInputFeatureDimension(), n.getInputSpatialDimensions()).failed() ||
      side("kernel dimensions", n.getKernelInputFeatureDimension(), n.getKernelOutputFeatureDimension(),
           n.getKernelSpatialDimensions()).failed() ||
      side("output dimensions", n.getOutputBatchDimension(), n.getOutputFeatureDimension(),
           n.getOutputSpatialDimensions()).failed()) {
    return failure();
  }
  const int64_t feature_groups = static_cast<int64_t>(op.getFeatureGroupCount());
  const int64_t batch_groups = static_cast<int64_t>(op.getBatchGroupCount());
  if (feature_groups < 1 || batch_groups < 1 || (feature_groups > 1 && batch_groups > 1)) {
    return check.error("group counts must be positive, and at most one larger than 1; got ", feature_groups, " and ",
                       batch_groups);
  }
  const int64_t batch = l.getDimSize(n.getInputBatchDimension()), features = l.getDimSize(n.getInputFeatureDimension());
  const int64_t kernel_in = r.getDimSize(n.getKernelInputFeatureDimension());
  const int64_t kernel_out = r.getDimSize(n.getKernelOutputFeatureDimension());
  const auto divides = [](int64_t part, int64_t whole) { return dynamic(whole) || whole % part == 0; };
  if (!divides(batch_groups, batch) || !divides(feature_groups, features) || !divides(feature_groups, kernel_out) ||
      !divides(batch_groups, kernel_out) ||
      (!dynamic(features) && !dynamic(kernel_in) && features / feature_groups != kernel_in)) {
    return check.error("features and groups do not fit; got ", l, " and ", r, " with ", feature_groups,
                       " feature groups and ", batch_groups, " batch groups");
  }
  Dims window_size, base;
  for (const int64_t dim : n.getKernelSpatialDimensions()) window_size.push_back(r.getDimSize(dim));
  for (const int64_t dim : n.getInputSpatialDimensions()) base.push_back(l.getDimSize(dim));
  Dims spatial(base.size(), ShapedType::kDynamic);
  const auto unknown = [](int64_t size) { return dynamic(size) || size == 0; };  // or an empty kernel
  if (!dynamic_padding && llvm::none_of(window_size, unknown)) {
    Window window;
    if (make_window(check, window_size, or_empty(op.getWindowStrides()), padding, or_empty(op.getLhsDilation()),
                    or_empty(op.getRhsDilation()), window).failed()) {
      return failure();
    }
    if (op.getWindowReversal() && op.getWindowReversal()->size() != window_size.size()) {
      return check.error("window_reversal must have ", window_size.size(), " entries; got ",
                         op.getWindowReversal()->size());
    }
    spatial.clear();
    if (window_shape(check, base, window, spatial).failed()) return failure();
  }
  Dims shape(rank, ShapedType::kDynamic);
  shape[n.getOutputBatchDimension()] = dynamic(batch) ? batch : batch / batch_groups;
  shape[n.getOutputFeatureDimension()] = kernel_out;
  for (auto [i, dim] : llvm::enumerate(n.getOutputSpatialDimensions())) shape[dim] = spatial[i];
  if (!detail::are_compatible_shapes(shape, to.getShape())) {
    return check.error("result must have shape ", Print{shape}, "; got ", to);
  }
  return failure(check_result_element(check, l, to).failed() || check_precision(check, op.getPrecisionConfig()).failed());
}
LogicalResult ConvolutionOp::verify() { return check_convolution(*this, getPaddingAttr(), false); }
LogicalResult DynamicConvOp::verify() { return check_convolution(*this, {}, true); }

// --------------------------------------------------------------------------------------- factorizations
LogicalResult CholeskyOp::verify() {
  const RankedTensorType type = getA().getType();
  const Check check = Check::of(*this);
  if (type.getRank() < 2) return check.error("operand must be a matrix or a batch of them; got ", type);
  const DimsRef last = type.getShape().take_back(2);
  return same_size(last[0], last[1]) ? success() : check.error("matrices must be square; got ", type);
}

LogicalResult TriangularSolveOp::infer(MaybeLocation location, Adaptor op, Types& results) {
  const Check check(location, getOperationName());
  const auto a = tensor(op.getA()), b = tensor(op.getB());
  if (!detail::are_compatible_elements(a.getElementType(), b.getElementType())) {
    return check.error("operands must have one element type; got ", a, " and ", b);
  }
  if (a.getRank() < 2 || a.getRank() != b.getRank()) {
    return check.error("operands must be matrices, or batches of them, of one rank; got ", a, " and ", b);
  }
  const DimsRef last_a = a.getShape().take_back(2), last_b = b.getShape().take_back(2);
  if (!same_size(last_a[0], last_a[1])) return check.error("a must hold square matrices; got ", a);
  if (!same_size(last_a[0], last_b[op.getLeftSide() ? 0 : 1]) ||
      !detail::are_compatible_shapes(a.getShape().drop_back(2), b.getShape().drop_back(2))) {
    return check.error("sizes of a and b do not fit; got ", a, " and ", b);
  }
  if (op.getTransposeA() == Transpose::TRANSPOSE_INVALID) return check.error("transpose_a must be a valid one");
  results.push_back(b);
  return success();
}

LogicalResult FftOp::infer(MaybeLocation location, Adaptor op, Types& results) {
  const Check check(location, getOperationName());
  const auto type = tensor(op.getOperand());
  const DimsRef length = op.getFftLength();
  const FftType how = op.getFftType();
  const bool real_in = how == FftType::RFFT, real_out = how == FftType::IRFFT;
  if (length.empty() || length.size() > 3 || static_cast<int64_t>(length.size()) > type.getRank()) {
    return check.error("fft_length must name 1 to 3 of the last axes; got ", Print{length}, " for ", type);
  }
  if (real_in == detail::is_tensor_of(type, detail::kComplex)) {
    return check.error(stringifyFftType(how), " takes ", real_in ? "floats" : "complex values", "; got ", type);
  }
  if (real_in && !type.getElementType().isF32() && !type.getElementType().isF64()) {
    return check.error("RFFT takes 32- or 64-bit floats; got ", type);
  }
  Dims shape(type.getShape());
  const size_t first = shape.size() - length.size();
  for (size_t i = 0; i < length.size(); ++i) {
    const bool last = i + 1 == length.size();
    const int64_t expected = real_out && last ? length[i] / 2 + 1 : length[i];
    const bool fits = same_size(shape[first + i], expected) || (length[i] == 0 && same_size(shape[first + i], 0));
    if (length[i] < 0 || !fits) {
      return check.error("fft_length does not fit the operand; got ", Print{length}, " for ", type);
    }
  }
  Type element = type.getElementType();
  if (real_in) {
    if (length.back() != 0) shape.back() = length.back() / 2 + 1;
    element = mlir::ComplexType::get(element);
  } else if (real_out) {
    shape.back() = length.back();
    element = llvm::cast<mlir::ComplexType>(element).getElementType();
  }
  results.push_back(make_tensor(shape, element));
  return success();
}

// -------------------------------------------------------------------------------- batch normalization
static LogicalResult check_batch_norm(const Check& check, mlir::Value operand, int64_t feature, mlir::ValueRange vectors,
                                      RankedTensorType& vector) {
  const auto type = tensor(operand);
  if (check.axis("feature_index", feature, type.getRank()).failed()) return failure();
  vector = make_tensor(type.getDimSize(feature), type.getElementType());
  for (const mlir::Value v : vectors) {
    if (!detail::are_compatible(v.getType(), vector)) {
      return check.error("scale, offset, mean and variance must be ", vector, "; got ", v.getType());
    }
  }
  return success();
}
LogicalResult BatchNormGradOp::infer(MaybeLocation location, Adaptor op, Types& results) {
  const Check check(location, getOperationName());
  RankedTensorType vector;
  if (check_batch_norm(check, op.getOperand(), static_cast<int64_t>(op.getFeatureIndex()),
                       {op.getScale(), op.getMean(), op.getVariance()}, vector).failed()) {
    return failure();
  }
  if (!detail::are_compatible(op.getOperand().getType(), op.getGradOutput().getType())) {
    return check.error("grad_output must have the operand's type; got ", op.getGradOutput().getType());
  }
  results.assign({op.getOperand().getType(), vector, vector});
  return success();
}
LogicalResult BatchNormInferenceOp::infer(MaybeLocation location, Adaptor op, Types& results) {
  RankedTensorType vector;
  results.push_back(op.getOperand().getType());
  return check_batch_norm({location, getOperationName()}, op.getOperand(), static_cast<int64_t>(op.getFeatureIndex()),
                          {op.getScale(), op.getOffset(), op.getMean(), op.getVariance()}, vector);
}
LogicalResult BatchNormTrainingOp::infer(MaybeLocation location, Adaptor op, Types& results) {
  RankedTensorType vector;
  if (check_batch_norm({location, getOperationName()}, op.getOperand(), static_cast<int64_t>(op.getFeatureIndex()),
                       {op.getScale(), op.getOffset()}, vector).failed()) {
    return failure();
  }
  results.assign({op.getOperand().getType(), vector, vector});
  return success();
}

}  // namespace tenon::stablehlo
