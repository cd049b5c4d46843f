// Compositions of the operations that move elements. Canonical form: a broadcast's operand has no axis of
// size 1 and its dimensions increase; a transpose moves data; what keeps the bytes in order is a reshape; and
// reshapes stand as early as possible, where they are free.
#include <numeric>

#include "dialect/stablehlo.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "mlir/IR/IRMapping.h"
#include "passes/cost.h"
#include "passes/simplify.h"
#include "passes/splat.h"

namespace tenon::passes {
namespace {

using llvm::ArrayRef;
using llvm::SmallVector;
using mlir::Operation;
using mlir::RankedTensorType;
using mlir::RewriterBase;
using mlir::Value;
using Dims = SmallVector<int64_t>;

RankedTensorType with_shape(RankedTensorType type, ArrayRef<int64_t> shape) {
  return RankedTensorType::get(shape, type.getElementType());
}

Value make_reshape(RewriterBase& rewriter, mlir::Location location, Value value, ArrayRef<int64_t> shape) {
  RankedTensorType type = with_shape(tensor_type(value), shape);
  if (type == value.getType()) return value;
  return stablehlo::ReshapeOp::create(rewriter, location, type, value);
}

template <class Op>
Op producer(Value value) {
  return value.getDefiningOp<Op>();
}

bool has_one_use(Value value) { return value.hasOneUse(); }

// ------------------------------------------------------------------------------------------ reshape

bool drop_reshape(Operation* op, RewriterBase& rewriter) {
  auto reshape = mlir::dyn_cast<stablehlo::ReshapeOp>(op);
  if (!reshape || reshape.getOperand().getType() != reshape.getType()) return false;
  rewriter.replaceOp(op, reshape.getOperand());
  return true;
}

bool reshape_of_reshape(Operation* op, RewriterBase& rewriter) {
  auto reshape = mlir::dyn_cast<stablehlo::ReshapeOp>(op);
  if (!reshape) return false;
  auto inner = producer<stablehlo::ReshapeOp>(reshape.getOperand());
  if (!inner) return false;
  rewriter.replaceOpWithNewOp<stablehlo::ReshapeOp>(op, reshape.getType(), inner.getOperand());
  return true;
}

bool reshape_of_constant(Operation* op, RewriterBase& rewriter) {
  auto reshape = mlir::dyn_cast<stablehlo::ReshapeOp>(op);
  if (!reshape) return false;
  auto constant = producer<stablehlo::ConstantOp>(reshape.getOperand());
  if (!constant) return false;
  auto elements = mlir::dyn_cast<mlir::DenseElementsAttr>(constant.getValue());
  if (!elements) return false;
  rewriter.replaceOpWithNewOp<stablehlo::ConstantOp>(op, elements.reshape(tensor_type(reshape)));
  return true;
}

bool reshape_of_splat(Operation* op, RewriterBase& rewriter) {
  auto reshape = mlir::dyn_cast<stablehlo::ReshapeOp>(op);
  if (!reshape) return false;
  auto broadcast = producer<stablehlo::BroadcastInDimOp>(reshape.getOperand());
  if (!broadcast || tensor_type(broadcast.getOperand()).getRank() != 0) return false;
  if (tensor_type(reshape).getRank() == 0) {
    rewriter.replaceOp(op, broadcast.getOperand());
  } else {
    rewriter.replaceOpWithNewOp<stablehlo::BroadcastInDimOp>(op, reshape.getType(), broadcast.getOperand(),
                                                             ArrayRef<int64_t>());
  }
  return true;
}

/// Whether a reshape in front of `value` costs no index arithmetic: it meets a buffer, a splat or more arithmetic.
bool is_free_to_reshape(Value value) {
  Operation* op = value.getDefiningOp();
  if (!op || splat_of(value) || mlir::isa<stablehlo::ReshapeOp>(op)) return true;
  return !mlir::isa<DataMovementOpInterface, stablehlo::IotaOp>(op);
}

/// Elementwise results between two kernels-to-be are reshaped by reshaping their operands, where it is free.
/// A reshape that nothing computes with stays: the buffer of its operand is its result.
bool hoist_reshape(Operation* op, RewriterBase& rewriter) {
  auto reshape = mlir::dyn_cast<stablehlo::ReshapeOp>(op);
  if (!reshape) return false;
  Operation* inner = reshape.getOperand().getDefiningOp();
  if (!inner || !is_elementwise(inner) || inner->getNumResults() != 1 ||
      !has_one_use(inner->getResult(0)) || !llvm::all_of(inner->getOperands(), is_free_to_reshape) ||
      !llvm::any_of(op->getUsers(), [](Operation* user) {
        return mlir::isa<ElementwiseOpInterface, DataMovementOpInterface, ReductionOpInterface>(user);
      })) {
    return false;
  }
  RankedTensorType from = tensor_type(inner->getResult(0)), to = tensor_type(reshape);
  SmallVector<Value> operands;
  for (Value operand : inner->getOperands()) {
    bool scalar = tensor_type(operand).getRank() == 0 && from.getRank() != 0;
    operands.push_back(scalar ? operand : make_reshape(rewriter, op->getLoc(), operand, to.getShape()));
  }
  mlir::OperationState state(inner->getLoc(), inner->getName(), operands, to, inner->getAttrs());
  state.propertiesAttr = inner->getPropertiesAsAttribute();
  rewriter.replaceOp(op, rewriter.create(state));
  return true;
}

// ---------------------------------------------------------------------------------------- broadcast

bool broadcast_to_broadcast_in_dim(Operation* op, RewriterBase& rewriter) {
  auto broadcast = mlir::dyn_cast<stablehlo::BroadcastOp>(op);
  if (!broadcast) return false;
  Dims dims(tensor_type(broadcast.getOperand()).getRank());
  std::iota(dims.begin(), dims.end(), broadcast.getBroadcastSizes().size());
  rewriter.replaceOpWithNewOp<stablehlo::BroadcastInDimOp>(op, broadcast.getType(), broadcast.getOperand(), dims);
  return true;
}

bool broadcast_of_nothing(Operation* op, RewriterBase& rewriter) {
  auto broadcast = mlir::dyn_cast<stablehlo::BroadcastInDimOp>(op);
  if (!broadcast || tensor_type(broadcast.getOperand()).getNumElements() != tensor_type(broadcast).getNumElements() ||
      !llvm::is_sorted(broadcast.getBroadcastDimensions())) {
    return false;
  }
  rewriter.replaceOp(op, make_reshape(rewriter, op->getLoc(), broadcast.getOperand(), tensor_type(broadcast).getShape()));
  return true;
}

bool broadcast_without_unit_axes(Operation* op, RewriterBase& rewriter) {
  auto broadcast = mlir::dyn_cast<stablehlo::BroadcastInDimOp>(op);
  if (!broadcast) return false;
  Dims shape, dims;
  for (auto [size, dim] : llvm::zip(tensor_type(broadcast.getOperand()).getShape(), broadcast.getBroadcastDimensions())) {
    if (size == 1) continue;
    shape.push_back(size);
    dims.push_back(dim);
  }
  if (dims.size() == broadcast.getBroadcastDimensions().size()) return false;
  Value operand = make_reshape(rewriter, op->getLoc(), broadcast.getOperand(), shape);
  rewriter.replaceOpWithNewOp<stablehlo::BroadcastInDimOp>(op, broadcast.getType(), operand, dims);
  return true;
}

bool broadcast_of_broadcast(Operation* op, RewriterBase& rewriter) {
  auto broadcast = mlir::dyn_cast<stablehlo::BroadcastInDimOp>(op);
  if (!broadcast) return false;
  auto inner = producer<stablehlo::BroadcastInDimOp>(broadcast.getOperand());
  if (!inner) return false;
  Dims dims;
  for (int64_t dim : inner.getBroadcastDimensions()) dims.push_back(broadcast.getBroadcastDimensions()[dim]);
  rewriter.replaceOpWithNewOp<stablehlo::BroadcastInDimOp>(op, broadcast.getType(), inner.getOperand(), dims);
  return true;
}

bool broadcast_in_order(Operation* op, RewriterBase& rewriter) {
  auto broadcast = mlir::dyn_cast<stablehlo::BroadcastInDimOp>(op);
  if (!broadcast || llvm::is_sorted(broadcast.getBroadcastDimensions())) return false;
  Dims permutation(broadcast.getBroadcastDimensions().size());
  std::iota(permutation.begin(), permutation.end(), 0);
  ArrayRef<int64_t> dims = broadcast.getBroadcastDimensions();
  llvm::sort(permutation, [&](int64_t a, int64_t b) { return dims[a] < dims[b]; });
  Dims shape, sorted;
  for (int64_t axis : permutation) {
    shape.push_back(tensor_type(broadcast.getOperand()).getDimSize(axis));
    sorted.push_back(dims[axis]);
  }
  Value operand = stablehlo::TransposeOp::create(
      rewriter, op->getLoc(), with_shape(tensor_type(broadcast.getOperand()), shape), broadcast.getOperand(), permutation);
  rewriter.replaceOpWithNewOp<stablehlo::BroadcastInDimOp>(op, broadcast.getType(), operand, sorted);
  return true;
}

/// A constant of one value is a scalar and its broadcast: symbolic, whatever its size. One element stays a
/// constant: its broadcast would be a reshape, and that a constant again.
bool splat_constant(Operation* op, RewriterBase& rewriter) {
  auto constant = mlir::dyn_cast<stablehlo::ConstantOp>(op);
  if (!constant || tensor_type(constant).getNumElements() <= 1) return false;
  mlir::Attribute element = splat_of(constant);
  if (!element) return false;
  rewriter.replaceOp(op, make_splat(rewriter, op->getLoc(), tensor_type(constant), element));
  return true;
}

// ---------------------------------------------------------------------------------------- transpose

bool transpose_that_keeps_bytes(Operation* op, RewriterBase& rewriter) {
  auto transpose = mlir::dyn_cast<stablehlo::TransposeOp>(op);
  if (!transpose) return false;
  int64_t last = -1;
  for (int64_t axis : transpose.getPermutation()) {
    if (tensor_type(transpose.getOperand()).getDimSize(axis) == 1) continue;
    if (axis < last) return false;
    last = axis;
  }
  rewriter.replaceOp(op, make_reshape(rewriter, op->getLoc(), transpose.getOperand(), tensor_type(transpose).getShape()));
  return true;
}

bool transpose_of_transpose(Operation* op, RewriterBase& rewriter) {
  auto transpose = mlir::dyn_cast<stablehlo::TransposeOp>(op);
  if (!transpose) return false;
  auto inner = producer<stablehlo::TransposeOp>(transpose.getOperand());
  if (!inner) return false;
  Dims permutation;
  for (int64_t axis : transpose.getPermutation()) permutation.push_back(inner.getPermutation()[axis]);
  rewriter.replaceOpWithNewOp<stablehlo::TransposeOp>(op, transpose.getType(), inner.getOperand(), permutation);
  return true;
}

/// Elementwise operations between a transpose and its inverse, and nothing else: they are done in the order of what is read.
class BetweenTransposes {
 public:
  explicit BetweenTransposes(stablehlo::TransposeOp last) : last_(last), inverse_(last.getPermutation().size()) {
    for (auto [to, from] : llvm::enumerate(last.getPermutation())) inverse_[static_cast<size_t>(from)] = static_cast<int64_t>(to);
  }
  bool fits() { return fits(last_.getOperand()) && has_transpose_; }
  Value rebuild(RewriterBase& rewriter) { return rebuild(last_.getOperand(), rewriter); }

