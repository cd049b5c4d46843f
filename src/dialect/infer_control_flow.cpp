// Result types and checks of control flow, calls, tokens, tuples, random bits and collectives.
#include "dialect/infer.h"
#include "mlir/IR/Builders.h"

namespace tenon::stablehlo {

// -------------------------------------------------------------------------------------- branches, loop
// Results are what a branch returns; `verify` compares the branches.
static LogicalResult infer_branches(mlir::RegionRange branches, Types& results) {
  for (mlir::Region* branch : branches) {
    if (auto types = returned_types(*branch)) {
      results.append(types->begin(), types->end());
      return success();
    }
  }
  return success();
}
static LogicalResult verify_branches(mlir::Operation* op) {
  for (auto [i, branch] : llvm::enumerate(op->getRegions())) {
    if (branch.getNumArguments() != 0) {
      return op->emitOpError("branches must take no arguments; branch ") << i << " takes " << branch.getNumArguments();
    }
    auto types = returned_types(branch);
    if (types && !detail::are_compatible(*types, op->getResultTypes())) {
      return op->emitOpError("branch ") << i << " must return the results' types; got " << *types << " for "
                                        << op->getResultTypes();
    }
  }
  return success();
}
LogicalResult CaseOp::infer(MaybeLocation, Adaptor op, Types& results) { return infer_branches(op.getRegions(), results); }
LogicalResult CaseOp::verify() {
  if (getBranches().empty()) return emitOpError("needs at least one branch");
  return verify_branches(*this);
}
LogicalResult IfOp::infer(MaybeLocation, Adaptor op, Types& results) { return infer_branches(op.getRegions(), results); }
LogicalResult IfOp::verify() { return verify_branches(*this); }

LogicalResult WhileOp::infer(MaybeLocation, Adaptor op, Types& results) {
  llvm::append_range(results, op.getOperand().getTypes());
  return success();
}
LogicalResult WhileOp::verify() {
  const auto operands = getOperand().getTypes();
  for (mlir::Region* region : {&getCond(), &getBody()}) {
    if (!detail::are_compatible(region->getArgumentTypes(), operands)) {
      return emitOpError("regions must take the operands' types; got ") << region->getArgumentTypes() << " for " << operands;
    }
  }
  auto cond = returned_types(getCond());
  if (cond) {
    const bool fits = cond->size() == 1 && detail::is_tensor_of(cond->front(), detail::kPred) &&
                      tensor(cond->front()).getRank() == 0;
    if (!fits) return emitOpError("condition must return one tensor<i1>; got ") << *cond;
  }
  auto body = returned_types(getBody());
  if (body && !detail::are_compatible(*body, operands)) {
    return emitOpError("body must return the operands' types; got ") << *body << " for " << operands;
  }
  return success();
}

LogicalResult AsyncDoneOp::infer(MaybeLocation, Adaptor op, Types& results) {
  llvm::append_range(results, llvm::cast<FutureType>(op.getOperand().getType()).getTypes());
  return success();
}

LogicalResult OptimizationBarrierOp::infer(MaybeLocation, Adaptor op, Types& results) {
  llvm::append_range(results, op.getOperand().getTypes());
  return success();
}

// ------------------------------------------------------------------------------------------- calls
using Effects = llvm::SmallVectorImpl<mlir::SideEffects::EffectInstance<mlir::MemoryEffects::Effect>>;

void CustomCallOp::getEffects(Effects& effects) {
  if (!getHasSideEffect()) return;
  effects.emplace_back(mlir::MemoryEffects::Write::get());
  effects.emplace_back(mlir::MemoryEffects::Read::get());
}
static LogicalResult check_layouts(mlir::Operation* op, llvm::StringRef what, mlir::ArrayAttr layouts,
                                   mlir::TypeRange types) {
  if (layouts.size() != types.size()) {
    return op->emitOpError(what) << " must have one layout for each value; got " << layouts.size() << " for "
                                 << types.size();
  }
  for (auto [attribute, type] : llvm::zip_equal(layouts, types)) {
    const auto layout = llvm::dyn_cast<mlir::DenseIntElementsAttr>(attribute);
    if (!layout || !layout.getElementType().isIndex() || layout.getType().getRank() != 1) {
      return op->emitOpError(what) << " must be lists of index values; got " << attribute;
    }
    const auto shaped = llvm::dyn_cast<RankedTensorType>(type);
    if (!shaped) continue;
    Dims order;
    for (const llvm::APInt& dim : layout.getValues<llvm::APInt>()) order.push_back(dim.getSExtValue());
    llvm::sort(order);
    if (!llvm::equal(order, llvm::seq<int64_t>(0, shaped.getRank()))) {
      return op->emitOpError(what) << " must hold each axis once; got " << layout << " for " << type;
    }
  }
  return success();
}
LogicalResult CustomCallOp::verify() {
  if (getOperandLayouts().has_value() != getResultLayouts().has_value()) {
    return emitOpError("operand_layouts and result_layouts go together");
  }
  if (getOperandLayouts() &&
      check_layouts(*this, "operand_layouts", *getOperandLayouts(), getInputs().getTypes()).failed()) {
    return failure();
  }
  if (getResultLayouts()) {
    llvm::SmallVector<Type> types(getResultTypes());
    if (types.size() == 1) {
      if (const auto tuple = llvm::dyn_cast<mlir::TupleType>(types.front())) types = llvm::to_vector(tuple.getTypes());
    }
    if (check_layouts(*this, "result_layouts", *getResultLayouts(), types).failed()) return failure();
  }
  for (const mlir::Attribute attribute : getOutputOperandAliases()) {
    const auto alias = llvm::cast<OutputOperandAliasAttr>(attribute);
    if (alias.getOperandIndex() < 0 || alias.getOperandIndex() >= static_cast<int64_t>(getInputs().size())) {
      return emitOpError("an alias must name an operand; got ") << alias.getOperandIndex();
    }
  }
  return success();
}
LogicalResult CompositeOp::verifySymbolUses(mlir::SymbolTableCollection& symbols) {
  mlir::Operation* target = symbols.lookupNearestSymbolFrom(*this, getDecompositionAttr());
  auto function = llvm::dyn_cast_if_present<mlir::FunctionOpInterface>(target);
  if (!function) return emitOpError("decomposition must be a function; got @") << getDecomposition();
  if (function.getArgumentTypes() != llvm::ArrayRef<Type>(llvm::to_vector(getInputs().getTypes())) ||
      function.getResultTypes() != llvm::ArrayRef<Type>(llvm::to_vector(getResultTypes()))) {
    return emitOpError("decomposition must have the operation's types; got @")
           << getDecomposition() << " : " << function.getFunctionType();
  }
  return success();
}

// ------------------------------------------------------------------------------------ tokens, tuples
static LogicalResult infer_token(mlir::MLIRContext* context, Types& results) {
  results.push_back(TokenType::get(context));
  return success();
}
LogicalResult AfterAllOp::inferReturnTypes(mlir::MLIRContext* context, MaybeLocation, mlir::ValueRange, mlir::DictionaryAttr,
                                           mlir::OpaqueProperties, mlir::RegionRange, Types& results) {
  return infer_token(context, results);
}
LogicalResult CreateTokenOp::inferReturnTypes(mlir::MLIRContext* context, MaybeLocation, mlir::ValueRange,
                                              mlir::DictionaryAttr, mlir::OpaqueProperties, mlir::RegionRange,
                                              Types& results) {
  return infer_token(context, results);
}
LogicalResult OutfeedOp::infer(MaybeLocation, Adaptor op, Types& results) {
  return infer_token(op.getToken().getContext(), results);
}
LogicalResult SendOp::infer(MaybeLocation, Adaptor op, Types& results) {
  return infer_token(op.getToken().getContext(), results);
}
LogicalResult TupleOp::inferReturnTypes(mlir::MLIRContext* context, MaybeLocation, mlir::ValueRange operands,
                                        mlir::DictionaryAttr, mlir::OpaqueProperties, mlir::RegionRange, Types& results) {
  results.push_back(mlir::TupleType::get(context, llvm::to_vector(operands.getTypes())));
  return success();
}
LogicalResult GetTupleElementOp::infer(MaybeLocation location, Adaptor op, Types& results) {
  const auto tuple = llvm::cast<mlir::TupleType>(op.getOperand().getType());
  const int64_t index = static_cast<int32_t>(op.getIndex());
  if (index < 0 || index >= static_cast<int64_t>(tuple.size())) {
    return Check(location, getOperationName()).error("index must be that of an element; got ", index, " for ", tuple);
  }
  results.push_back(tuple.getType(index));
  return success();
}

// ------------------------------------------------------------------------------------------ random
void RngOp::getEffects(Effects& effects) { effects.emplace_back(mlir::MemoryEffects::Write::get()); }
LogicalResult RngOp::verify() {
  const Check check = Check::of(*this);
  if (!same_size(getShape().getType().getDimSize(0), getType().getRank())) {
    return check.error("shape must have one size for each axis of the result; got ", getShape().getType(), " for ", getType());
  }
  for (const mlir::Value bound : {getA(), getB()}) {
    if (tensor(bound).getElementType() != getType().getElementType()) {
      return check.error("a, b and the result must have one element type; got ", bound.getType(), " for ", getType());
    }
  }
  if (getRngDistribution() == RngDistribution::NORMAL && !detail::is_tensor_of(getType(), detail::kFloat)) {
    return check.error("the normal distribution gives floats; got ", getType());
  }
  return success();
}
LogicalResult RngBitGeneratorOp::verify() {
  const Check check = Check::of(*this);
  const RankedTensorType state = getInitialState().getType();
  if (!detail::are_compatible(state, getOutputState().getType())) {
    return check.error("output state must have the initial state's type; got ", getOutputState().getType(), " for ", state);
  }
  const auto words = [&](llvm::ArrayRef<int64_t> counts) {
    return state.getRank() == 1 && (state.isDynamicDim(0) || llvm::is_contained(counts, state.getDimSize(0)));
  };
  const bool fits = getRngAlgorithm() == RngAlgorithm::DEFAULT
                        ? state.getRank() == 1
                        : words(getRngAlgorithm() == RngAlgorithm::THREE_FRY ? DimsRef{2} : DimsRef{2, 3});
  if (!fits || !detail::is_tensor_of(state, detail::kUInt)) {
    return check.error("state must be tensor<2xui64>, or tensor<3xui64> for PHILOX; got ", state);
  }
  return success();
}

// -------------------------------------------------------------------------------------- collectives
static LogicalResult infer_pass_through(mlir::ValueRange operands, Types& results) {
  llvm::append_range(results, operands.getTypes());
  return success();
}
static LogicalResult infer_ui32(mlir::MLIRContext* context, Types& results) {
  results.push_back(make_tensor({}, mlir::IntegerType::get(context, 32, mlir::IntegerType::Unsigned)));
  return success();
}
LogicalResult PartitionIdOp::inferReturnTypes(mlir::MLIRContext* context, MaybeLocation, mlir::ValueRange,
                                              mlir::DictionaryAttr, mlir::OpaqueProperties, mlir::RegionRange,
                                              Types& results) {
  return infer_ui32(context, results);
}
LogicalResult ReplicaIdOp::inferReturnTypes(mlir::MLIRContext* context, MaybeLocation, mlir::ValueRange,
                                            mlir::DictionaryAttr, mlir::OpaqueProperties, mlir::RegionRange,
                                            Types& results) {
  return infer_ui32(context, results);
}
LogicalResult AllGatherOp::verify() {
  const Check check = Check::of(*this);
  if (getOperands().size() != getResults().size()) return check.error("needs one result for each operand");
  const int64_t dim = static_cast<int64_t>(getAllGatherDim());
  for (auto [operand, result] : llvm::zip_equal(getOperands(), getResults())) {
    const auto from = tensor(operand), to = tensor(result);
    if (check.axis("all_gather_dim", dim, from.getRank()).failed()) return failure();
    if (to.getRank() != from.getRank() || !detail::are_compatible_elements(from.getElementType(), to.getElementType())) {
      return check.error("must keep rank and element type; got ", from, " -> ", to);
    }
    for (int64_t i = 0; i < from.getRank(); ++i) {
      const int64_t a = from.getDimSize(i), b = to.getDimSize(i);
      if (i == dim && !dynamic(a) && !dynamic(b) && a != 0 && b % a == 0) continue;
      if (!same_size(a, b)) return check.error("only all_gather_dim may grow, by a whole factor; got ", from, " -> ", to);
    }
  }
  return success();
}
static LogicalResult infer_reducing(const Check& check, mlir::ValueRange operands, mlir::Region& computation, Types& results) {
  for (const mlir::Value operand : operands) {
    llvm::SmallVector<Type, 1> elements;
    if (check_combiner(check, computation, operand, {}, elements).failed()) return failure();
    results.push_back(with_element(tensor(operand), elements.front()));
  }
  return success();
}
LogicalResult AllReduceOp::infer(MaybeLocation location, Adaptor op, Types& results) {
  return infer_reducing({location, getOperationName()}, op.getOperands(), op.getComputation(), results);
}
LogicalResult CollectiveReduceOp::infer(MaybeLocation location, Adaptor op, Types& results) {
  return infer_reducing({location, getOperationName()}, op.getOperands(), op.getComputation(), results);
}
LogicalResult CollectiveBroadcastOp::infer(MaybeLocation, Adaptor op, Types& results) {
  return infer_pass_through(op.getOperands(), results);
}
LogicalResult AllToAllOp::infer(MaybeLocation location, Adaptor op, Types& results) {
  const Check check(location, getOperationName());
  const int64_t split = static_cast<int64_t>(op.getSplitDimension()), concat = static_cast<int64_t>(op.getConcatDimension());
  const int64_t count = static_cast<int64_t>(op.getSplitCount());
  if (count < 1) return check.error("split_count must be positive; got ", count);
  for (const mlir::Value operand : op.getOperands()) {
    const auto type = tensor(operand);
    if (check.axis("split_dimension", split, type.getRank()).failed() ||
        check.axis("concat_dimension", concat, type.getRank()).failed()) {
      return failure();
    }
    Dims shape(type.getShape());
    if (!dynamic(shape[split])) {
      if (shape[split] % count != 0) return check.error("split_count must divide the split axis; got ", count, " for ", type);
      shape[split] /= count;
    }
    if (!dynamic(shape[concat]) && __builtin_mul_overflow(shape[concat], count, &shape[concat])) {
      return check.error("size of the result does not fit in 63 bits");
    }
    results.push_back(make_tensor(shape, type.getElementType()));
  }
  return success();
}
LogicalResult ReduceScatterOp::verify() {
  const Check check = Check::of(*this);
  const RankedTensorType from = getOperand().getType(), to = getType();
  const int64_t dim = static_cast<int64_t>(getScatterDimension());
  llvm::SmallVector<Type, 1> elements;
  if (check.axis("scatter_dimension", dim, from.getRank()).failed() ||
      check_combiner(check, getComputation(), getOperand(), {}, elements).failed()) {
    return failure();
  }
  if (to.getRank() != from.getRank()) return check.error("must keep the rank; got ", from, " -> ", to);
  for (int64_t i = 0; i < from.getRank(); ++i) {
    const int64_t a = from.getDimSize(i), b = to.getDimSize(i);
    if (i == dim && !dynamic(a) && !dynamic(b) && b != 0 && a % b == 0) continue;
    if (!same_size(a, b)) return check.error("only scatter_dimension may shrink, by a whole factor; got ", from, " -> ", to);
  }
  return success();
}

}  // namespace tenon::stablehlo
