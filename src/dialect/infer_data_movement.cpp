// Result types and index maps of operations that move elements.
#include "dialect/infer.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Builders.h"

namespace tenon::stablehlo {

using mlir::AffineExpr;
using mlir::AffineMap;
using mlir::getAffineConstantExpr;
using mlir::getAffineDimExpr;
using MaybeMap = std::optional<AffineMap>;

static MaybeMap make_map(int64_t result_rank, llvm::ArrayRef<AffineExpr> operand_index, mlir::MLIRContext* context) {
  return AffineMap::get(result_rank, 0, operand_index, context);
}

// ---------------------------------------------------------------------------------------- broadcasts
LogicalResult BroadcastOp::infer(MaybeLocation location, Adaptor op, Types& results) {
  const auto type = tensor(op.getOperand());
  if (llvm::any_of(op.getBroadcastSizes(), [](int64_t size) { return size < 0; })) {
    return Check(location, getOperationName())
        .error("broadcast_sizes must not be negative; got ", Print{op.getBroadcastSizes()});
  }
  Dims shape(op.getBroadcastSizes());
  llvm::append_range(shape, type.getShape());
  results.push_back(make_tensor(shape, type.getElementType()));
  return success();
}
MaybeMap BroadcastOp::indexMap(unsigned) {
  const int64_t rank = getType().getRank();
  return AffineMap::getMultiDimIdentityMap(rank, getContext()).getMinorSubMap(getOperand().getType().getRank());
}
bool BroadcastOp::keepsBytes() { return getType().hasStaticShape() && getOperand().getType().hasStaticShape() &&
                                        getType().getNumElements() == getOperand().getType().getNumElements(); }

static LogicalResult check_broadcast(const Check& check, RankedTensorType from, RankedTensorType to, DimsRef dims) {
  if (check.length("broadcast_dimensions", dims, from.getRank()).failed() ||
      check.axes("broadcast_dimensions", dims, to.getRank()).failed()) {
    return failure();
  }
  if (!detail::are_compatible_elements(from.getElementType(), to.getElementType())) {
    return check.error("must keep the element type; got ", from, " -> ", to);
  }
  for (auto [i, dim] : llvm::enumerate(dims)) {
    const int64_t size = from.getDimSize(i);
    if (size != 1 && !same_size(size, to.getDimSize(dim))) {
      return check.error("operand axis ", i, " must have size 1 or that of result axis ", dim, "; got ", from, " -> ",
                         to);
    }
  }
  return success();
}
LogicalResult BroadcastInDimOp::verify() {
  return check_broadcast(Check::of(*this), getOperand().getType(), getType(), getBroadcastDimensions());
}
MaybeMap BroadcastInDimOp::indexMap(unsigned) {
  llvm::SmallVector<AffineExpr> index;
  const RankedTensorType from = getOperand().getType();
  for (auto [i, dim] : llvm::enumerate(getBroadcastDimensions())) {
    const bool stretched = from.getDimSize(i) == 1;
    index.push_back(stretched ? getAffineConstantExpr(0, getContext()) : getAffineDimExpr(dim, getContext()));
  }
  return make_map(getType().getRank(), index, getContext());
}
bool BroadcastInDimOp::keepsBytes() {
  const RankedTensorType from = getOperand().getType();
  return from.hasStaticShape() && getType().hasStaticShape() &&
         from.getNumElements() == getType().getNumElements() && llvm::is_sorted(getBroadcastDimensions());
}

LogicalResult DynamicBroadcastInDimOp::verify() {
  const Check check = Check::of(*this);
  const RankedTensorType sizes = getOutputDimensions().getType();
  if (!same_size(sizes.getDimSize(0), getType().getRank())) {
    return check.error("output_dimensions must have one size for each axis of the result; got ", sizes, " for ", getType());
  }
  const int64_t rank = getOperand().getType().getRank();
  Dims known(or_empty(getKnownExpandingDimensions()));
  llvm::append_range(known, or_empty(getKnownNonexpandingDimensions()));
  if (check.axes("known dimensions", known, rank).failed()) return failure();
  return check_broadcast(check, getOperand().getType(), getType(), getBroadcastDimensions());
}

// ------------------------------------------------------------------------------------------- reshape
LogicalResult ReshapeOp::verify() {
  const RankedTensorType from = getOperand().getType();
  const Check check = Check::of(*this);
  if (!detail::are_compatible_elements(from.getElementType(), getType().getElementType())) {
    return check.error("must keep the element type; got ", from, " -> ", getType());
  }
  if (from.hasStaticShape() && getType().hasStaticShape() && from.getNumElements() != getType().getNumElements()) {
    return check.error("must keep the number of elements; got ", from, " -> ", getType());
  }
  return success();
}
MaybeMap ReshapeOp::indexMap(unsigned) {
  const RankedTensorType from = getOperand().getType(), to = getType();
  if (!from.hasStaticShape() || !to.hasStaticShape()) return std::nullopt;
  if (to.getNumElements() == 0) {  // no index exists: any map will do
    return make_map(to.getRank(), llvm::SmallVector<AffineExpr>(from.getRank(), getAffineConstantExpr(0, getContext())), getContext());
  }
  // Linear position of the result's index, then taken apart by the operand's sizes. Axes of size 1 take no part,
  // and axes at the end that agree map one to one, so that adding or dropping ones gives dims, not arithmetic.
  int64_t from_rank = from.getRank(), to_rank = to.getRank();
  llvm::SmallVector<AffineExpr> index(from_rank, getAffineConstantExpr(0, getContext()));
  const auto skip_ones = [](RankedTensorType type, int64_t& rank) {
    while (rank > 0 && type.getDimSize(rank - 1) == 1) --rank;
  };
  for (;;) {
    skip_ones(from, from_rank);
    skip_ones(to, to_rank);
    if (from_rank == 0 || to_rank == 0 || from.getDimSize(from_rank - 1) != to.getDimSize(to_rank - 1)) break;
    index[--from_rank] = getAffineDimExpr(--to_rank, getContext());
  }
  AffineExpr position = getAffineConstantExpr(0, getContext());
  for (int64_t i = 0; i < to_rank; ++i) position = position * to.getDimSize(i) + getAffineDimExpr(i, getContext());
  int64_t first = 0;
  while (first < from_rank && from.getDimSize(first) == 1) ++first;
  for (int64_t i = from_rank; i-- > first;) {
    if (from.getDimSize(i) == 1) continue;
    index[i] = i == first ? position : position % from.getDimSize(i);
    position = position.floorDiv(from.getDimSize(i));
  }
  return make_map(to.getRank(), index, getContext());
}
bool ReshapeOp::keepsBytes() { return true; }

LogicalResult DynamicReshapeOp::verify() {
  const RankedTensorType from = getOperand().getType();
  const Check check = Check::of(*this);
  if (!detail::are_compatible_elements(from.getElementType(), getType().getElementType())) {
    return check.error("must keep the element type; got ", from, " -> ", getType());
  }
  if (!same_size(getOutputShape().getType().getDimSize(0), getType().getRank())) {
    return check.error("output_shape must have one size for each axis of the result; got ",
                       getOutputShape().getType(), " for ", getType());
  }
  if (from.hasStaticShape() && getType().hasStaticShape() && from.getNumElements() != getType().getNumElements()) {
    return check.error("must keep the number of elements; got ", from, " -> ", getType());
  }
  return success();
}

LogicalResult BitcastConvertOp::verify() {
  const RankedTensorType from = getOperand().getType(), to = getType();
  const auto bits = [](Type element) -> int64_t {
    if (const auto complex = llvm::dyn_cast<mlir::ComplexType>(element)) return 2 * complex.getElementType().getIntOrFloatBitWidth();
    if (const auto quant = llvm::dyn_cast<mlir::quant::QuantizedType>(element)) return quant.getStorageTypeIntegralWidth();
    return element.getIntOrFloatBitWidth();
  };
  const Check check = Check::of(*this);
  const bool complex = llvm::isa<mlir::ComplexType>(from.getElementType());
  if (complex != llvm::isa<mlir::ComplexType>(to.getElementType())) {
    return check.error("must not change between real and complex; got ", from, " -> ", to);
  }
  const int64_t a = bits(from.getElementType()), b = bits(to.getElementType());
  // The narrower side has one more axis, which holds the parts of a wide element.
  const RankedTensorType wide = a >= b ? from : to, narrow = a >= b ? to : from;
  if (a == b) {
    if (detail::are_compatible_shapes(from.getShape(), to.getShape())) return success();
    return check.error("must keep the shape when the widths agree; got ", from, " -> ", to);
  }
  if (narrow.getRank() != wide.getRank() + 1 ||
      !detail::are_compatible_shapes(narrow.getShape().drop_back(), wide.getShape()) ||
      !same_size(narrow.getShape().back(), std::max(a, b) / std::min(a, b))) {
    return check.error("the narrower type must have one more axis, of size ", std::max(a, b) / std::min(a, b),
                       "; got ", from, " -> ", to);
  }
  return success();
}

// ---------------------------------------------------------------------------- transpose, reverse, slice
LogicalResult TransposeOp::infer(MaybeLocation location, Adaptor op, Types& results) {
  const Check check(location, getOperationName());
  const auto type = tensor(op.getOperand());
  const DimsRef permutation = op.getPermutation();
  if (static_cast<int64_t>(permutation.size()) != type.getRank() ||
      check.axes("permutation", permutation, type.getRank()).failed()) {
    return check.error("permutation must hold each axis of the operand once; got ", Print{permutation}, " for ", type);
  }
  Dims shape;
  for (const int64_t dim : permutation) shape.push_back(type.getDimSize(dim));
  Type element = type.getElementType();
  if (const auto axis = llvm::dyn_cast<mlir::quant::UniformQuantizedPerAxisType>(element)) {
    element = mlir::quant::UniformQuantizedPerAxisType::get(
        axis.getFlags(), axis.getStorageType(), axis.getExpressedType(), axis.getScales(), axis.getZeroPoints(),
        llvm::find(permutation, axis.getQuantizedDimension()) - permutation.begin(), axis.getStorageTypeMin(),
        axis.getStorageTypeMax());
  }
  results.push_back(make_tensor(shape, element));
  return success();
}
MaybeMap TransposeOp::indexMap(unsigned) {
  llvm::SmallVector<AffineExpr> index(getPermutation().size());
  for (auto [i, dim] : llvm::enumerate(getPermutation())) index[dim] = getAffineDimExpr(i, getContext());
  return make_map(getType().getRank(), index, getContext());
}
bool TransposeOp::keepsBytes() {
  // Axes of size 1 may stand anywhere.
  Dims kept;
  for (const int64_t dim : getPermutation()) {
    if (getOperand().getType().getDimSize(dim) != 1) kept.push_back(dim);
  }
  return llvm::is_sorted(kept);
}

LogicalResult ReverseOp::verify() {
  return Check::of(*this).axes("dimensions", getDimensions(), getOperand().getType().getRank());
}
MaybeMap ReverseOp::indexMap(unsigned) {
  const RankedTensorType type = getType();
  llvm::SmallVector<AffineExpr> index;
  for (int64_t i = 0; i < type.getRank(); ++i) index.push_back(getAffineDimExpr(i, getContext()));
  for (const int64_t dim : getDimensions()) {
    if (type.isDynamicDim(dim)) return std::nullopt;
    index[dim] = getAffineConstantExpr(type.getDimSize(dim) - 1, getContext()) - index[dim];
  }
  return make_map(type.getRank(), index, getContext());
}
bool ReverseOp::keepsBytes() {
  return llvm::all_of(getDimensions(), [&](int64_t dim) { return getType().getDimSize(dim) == 1; });
}

LogicalResult SliceOp::infer(MaybeLocation location, Adaptor op, Types& results) {
  const Check check(location, getOperationName());
  const auto type = tensor(op.getOperand());
  const int64_t rank = type.getRank();
  const DimsRef start = op.getStartIndices(), limit = op.getLimitIndices(), strides = op.getStrides();
  if (check.length("start_indices", start, rank).failed() || check.length("limit_indices", limit, rank).failed() ||
      check.length("strides", strides, rank).failed()) {
    return failure();
  }
  Dims shape;
  for (int64_t i = 0; i < rank; ++i) {
    const int64_t size = type.getDimSize(i);
    if (start[i] < 0 || limit[i] < start[i] || (!dynamic(size) && limit[i] > size)) {
      return check.error("range of axis ", i, " must satisfy 0 <= start <= limit <= size; got ", start[i], ":", limit[i],
                         " for ", type);
    }
    if (strides[i] <= 0) return check.error("strides must be positive; got ", Print{strides});
    const int64_t length = limit[i] - start[i];
    shape.push_back(length == 0 ? 0 : (length - 1) / strides[i] + 1);
  }
  results.push_back(make_tensor(shape, type.getElementType()));
  return success();
}
MaybeMap SliceOp::indexMap(unsigned) {
  llvm::SmallVector<AffineExpr> index;
  for (auto [i, start, stride] : llvm::enumerate(getStartIndices(), getStrides())) {
    index.push_back(getAffineDimExpr(i, getContext()) * stride + start);
  }
  return make_map(getType().getRank(), index, getContext());
}
bool SliceOp::keepsBytes() { return getType().getShape() == getOperand().getType().getShape(); }

LogicalResult RealDynamicSliceOp::verify() {
  const Check check = Check::of(*this);
  const RankedTensorType from = getOperand().getType();
  if (from.getRank() != getType().getRank() ||
      !detail::are_compatible_elements(from.getElementType(), getType().getElementType())) {
    return check.error("must keep rank and element type; got ", from, " -> ", getType());
  }
  for (const mlir::Value list : {getStartIndices(), getLimitIndices(), getStrides()}) {
    if (!same_size(tensor(list).getDimSize(0), from.getRank())) {
      return check.error("needs one start, limit and stride for each axis; got ", list.getType(), " for ", from);
    }
  }
  return success();
}

static LogicalResult check_start_indices(const Check& check, mlir::ValueRange start, int64_t rank) {
  if (static_cast<int64_t>(start.size()) != rank) {
    return check.error("needs one start index for each axis; got ", start.size(), " for rank ", rank);
  }
  for (const mlir::Value index : start) {
    if (index.getType() != start.front().getType()) {
      return check.error("start indices must have one type; got ", start.front().getType(), " and ", index.getType());
    }
  }
  return success();
}
LogicalResult DynamicSliceOp::infer(MaybeLocation location, Adaptor op, Types& results) {
  const Check check(location, getOperationName());
  const auto type = tensor(op.getOperand());
  const DimsRef sizes = op.getSliceSizes();
  if (check_start_indices(check, op.getStartIndices(), type.getRank()).failed() ||
      check.length("slice_sizes", sizes, type.getRank()).failed()) {
    return failure();
  }
  for (auto [size, whole] : llvm::zip_equal(sizes, type.getShape())) {
    if (size < 0 || (!dynamic(whole) && size > whole)) {
      return check.error("slice_sizes must be 0 to the operand's sizes; got ", Print{sizes}, " for ", type);
    }
  }
  results.push_back(make_tensor(sizes, type.getElementType()));
  return success();
}
LogicalResult DynamicUpdateSliceOp::infer(MaybeLocation location, Adaptor op, Types& results) {
  const Check check(location, getOperationName());
  const auto type = tensor(op.getOperand()), update = tensor(op.getUpdate());
  if (update.getRank() != type.getRank() ||
      !detail::are_compatible_elements(update.getElementType(), type.getElementType())) {
    return check.error("update must have the operand's rank and element type; got ", update, " for ", type);
  }
  for (auto [size, whole] : llvm::zip_equal(update.getShape(), type.getShape())) {
    if (!dynamic(size) && !dynamic(whole) && size > whole) {
      return check.error("update must fit into the operand; got ", update, " for ", type);
    }
  }
  if (check_start_indices(check, op.getStartIndices(), type.getRank()).failed()) return failure();
  results.push_back(type);
  return success();
}

// ------------------------------------------------------------------------------------ concatenate, pad
LogicalResult ConcatenateOp::infer(MaybeLocation location, Adaptor op, Types& results) {
  const Check check(location, getOperationName());
  if (op.getInputs().empty()) return check.error("needs at least one operand");
  const auto first = tensor(op.getInputs().front());
  const int64_t dim = static_cast<int64_t>(op.getDimension());
  if (check.axis("dimension", dim, first.getRank()).failed()) return failure();
  Dims shape(first.getShape());
  for (const mlir::Value input : op.getInputs().drop_front()) {
    const auto type = tensor(input);
    bool fits = type.getRank() == first.getRank() &&
                detail::are_compatible_elements(type.getElementType(), first.getElementType());
    for (int64_t i = 0; fits && i < type.getRank(); ++i) {
      const int64_t size = type.getDimSize(i);
      if (i != dim) {
        fits = same_size(shape[i], size);
        shape[i] = join_size(shape[i], size);
      } else if (dynamic(shape[i]) || dynamic(size)) {
        shape[i] = ShapedType::kDynamic;
      } else if (__builtin_add_overflow(shape[i], size, &shape[i])) {
        return check.error("size of the result does not fit in 63 bits");
      }
    }
    if (!fits) {
      return check.error("operands must agree in element type and in all axes but ", dim, "; got ", first, " and ", type);
    }
  }
  results.push_back(make_tensor(shape, first.getElementType()));
  return success();
}

LogicalResult PadOp::infer(MaybeLocation location, Adaptor op, Types& results) {
  const Check check(location, getOperationName());
  const auto type = tensor(op.getOperand()), value = tensor(op.getPaddingValue());
  const DimsRef low = op.getEdgePaddingLow(), high = op.getEdgePaddingHigh(), interior = op.getInteriorPadding();
  if (check.length("edge_padding_low", low, type.getRank()).failed() ||
      check.length("edge_padding_high", high, type.getRank()).failed() ||
      check.length("interior_padding", interior, type.getRank()).failed()) {
    return failure();
  }
  if (value.getRank() != 0 || !detail::are_compatible_elements(value.getElementType(), type.getElementType())) {
    return check.error("padding value must be a scalar of the operand's element type; got ", value, " for ", type);
  }
  Dims shape;
  for (int64_t i = 0; i < type.getRank(); ++i) {
    if (interior[i] < 0) return check.error("interior_padding must not be negative; got ", Print{interior});
    const int64_t size = type.getDimSize(i);
    if (dynamic(size)) {
      shape.push_back(ShapedType::kDynamic);
      continue;
    }
    const __int128 total = __int128(low[i]) + high[i] + size + __int128(std::max<int64_t>(size - 1, 0)) * interior[i];
    if (total < 0 || total > std::numeric_limits<int64_t>::max()) {
      return check.error("axis ", i, " has no such size after padding; got ", type, ", low ", Print{low}, ", high ",
                         Print{high}, ", interior ", Print{interior});
    }
    shape.push_back(static_cast<int64_t>(total));
  }
  results.push_back(make_tensor(shape, type.getElementType()));
  return success();
}

LogicalResult DynamicPadOp::verify() {
  const Check check = Check::of(*this);
  const RankedTensorType from = getOperand().getType(), value = getPaddingValue().getType();
  if (from.getRank() != getType().getRank()) return check.error("must keep the rank; got ", from, " -> ", getType());
  if (value.getRank() != 0 || value.getElementType() != from.getElementType()) {
    return check.error("padding value must be a scalar of the operand's element type; got ", value, " for ", from);
  }
  for (const mlir::Value list : {getEdgePaddingLow(), getEdgePaddingHigh(), getInteriorPadding()}) {
    if (!same_size(tensor(list).getDimSize(0), from.getRank())) {
      return check.error("needs one padding for each axis; got ", list.getType(), " for ", from);
    }
  }
  return success();
}

// ------------------------------------------------------------------------------------------- gather
static LogicalResult infer_gather(const Check& check, mlir::Value operand, mlir::Value start_indices,
                                  GatherDimensionNumbersAttr n, DimsRef slice_sizes, Types& results) {
  const auto type = tensor(operand), indices = tensor(start_indices);
  const int64_t rank = type.getRank(), indices_rank = indices.getRank();
  const int64_t vector_dim = n.getIndexVectorDim();
  if (vector_dim < 0 || vector_dim > indices_rank) {
    return check.error("index_vector_dim must be 0 to the rank of start_indices; got ", vector_dim, " for ", indices);
  }
  const DimsRef offset = n.getOffsetDims(), collapsed = n.getCollapsedSliceDims();
  const DimsRef operand_batching = n.getOperandBatchingDims(), start_batching = n.getStartIndicesBatchingDims();
  const Dims dropped = llvm::to_vector(llvm::concat<const int64_t>(collapsed, operand_batching));
  const Dims mapped = llvm::to_vector(llvm::concat<const int64_t>(n.getStartIndexMap(), operand_batching));
  const int64_t result_rank =
      indices_rank - (vector_dim < indices_rank ? 1 : 0) + static_cast<int64_t>(offset.size());
  if (check.length("slice_sizes", slice_sizes, rank).failed() ||
      check.axes("collapsed_slice_dims and operand_batching_dims", dropped, rank).failed() ||
      check.sorted("collapsed_slice_dims", collapsed).failed() ||
      check.sorted("operand_batching_dims", operand_batching).failed() ||
      check.axes("start_index_map and operand_batching_dims", mapped, rank).failed() ||
      check.axes("start_indices_batching_dims", start_batching, indices_rank).failed() ||
      check.axes("offset_dims", offset, result_rank).failed() || check.sorted("offset_dims", offset).failed()) {
    return failure();
  }
  if (operand_batching.size() != start_batching.size()) {
    return check.error("operand and start indices must have as many batching dims; got ", Print{operand_batching},
                       " and ", Print{start_batching});
  }
  if (llvm::is_contained(start_batching, vector_dim)) {
    return check.error("index_vector_dim must not be a batching dim; got ", vector_dim);
  }
  for (auto [a, b] : llvm::zip_equal(operand_batching, start_batching)) {
    if (!same_size(type.getDimSize(a), indices.getDimSize(b))) {
      return check.error("batching sizes differ; got ", type, " and ", indices);
    }
  }
  const int64_t vector_size = vector_dim < indices_rank ? indices.getDimSize(vector_dim) : 1;
  if (!same_size(vector_size, n.getStartIndexMap().size())) {
    return check.error("start_index_map must have one entry for each component of an index; got ",
                       Print{n.getStartIndexMap()}, " for ", indices);
  }
  if (static_cast<int64_t>(offset.size() + dropped.size()) != rank) {
    return check.error("offset_dims, collapsed_slice_dims and operand_batching_dims must have an entry for each axis of ",
                       type);
  }
  Dims window;
  for (int64_t i = 0; i < rank; ++i) {
    const bool drop = llvm::is_contained(dropped, i);
    const int64_t size = slice_sizes[i];
    if (!dynamic(size) && (size < 0 || (!type.isDynamicDim(i) && size > type.getDimSize(i)))) {
      return check.error("slice_sizes must be 0 to the operand's sizes; got ", Print{slice_sizes}, " for ", type);
    }
    if (drop && !dynamic(size) && size > 1) {
      return check.error("a collapsed or batching axis must have slice size 0 or 1; got ", Print{slice_sizes});
    }
    if (!drop) window.push_back(size);
  }
  Dims batch;
  for (int64_t i = 0; i < indices_rank; ++i) {
    if (i != vector_dim) batch.push_back(indices.getDimSize(i));
  }
  Dims shape;
  auto next_window = window.begin(), next_batch = batch.begin();
  for (int64_t i = 0; i < result_rank; ++i) {
    shape.push_back(llvm::is_contained(offset, i) ? *next_window++ : *next_batch++);
  }
  results.push_back(make_tensor(shape, type.getElementType()));
  return success();
}
LogicalResult GatherOp::infer(MaybeLocation location, Adaptor op, Types& results) {
  return infer_gather({location, getOperationName()}, op.getOperand(), op.getStartIndices(), op.getDimensionNumbers(),
                      op.getSliceSizes(), results);
}
LogicalResult DynamicGatherOp::infer(MaybeLocation location, Adaptor op, Types& results) {
  const Check check(location, getOperationName());
  const int64_t rank = tensor(op.getOperand()).getRank();
  if (!same_size(tensor(op.getSliceSizes()).getDimSize(0), rank)) {
    return check.error("slice_sizes must have one size for each axis; got ", op.getSliceSizes().getType());
  }
  // A collapsed axis has slice size 1 whatever the others are.
  return infer_gather(check, op.getOperand(), op.getStartIndices(), op.getDimensionNumbers(),
                      Dims(rank, ShapedType::kDynamic), results);
}
LogicalResult TorchIndexSelectOp::verify() {
  const Check check = Check::of(*this);
  const RankedTensorType type = getOperand().getType(), index = getIndex().getType();
  const int64_t batch = static_cast<int64_t>(getBatchDims());
  if (check.axis("dim", static_cast<int64_t>(getDim()), type.getRank()).failed()) return failure();
  if (batch < 0 || batch > index.getRank() || batch > static_cast<int64_t>(getDim())) {
    return check.error("batch_dims must be 0 to dim and to the rank of index; got ", batch);
  }
  return success();
}

// ----------------------------------------------------------------------------------- iota, constant
static LogicalResult check_iota(const Check& check, RankedTensorType type, int64_t dim) {
  if (type.getRank() == 0) return check.error("result must have at least one axis; got ", type);
  return check.axis("iota_dimension", dim, type.getRank());
}
LogicalResult IotaOp::verify() {
  if (!getType().hasStaticShape()) return emitOpError("result must have a static shape; got ") << getType();
  return check_iota(Check::of(*this), getType(), static_cast<int64_t>(getIotaDimension()));
}
LogicalResult DynamicIotaOp::verify() {
  if (!same_size(getOutputShape().getType().getDimSize(0), getType().getRank())) {
    return emitOpError("output_shape must have one size for each axis; got ") << getOutputShape().getType();
  }
  return check_iota(Check::of(*this), getType(), static_cast<int64_t>(getIotaDimension()));
}

LogicalResult ConstantOp::inferReturnTypes(mlir::MLIRContext*, MaybeLocation location, mlir::ValueRange operands,
                                           mlir::DictionaryAttr attributes, mlir::OpaqueProperties properties,
                                           mlir::RegionRange regions, Types& results) {
  const mlir::ElementsAttr value = Adaptor(operands, attributes, properties, regions).getValue();
  if (!value) return Check(location, getOperationName()).error("needs a value");
  results.push_back(value.getType());
  return success();
}
// A constant of quantized type holds values of the storage type.
bool ConstantOp::isCompatibleReturnTypes(mlir::TypeRange l, mlir::TypeRange r) {
  if (l.size() != 1 || r.size() != 1) return false;
  const auto storage = [](Type type) {
    const auto shaped = llvm::dyn_cast<RankedTensorType>(type);
    const auto quant = shaped ? llvm::dyn_cast<mlir::quant::QuantizedType>(shaped.getElementType()) : nullptr;
    return quant ? with_element(shaped, quant.getStorageType()) : type;
  };
  return detail::are_compatible(storage(l.front()), storage(r.front()));
}

LogicalResult GetDimensionSizeOp::infer(MaybeLocation location, Adaptor op, Types& results) {
  const auto type = tensor(op.getOperand());
  if (Check(location, getOperationName()).axis("dimension", static_cast<int64_t>(op.getDimension()), type.getRank()).failed()) {
    return failure();
  }
  results.push_back(make_tensor({}, mlir::IntegerType::get(type.getContext(), 32)));
  return success();
}
LogicalResult SetDimensionSizeOp::verify() {
  const RankedTensorType from = getOperand().getType();
  const Check check = Check::of(*this);
  if (check.axis("dimension", static_cast<int64_t>(getDimension()), from.getRank()).failed()) return failure();
  if (from.getElementType() != getType().getElementType() || from.getRank() != getType().getRank()) {
    return check.error("must keep rank and element type; got ", from, " -> ", getType());
  }
  return success();
}

}  // namespace tenon::stablehlo