 private:
  static constexpr int kMaxOperations = 32;

  bool fits(Value value) {
    if (splat_of(value)) return true;
    if (auto transpose = value.getDefiningOp<stablehlo::TransposeOp>()) {
      has_transpose_ = true;
      return transpose.getPermutation() == llvm::ArrayRef<int64_t>(inverse_);
    }
    Operation* op = value.getDefiningOp();
    if (!op || !is_elementwise(op) || op->getNumResults() != 1 || !value.hasOneUse() || ++operations_ > kMaxOperations) return false;
    return llvm::all_of(op->getOperands(), [&](Value operand) { return elements_of(operand) == elements_of(value) && fits(operand); });
  }
  Value rebuild(Value value, RewriterBase& rewriter) {
    const auto type = mlir::RankedTensorType::get(tensor_type(last_).getShape(), tensor_type(value).getElementType());
    if (const mlir::Attribute element = splat_of(value)) return make_splat(rewriter, value.getLoc(), type, element);
    if (auto transpose = value.getDefiningOp<stablehlo::TransposeOp>()) return transpose.getOperand();
    Operation* op = value.getDefiningOp();
    mlir::IRMapping mapping;
    for (Value operand : op->getOperands()) mapping.map(operand, rebuild(operand, rewriter));
    Operation* clone = rewriter.clone(*op, mapping);
    rewriter.modifyOpInPlace(clone, [&] { clone->getResult(0).setType(type); });
    return clone->getResult(0);
  }

