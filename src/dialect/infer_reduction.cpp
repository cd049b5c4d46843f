// Windows, combiners, and result types of operations with a function along dimensions.
#include "dialect/infer.h"
#include "mlir/IR/Builders.h"

namespace tenon::stablehlo {

// ------------------------------------------------------------------------------------------ windows
LogicalResult make_window(const Check& check, DimsRef size, DimsRef stride, mlir::DenseIntElementsAttr padding,
                          DimsRef base_dilation, DimsRef dilation, Window& window) {
  const int64_t rank = static_cast<int64_t>(size.size());
  const auto fill = [&](llvm::StringRef what, DimsRef given, Dims& out) -> LogicalResult {
    out.assign(rank, 1);
    if (given.empty()) return success();
    if (check.length(what, given, rank).failed()) return failure();
    out.assign(given.begin(), given.end());
    if (llvm::any_of(out, [](int64_t v) { return v < 1; })) {
      return check.error(what, " must be positive; got ", Print{given});
    }
    return success();
  };
  window.low.assign(rank, 0);
  window.high.assign(rank, 0);
  if (padding) {
    const llvm::ArrayRef<int64_t> shape = padding.getType().getShape();
    if (shape[0] != rank || shape[1] != 2) {
      return check.error("padding must have shape [", rank, ", 2]; got ", padding.getType());
    }
    const auto values = padding.getValues<int64_t>();
    for (int64_t i = 0; i < rank; ++i) {
      window.low[i] = values[2 * i];
      window.high[i] = values[2 * i + 1];
    }
  }
  return failure(fill("window dimensions", size, window.size).failed() ||
                 fill("window_strides", stride, window.stride).failed() ||
                 fill("base dilations", base_dilation, window.base_dilation).failed() ||
                 fill("window dilations", dilation, window.dilation).failed());
}

LogicalResult window_shape(const Check& check, DimsRef base, const Window& window, Dims& out) {
  const auto dilated = [](__int128 size, int64_t dilation) -> __int128 { return size == 0 ? 0 : (size - 1) * dilation + 1; };
  for (size_t i = 0; i < base.size(); ++i) {
    if (dynamic(base[i])) {
      out.push_back(ShapedType::kDynamic);
      continue;
    }
    const __int128 padded = dilated(base[i], window.base_dilation[i]) + window.low[i] + window.high[i];
    const __int128 covered = dilated(window.size[i], window.dilation[i]);
    const __int128 steps = padded < covered || padded < 1 ? 0 : (padded - covered) / window.stride[i] + 1;
    if (steps > std::numeric_limits<int64_t>::max()) return check.error("size of the result does not fit in 63 bits");
    out.push_back(static_cast<int64_t>(steps));
  }
  return success();
}

// ---------------------------------------------------------------------------------------- functions
std::optional<mlir::ValueTypeRange<mlir::OperandRange>> returned_types(mlir::Region& region) {
  if (!region.hasOneBlock() || region.front().empty()) return std::nullopt;
  mlir::Operation& last = region.front().back();
  if (!llvm::isa<ReturnOp>(last)) return std::nullopt;
  return last.getOperandTypes();
}

static bool is_scalar_of(Type type, Type element) {
  const auto scalar = llvm::dyn_cast<RankedTensorType>(type);
  return scalar && scalar.getRank() == 0 && detail::are_compatible_elements(scalar.getElementType(), element);
}

LogicalResult check_combiner(const Check& check, mlir::Region& combiner, mlir::ValueRange inputs,
                             mlir::ValueRange inits, llvm::SmallVectorImpl<Type>& elements) {
  if (!combiner.hasOneBlock()) return check.error("function must be one block");
  mlir::Block& block = combiner.front();
  const size_t n = inputs.size();
  if (block.getNumArguments() != 2 * n) {
    return check.error("function must take ", 2 * n, " scalars; got ", block.getNumArguments());
  }
  for (size_t i = 0; i < n; ++i) {
    const auto accumulator = llvm::dyn_cast<RankedTensorType>(block.getArgument(i).getType());
    if (!accumulator || accumulator.getRank() != 0) {
      return check.error("function must take scalars; got ", block.getArgument(i).getType());
    }
    elements.push_back(accumulator.getElementType());
    if (!is_scalar_of(block.getArgument(i + n).getType(), accumulator.getElementType())) {
      return check.error("function's arguments ", i, " and ", i + n, " must have one type; got ", accumulator, " and ",
                         block.getArgument(i + n).getType());
    }
    // Wider accumulators than inputs are allowed, of the same kind.
    const Type input = tensor(inputs[i]).getElementType();
    const unsigned kinds[] = {detail::kind_of(accumulator.getElementType()), detail::kind_of(input)};
    if (kinds[0] != kinds[1] || detail::are_compatible_elements(accumulator.getElementType(), input) == false) {
      const bool promotes = kinds[0] == kinds[1] &&
                            storage_bits(accumulator.getElementType()) >= storage_bits(input);
      if (!promotes) {
        return check.error("function must take the input's element type or a wider one; got ", accumulator, " for ",
                           inputs[i].getType());
      }
    }
    if (!inits.empty()) {
      const auto init = tensor(inits[i]);
      if (init.getRank() != 0 || !detail::are_compatible_elements(init.getElementType(), input)) {
        if (init.getRank() != 0 || !detail::are_compatible_elements(init.getElementType(), accumulator.getElementType())) {
          return check.error("init value ", i, " must be a scalar of the input's element type; got ", init, " for ",
                             inputs[i].getType());
        }
      }
    }
  }
  if (auto returned = returned_types(combiner)) {
    bool fits = returned->size() == n;
    for (size_t i = 0; fits && i < n; ++i) fits = is_scalar_of((*returned)[i], elements[i]);
    if (!fits) return check.error("function must return its accumulators' types; got ", *returned);
  }
  return success();
}

LogicalResult check_predicate(const Check& check, mlir::Region& region, llvm::ArrayRef<Type> scalars) {
  if (!region.hasOneBlock()) return check.error("function must be one block");
  const auto arguments = region.front().getArgumentTypes();
  bool fits = arguments.size() == scalars.size();
  for (size_t i = 0; fits && i < scalars.size(); ++i) fits = is_scalar_of(arguments[i], scalars[i]);
  if (!fits) {
    return check.error("function must take ", scalars.size(), " scalars of the inputs' element types, in pairs; got ",
                       arguments);
  }
  if (auto returned = returned_types(region)) {
    const Type pred = mlir::IntegerType::get(scalars.front().getContext(), 1);
    if (returned->size() != 1 || !is_scalar_of(returned->front(), pred)) {
      return check.error("function must return one tensor<i1>; got ", *returned);
    }
  }
  return success();
}

// One shape for all inputs.
static LogicalResult check_same_shapes(const Check& check, mlir::ValueRange inputs, Dims& shape) {
  if (inputs.empty()) return check.error("needs at least one operand");
  shape.assign(tensor(inputs.front()).getShape().begin(), tensor(inputs.front()).getShape().end());
  for (const mlir::Value input : inputs) {
    if (!detail::are_compatible_shapes(shape, tensor(input).getShape())) {
      return check.error("inputs must have one shape; got ", inputs.front().getType(), " and ", input.getType());
    }
    for (auto [known, size] : llvm::zip_equal(shape, tensor(input).getShape())) known = join_size(known, size);
  }
  return success();
}

namespace trait {
LogicalResult verify_regions(mlir::Operation* op) {
  for (mlir::Region& region : op->getRegions()) {
    if (region.empty()) continue;
    if (!region.hasOneBlock() || region.front().empty() || !llvm::isa<ReturnOp>(region.front().back())) {
      return op->emitOpError("regions must be one block that ends in stablehlo.return");
    }
  }
  return success();
}
}  // namespace trait

// -------------------------------------------------------------------------------------- map, reduce
LogicalResult MapOp::infer(MaybeLocation location, Adaptor op, Types& results) {
  const Check check(location, getOperationName());
  Dims shape;
  if (check_same_shapes(check, op.getInputs(), shape).failed()) return failure();
  if (!llvm::equal(op.getDimensions(), llvm::seq<int64_t>(0, shape.size()))) {
    return check.error("dimensions must be all axes in order; got ", Print{op.getDimensions()}, " for ",
                       op.getInputs().front().getType());
  }
  mlir::Region& region = op.getComputation();
  if (!region.hasOneBlock() || region.front().getNumArguments() != op.getInputs().size()) {
    return check.error("function must take one scalar for each input");
  }
  for (auto [argument, input] : llvm::zip_equal(region.front().getArguments(), op.getInputs())) {
    if (!is_scalar_of(argument.getType(), tensor(input).getElementType())) {
      return check.error("function must take scalars of the inputs' element types; got ", argument.getType(), " for ",
                         input.getType());
    }
  }
  auto returned = returned_types(region);
  const auto scalar = returned && returned->size() == 1 ? llvm::dyn_cast<RankedTensorType>(returned->front()) : nullptr;
  if (!scalar || scalar.getRank() != 0) return check.error("function must return one scalar");
  results.push_back(make_tensor(shape, scalar.getElementType()));
  return success();
}

LogicalResult ReduceOp::infer(MaybeLocation location, Adaptor op, Types& results) {
  const Check check(location, getOperationName());
  Dims shape;
  llvm::SmallVector<Type> elements;
  if (check_same_shapes(check, op.getInputs(), shape).failed() ||
      check.axes("dimensions", op.getDimensions(), static_cast<int64_t>(shape.size())).failed() ||
      check_combiner(check, op.getBody(), op.getInputs(), op.getInitValues(), elements).failed()) {
    return failure();
  }
  Dims kept;
  for (auto [i, size] : llvm::enumerate(shape)) {
    if (!llvm::is_contained(op.getDimensions(), static_cast<int64_t>(i))) kept.push_back(size);
  }
  for (const Type element : elements) results.push_back(make_tensor(kept, element));
  return success();
}
mlir::OperandRange ReduceOp::reductionInputs() { return getInputs(); }
mlir::OperandRange ReduceOp::reductionInits() { return getInitValues(); }
DimsRef ReduceOp::reducedDimensions() { return getDimensions(); }
std::optional<ScalarOp> ReduceOp::combinerOp() {
  return getInputs().size() == 1 ? single_scalar_op(getBody()) : std::nullopt;
}

LogicalResult ReduceWindowOp::infer(MaybeLocation location, Adaptor op, Types& results) {
  const Check check(location, getOperationName());
  Dims shape;
  llvm::SmallVector<Type> elements;
  Window window;
  if (check_same_shapes(check, op.getInputs(), shape).failed() ||
      check.length("window_dimensions", op.getWindowDimensions(), static_cast<int64_t>(shape.size())).failed() ||
      make_window(check, op.getWindowDimensions(), or_empty(op.getWindowStrides()), op.getPaddingAttr(),
                  or_empty(op.getBaseDilations()), or_empty(op.getWindowDilations()), window).failed() ||
      check_combiner(check, op.getBody(), op.getInputs(), op.getInitValues(), elements).failed()) {
    return failure();
  }
  Dims out;
  if (window_shape(check, shape, window, out).failed()) return failure();
  for (const Type element : elements) results.push_back(make_tensor(out, element));
  return success();
}

LogicalResult SelectAndScatterOp::infer(MaybeLocation location, Adaptor op, Types& results) {
  const Check check(location, getOperationName());
  const auto type = tensor(op.getOperand()), source = tensor(op.getSource());
  Dims sizes(or_empty(op.getWindowDimensions()));
  if (sizes.empty()) sizes.assign(type.getRank(), 1);
  Window window;
  llvm::SmallVector<Type> elements;
  if (check.length("window_dimensions", sizes, type.getRank()).failed() ||
      make_window(check, sizes, or_empty(op.getWindowStrides()), op.getPaddingAttr(), {}, {}, window).failed() ||
      check_predicate(check, op.getSelect(), {type.getElementType(), type.getElementType()}).failed() ||
      check_combiner(check, op.getScatter(), op.getSource(), op.getInitValue(), elements).failed()) {
    return failure();
  }
  Dims windows;
  if (window_shape(check, type.getShape(), window, windows).failed()) return failure();
  if (!detail::are_compatible(source, make_tensor(windows, type.getElementType()))) {
    return check.error("source must have one element for each window, ", make_tensor(windows, type.getElementType()),
                       "; got ", source);
  }
  results.push_back(with_element(type, elements.front()));
  return success();
}

LogicalResult SortOp::infer(MaybeLocation location, Adaptor op, Types& results) {
  const Check check(location, getOperationName());
  Dims shape;
  if (check_same_shapes(check, op.getInputs(), shape).failed()) return failure();
  const int64_t rank = static_cast<int64_t>(shape.size()), dim = static_cast<int64_t>(op.getDimension());
  if (rank != 0 && (dim < -rank || dim >= rank)) return check.error("dimension must be an axis; got ", dim, " for rank ", rank);
  llvm::SmallVector<Type> scalars;
  for (const mlir::Value input : op.getInputs()) {
    scalars.append(2, tensor(input).getElementType());
    results.push_back(input.getType());
  }
  return check_predicate(check, op.getComparator(), scalars);
}

// ------------------------------------------------------------------------------------------ scatter
LogicalResult ScatterOp::infer(MaybeLocation location, Adaptor op, Types& results) {
  const Check check(location, getOperationName());
  Dims shape, updates;
  llvm::SmallVector<Type> elements;
  if (check_same_shapes(check, op.getInputs(), shape).failed() ||
      check_same_shapes(check, op.getUpdates(), updates).failed() ||
      check_combiner(check, op.getUpdateComputation(), op.getInputs(), {}, elements).failed()) {
    return failure();
  }
  for (auto [input, update] : llvm::zip_equal(op.getInputs(), op.getUpdates())) {
    if (!detail::are_compatible_elements(tensor(input).getElementType(), tensor(update).getElementType())) {
      return check.error("inputs and updates must have one element type; got ", input.getType(), " and ",
                         update.getType());
    }
  }
  const ScatterDimensionNumbersAttr n = op.getScatterDimensionNumbers();
  const auto indices = tensor(op.getScatterIndices());
  const int64_t rank = static_cast<int64_t>(shape.size()), indices_rank = indices.getRank();
  const int64_t updates_rank = static_cast<int64_t>(updates.size()), vector_dim = n.getIndexVectorDim();
  if (vector_dim < 0 || vector_dim > indices_rank) {
    return check.error("index_vector_dim must be 0 to the rank of scatter_indices; got ", vector_dim, " for ", indices);
  }
  const DimsRef window = n.getUpdateWindowDims(), inserted = n.getInsertedWindowDims();
  const DimsRef input_batching = n.getInputBatchingDims(), indices_batching = n.getScatterIndicesBatchingDims();
  const Dims dropped = llvm::to_vector(llvm::concat<const int64_t>(inserted, input_batching));
  const Dims mapped = llvm::to_vector(llvm::concat<const int64_t>(n.getScatterDimsToOperandDims(), input_batching));
  if (check.axes("update_window_dims", window, updates_rank).failed() ||
      check.sorted("update_window_dims", window).failed() ||
      check.axes("inserted_window_dims and input_batching_dims", dropped, rank).failed() ||
      check.sorted("inserted_window_dims", inserted).failed() ||
      check.sorted("input_batching_dims", input_batching).failed() ||
      check.axes("scatter_dims_to_operand_dims and input_batching_dims", mapped, rank).failed() ||
      check.axes("scatter_indices_batching_dims", indices_batching, indices_rank).failed()) {
    return failure();
  }
  if (input_batching.size() != indices_batching.size()) {
    return check.error("inputs and indices must have as many batching dims; got ", Print{input_batching}, " and ",
                       Print{indices_batching});
  }
  if (llvm::is_contained(indices_batching, vector_dim)) {
    return check.error("index_vector_dim must not be a batching dim; got ", vector_dim);
  }
  for (auto [a, b] : llvm::zip_equal(input_batching, indices_batching)) {
    if (!same_size(shape[a], indices.getDimSize(b))) {
      return check.error("batching sizes differ; got ", op.getInputs().front().getType(), " and ", indices);
    }
  }
  const int64_t vector_size = vector_dim < indices_rank ? indices.getDimSize(vector_dim) : 1;
  if (!same_size(vector_size, n.getScatterDimsToOperandDims().size())) {
    return check.error("scatter_dims_to_operand_dims must have one entry for each component of an index; got ",
                       Print{n.getScatterDimsToOperandDims()}, " for ", indices);
  }
  if (static_cast<int64_t>(window.size() + dropped.size()) != rank) {
    return check.error("update_window_dims, inserted_window_dims and input_batching_dims must have an entry for each axis of ",
                       op.getInputs().front().getType());
  }
  Dims scattered;
  for (int64_t i = 0; i < indices_rank; ++i) {
    if (i != vector_dim) scattered.push_back(indices.getDimSize(i));
  }
  if (updates_rank != static_cast<int64_t>(scattered.size() + window.size())) {
    return check.error("updates must have rank ", scattered.size() + window.size(), "; got ",
                       op.getUpdates().front().getType());
  }
  Dims window_sizes;
  for (int64_t i = 0; i < rank; ++i) {
    if (!llvm::is_contained(dropped, i)) window_sizes.push_back(shape[i]);
  }
  auto next_window = window_sizes.begin(), next_scattered = scattered.begin();
  for (int64_t i = 0; i < updates_rank; ++i) {
    const bool in_window = llvm::is_contained(window, i);
    const int64_t limit = in_window ? *next_window++ : *next_scattered++;
    if (dynamic(updates[i]) || dynamic(limit)) continue;
    if (in_window ? updates[i] > limit : updates[i] != limit) {
      return check.error("axis ", i, " of updates must ", in_window ? "fit into the input's size " : "have the indices' size ",
                         limit, "; got ", op.getUpdates().front().getType());
    }
  }
  for (auto [input, element] : llvm::zip_equal(op.getInputs(), elements)) results.push_back(with_element(tensor(input), element));
  return success();
}

}  // namespace tenon::stablehlo