  stablehlo::TransposeOp last_;
  Dims inverse_;
  bool has_transpose_ = false;
  int operations_ = 0;
};

bool transpose_back(Operation* op, RewriterBase& rewriter) {
  auto transpose = mlir::dyn_cast<stablehlo::TransposeOp>(op);
  if (!transpose || transpose.getOperand().getDefiningOp<stablehlo::TransposeOp>()) return false;
  BetweenTransposes between(transpose);
  if (!between.fits()) return false;
  rewriter.replaceOp(op, between.rebuild(rewriter));
  return true;
}

bool transpose_of_broadcast(Operation* op, RewriterBase& rewriter) {
  auto transpose = mlir::dyn_cast<stablehlo::TransposeOp>(op);
  if (!transpose) return false;
  auto inner = producer<stablehlo::BroadcastInDimOp>(transpose.getOperand());
  if (!inner) return false;
  Dims place(transpose.getPermutation().size()), dims;
  for (auto [to, from] : llvm::enumerate(transpose.getPermutation())) place[from] = static_cast<int64_t>(to);
  for (int64_t dim : inner.getBroadcastDimensions()) dims.push_back(place[dim]);
  rewriter.replaceOpWithNewOp<stablehlo::BroadcastInDimOp>(op, transpose.getType(), inner.getOperand(), dims);
  return true;
}

bool transpose_of_iota(Operation* op, RewriterBase& rewriter) {
  auto transpose = mlir::dyn_cast<stablehlo::TransposeOp>(op);
  if (!transpose) return false;
  auto inner = producer<stablehlo::IotaOp>(transpose.getOperand());
  if (!inner) return false;
  int64_t dimension = llvm::find(transpose.getPermutation(), inner.getIotaDimension()) - transpose.getPermutation().begin();
  rewriter.replaceOpWithNewOp<stablehlo::IotaOp>(op, transpose.getType(), dimension);
  return true;
}

// ----------------------------------------------------------------------- slice, reverse, concatenate, pad

bool slice_of_everything(Operation* op, RewriterBase& rewriter) {
  auto slice = mlir::dyn_cast<stablehlo::SliceOp>(op);
  if (!slice || slice.getOperand().getType() != slice.getType()) return false;
  rewriter.replaceOp(op, slice.getOperand());
  return true;
}

bool slice_of_slice(Operation* op, RewriterBase& rewriter) {
  auto slice = mlir::dyn_cast<stablehlo::SliceOp>(op);
  if (!slice) return false;
  auto inner = producer<stablehlo::SliceOp>(slice.getOperand());
  if (!inner) return false;
  Dims starts, limits, strides;
  for (size_t i = 0; i < slice.getStrides().size(); ++i) {
    int64_t stride = inner.getStrides()[i], size = tensor_type(slice).getDimSize(i);
    starts.push_back(inner.getStartIndices()[i] + slice.getStartIndices()[i] * stride);
    strides.push_back(slice.getStrides()[i] * stride);
    limits.push_back(size == 0 ? starts.back() : starts.back() + (size - 1) * strides.back() + 1);
  }
  rewriter.replaceOpWithNewOp<stablehlo::SliceOp>(op, slice.getType(), inner.getOperand(), starts, limits, strides);
  return true;
}

/// slice, reverse, transpose of one value repeated: still that value.
bool movement_of_splat(Operation* op, RewriterBase& rewriter) {
  if (!mlir::isa<stablehlo::SliceOp, stablehlo::ReverseOp>(op)) return false;
  auto broadcast = producer<stablehlo::BroadcastInDimOp>(op->getOperand(0));
  if (!broadcast || tensor_type(broadcast.getOperand()).getRank() != 0) return false;
  rewriter.replaceOpWithNewOp<stablehlo::BroadcastInDimOp>(op, op->getResult(0).getType(), broadcast.getOperand(),
                                                           ArrayRef<int64_t>());
  return true;
}

bool reverse_of_unit_axes(Operation* op, RewriterBase& rewriter) {
  auto reverse = mlir::dyn_cast<stablehlo::ReverseOp>(op);
  if (!reverse) return false;
  Dims dims(llvm::make_filter_range(reverse.getDimensions(), [&](int64_t dim) { return tensor_type(reverse).getDimSize(dim) > 1; }));
  if (dims.size() == reverse.getDimensions().size() && !dims.empty()) return false;
  if (dims.empty()) {
    rewriter.replaceOp(op, reverse.getOperand());
  } else {
    rewriter.replaceOpWithNewOp<stablehlo::ReverseOp>(op, reverse.getType(), reverse.getOperand(), dims);
  }
  return true;
}

bool reverse_of_reverse(Operation* op, RewriterBase& rewriter) {
  auto reverse = mlir::dyn_cast<stablehlo::ReverseOp>(op);
  if (!reverse) return false;
  auto inner = producer<stablehlo::ReverseOp>(reverse.getOperand());
  if (!inner) return false;
  Dims dims;  // an axis reversed twice is not reversed
  for (int64_t dim : reverse.getDimensions()) {
    if (!llvm::is_contained(inner.getDimensions(), dim)) dims.push_back(dim);
  }
  for (int64_t dim : inner.getDimensions()) {
    if (!llvm::is_contained(reverse.getDimensions(), dim)) dims.push_back(dim);
  }
  llvm::sort(dims);
  if (dims.empty()) {
    rewriter.replaceOp(op, inner.getOperand());
  } else {
    rewriter.replaceOpWithNewOp<stablehlo::ReverseOp>(op, reverse.getType(), inner.getOperand(), dims);
  }
  return true;
}

/// No step of the reduction is taken, so each result is its initial value.
bool reduce_of_nothing(Operation* op, RewriterBase& rewriter) {
  auto reduce = mlir::dyn_cast<stablehlo::ReduceOp>(op);
  if (!reduce || tensor_type(reduce.getInputs().front()).getNumElements() != 0) return false;
  SmallVector<Value> results;
  for (auto [init, result] : llvm::zip(reduce.getInitValues(), reduce.getResults())) {
    results.push_back(stablehlo::BroadcastInDimOp::create(rewriter, op->getLoc(), result.getType(), init, llvm::ArrayRef<int64_t>()));
  }
  rewriter.replaceOp(op, results);
  return true;
}

/// One step of the reduction is taken for each result, and that is elementwise.
bool reduce_of_unit_axes(Operation* op, RewriterBase& rewriter) {
  auto reduce = mlir::dyn_cast<stablehlo::ReduceOp>(op);
  if (!reduce) return false;
  ArrayRef<int64_t> shape = tensor_type(reduce.getResults().front()).getShape();
  if (tensor_type(reduce.getInputs().front()).getNumElements() != tensor_type(reduce.getResults().front()).getNumElements()) return false;
  mlir::Block& body = reduce.getBody().front();
  const auto is_step = [](Operation& step) {
    return step.hasTrait<mlir::OpTrait::ConstantLike>() || (is_elementwise(&step) && step.getNumResults() == 1);
  };
  if (!llvm::all_of(body.without_terminator(), is_step)) return false;
  const size_t count = reduce.getInputs().size();
  mlir::IRMapping values;
  for (size_t i = 0; i < count; ++i) {
    Value init = reduce.getInitValues()[i], input = reduce.getInputs()[i];
    if (tensor_type(init).getElementType() != tensor_type(input).getElementType()) return false;
  }
  const auto spread = [&](Value scalar) -> Value {
    if (shape.empty()) return scalar;
    return stablehlo::BroadcastInDimOp::create(rewriter, op->getLoc(), with_shape(tensor_type(scalar), shape), scalar, ArrayRef<int64_t>());
  };
  for (size_t i = 0; i < count; ++i) {
    values.map(body.getArgument(static_cast<unsigned>(i)), spread(reduce.getInitValues()[i]));
    values.map(body.getArgument(static_cast<unsigned>(count + i)), make_reshape(rewriter, op->getLoc(), reduce.getInputs()[i], shape));
  }
  for (Operation& step : body.without_terminator()) {
    Operation* clone = rewriter.clone(step, values);
    clone->setLoc(op->getLoc());
    Value result = clone->getResult(0);
    if (clone->hasTrait<mlir::OpTrait::ConstantLike>()) {
      values.map(step.getResult(0), spread(result));
    } else {
      rewriter.modifyOpInPlace(clone, [&] { result.setType(with_shape(tensor_type(result), shape)); });
    }
  }
  rewriter.replaceOp(op, llvm::map_to_vector(body.getTerminator()->getOperands(), [&](Value value) { return values.lookupOrDefault(value); }));
  return true;
}

bool concatenate_without_empty(Operation* op, RewriterBase& rewriter) {
  auto concatenate = mlir::dyn_cast<stablehlo::ConcatenateOp>(op);
  if (!concatenate) return false;
  SmallVector<Value> inputs;
  for (Value input : concatenate.getInputs()) {
    if (tensor_type(input).getDimSize(concatenate.getDimension()) != 0) inputs.push_back(input);
  }
  if (inputs.empty()) inputs.push_back(concatenate.getInputs().front());
  if (inputs.size() == 1) {
    if (inputs[0].getType() != concatenate.getType()) return false;
    rewriter.replaceOp(op, inputs[0]);
    return true;
  }
  if (inputs.size() == concatenate.getInputs().size()) return false;
  rewriter.replaceOpWithNewOp<stablehlo::ConcatenateOp>(op, concatenate.getType(), inputs, concatenate.getDimension());
  return true;
}

/// `right` goes on along `axis` where `left` ends, in the same array.
bool continues(stablehlo::SliceOp left, stablehlo::SliceOp right, uint64_t axis) {
  if (!left || !right || left.getOperand() != right.getOperand() || left.getStrides() != right.getStrides() || left.getStrides()[axis] != 1)
    return false;
  for (size_t d = 0; d < left.getStrides().size(); ++d) {
    const bool fits = d == axis ? left.getLimitIndices()[d] == right.getStartIndices()[d]
                                : left.getStartIndices()[d] == right.getStartIndices()[d] && left.getLimitIndices()[d] == right.getLimitIndices()[d];
    if (!fits) return false;
  }
  return true;
}

// Arrays of scalars that were taken from an array, one by one, are that array again.
bool concatenate_of_neighbours(Operation* op, RewriterBase& rewriter) {
  auto concatenate = mlir::dyn_cast<stablehlo::ConcatenateOp>(op);
  if (!concatenate) return false;
  const uint64_t axis = concatenate.getDimension();
  SmallVector<Value> inputs;
  auto all = concatenate.getInputs();
  for (size_t first = 0; first < all.size();) {
    size_t end = first + 1;
    while (end < all.size() && continues(producer<stablehlo::SliceOp>(all[end - 1]), producer<stablehlo::SliceOp>(all[end]), axis)) ++end;
    if (end == first + 1) {
      inputs.push_back(all[first]);
    } else {
      auto from = producer<stablehlo::SliceOp>(all[first]), to = producer<stablehlo::SliceOp>(all[end - 1]);
      Dims limits(from.getLimitIndices()), shape(tensor_type(all[first]).getShape());
      limits[axis] = to.getLimitIndices()[axis];
      shape[axis] = limits[axis] - from.getStartIndices()[axis];
      inputs.push_back(stablehlo::SliceOp::create(rewriter, op->getLoc(), with_shape(tensor_type(from), shape), from.getOperand(),
                                                  from.getStartIndices(), limits, from.getStrides()));
    }
    first = end;
  }
  if (inputs.size() == all.size()) return false;
  if (inputs.size() == 1) rewriter.replaceOp(op, inputs[0]);
  else rewriter.replaceOpWithNewOp<stablehlo::ConcatenateOp>(op, concatenate.getType(), inputs, axis);
  return true;
}

bool pad_by_nothing(Operation* op, RewriterBase& rewriter) {
  auto pad = mlir::dyn_cast<stablehlo::PadOp>(op);
  auto zero = [](int64_t size) { return size == 0; };
  if (!pad || pad.getOperand().getType() != pad.getType() || !llvm::all_of(pad.getEdgePaddingLow(), zero) ||
      !llvm::all_of(pad.getEdgePaddingHigh(), zero)) {
    return false;
  }
  rewriter.replaceOp(op, pad.getOperand());
  return true;
}

bool iota_of_unit_axis(Operation* op, RewriterBase& rewriter) {
  auto iota = mlir::dyn_cast<stablehlo::IotaOp>(op);
  if (!iota || tensor_type(iota).getDimSize(iota.getIotaDimension()) != 1) return false;
  mlir::Type element = tensor_type(iota).getElementType();
  mlir::Attribute zero;
  if (auto real = mlir::dyn_cast<mlir::FloatType>(element)) zero = mlir::FloatAttr::get(real, 0.0);
  if (auto integer = mlir::dyn_cast<mlir::IntegerType>(element)) zero = mlir::IntegerAttr::get(integer, llvm::APInt(integer.getWidth(), 0));
  if (!zero) return false;
  rewriter.replaceOp(op, make_splat(rewriter, op->getLoc(), tensor_type(iota), zero));
  return true;
}

}  // namespace

llvm::ArrayRef<Rule> shape_rules() {
  static const Rule rules[] = {
      {"reshape(x to its own shape)  ->  x", drop_reshape},
      {"reshape(reshape(x))  ->  reshape(x)", reshape_of_reshape},
      {"reshape(constant)  ->  constant", reshape_of_constant},
      {"reshape(broadcast(scalar))  ->  broadcast(scalar)", reshape_of_splat},
      {"reshape(elementwise(a, b))  ->  elementwise(reshape(a), reshape(b))", hoist_reshape},
      {"broadcast(x, sizes)  ->  broadcast_in_dim(x)", broadcast_to_broadcast_in_dim},
      {"broadcast_in_dim that only adds axes of size 1  ->  reshape", broadcast_of_nothing},
      {"broadcast_in_dim(x with axes of size 1)  ->  broadcast_in_dim(reshape(x))", broadcast_without_unit_axes},
      {"broadcast_in_dim(broadcast_in_dim(x, p), q)  ->  broadcast_in_dim(x, compose(p, q))", broadcast_of_broadcast},
      {"broadcast_in_dim(x, decreasing dims)  ->  broadcast_in_dim(transpose(x), increasing dims)", broadcast_in_order},
      {"constant of equal elements  ->  broadcast_in_dim(scalar constant)", splat_constant},
      {"transpose that moves only axes of size 1  ->  reshape", transpose_that_keeps_bytes},
      {"transpose(transpose(x, p), q)  ->  transpose(x, compose(p, q))", transpose_of_transpose},
      {"transpose(elementwise(transpose(x, p), splat), inverse of p)  ->  elementwise(x, splat)", transpose_back},
      {"transpose(broadcast_in_dim(x, p), q)  ->  broadcast_in_dim(x, compose(p, q))", transpose_of_broadcast},
      {"transpose(iota)  ->  iota", transpose_of_iota},
      {"slice(all of x)  ->  x", slice_of_everything},
      {"slice(slice(x))  ->  slice(x)", slice_of_slice},
      {"slice(splat), reverse(splat)  ->  splat", movement_of_splat},
      {"reverse(axes of size 1)  ->  x", reverse_of_unit_axes},
      {"reverse(reverse(x))  ->  reverse(x, the axes reversed once)", reverse_of_reverse},
      {"reduce(nothing)  ->  broadcast_in_dim(init)", reduce_of_nothing},
      {"reduce(x along axes of size 1)  ->  its body, elementwise, of init and x", reduce_of_unit_axes},
      {"concatenate(x, nothing)  ->  x", concatenate_without_empty},
      {"concatenate(slice(x, a, b), slice(x, b, c))  ->  slice(x, a, c)", concatenate_of_neighbours},
      {"pad(x by nothing)  ->  x", pad_by_nothing},
      {"iota along an axis of size 1  ->  0", iota_of_unit_axis},
  };
  return rules;
}

}  // namespace tenon::passes
