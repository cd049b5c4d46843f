// CHLO: registration, attributes, result types.
#include "dialect/chlo.h"

#include "dialect/assembly.h"
#include "dialect/infer.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

#include "dialect/chlo_dialect.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialect/chlo_attrs.cpp.inc"

namespace tenon::chlo {

using namespace tenon::stablehlo;

void ChloDialect::initialize() {
  registerChloDialectOperations(this);
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialect/chlo_attrs.cpp.inc"
      >();
}

mlir::Attribute RaggedDotDimensionNumbersAttr::parse(mlir::AsmParser& parser, mlir::Type) {
  Dims lists[6];
  if (StructParser(parser)
          .list("lhs_batching_dimensions", lists[0])
          .list("rhs_batching_dimensions", lists[1])
          .list("lhs_contracting_dimensions", lists[2])
          .list("rhs_contracting_dimensions", lists[3])
          .list("lhs_ragged_dimensions", lists[4])
          .list("rhs_group_dimensions", lists[5])
          .parse()) {
    return {};
  }
  return get(parser.getContext(), lists[0], lists[1], lists[2], lists[3], lists[4], lists[5]);
}
void RaggedDotDimensionNumbersAttr::print(mlir::AsmPrinter& printer) const {
  StructPrinter p(printer);
  p.list("lhs_batching_dimensions", getLhsBatchingDimensions());
  p.list("rhs_batching_dimensions", getRhsBatchingDimensions());
  p.list("lhs_contracting_dimensions", getLhsContractingDimensions());
  p.list("rhs_contracting_dimensions", getRhsContractingDimensions());
  p.list("lhs_ragged_dimensions", getLhsRaggedDimensions());
  p.list("rhs_group_dimensions", getRhsGroupDimensions());
}

static LogicalResult infer_pred(mlir::Value operand, Types& results) {
  const auto type = tensor(operand);
  results.push_back(with_element(type, mlir::IntegerType::get(type.getContext(), 1)));
  return success();
}
LogicalResult IsInfOp::infer(MaybeLocation, Adaptor op, Types& results) { return infer_pred(op.getOperand(), results); }
LogicalResult IsNegInfOp::infer(MaybeLocation, Adaptor op, Types& results) { return infer_pred(op.getOperand(), results); }
LogicalResult IsPosInfOp::infer(MaybeLocation, Adaptor op, Types& results) { return infer_pred(op.getOperand(), results); }

// NumPy's broadcasting of two shapes. `dims` places the axes of the smaller one, default at the end.
static LogicalResult broadcast_shapes(const Check& check, RankedTensorType lhs, RankedTensorType rhs,
                                      std::optional<DimsRef> dims, Dims& shape) {
  const bool lhs_is_larger = lhs.getRank() >= rhs.getRank();
  const RankedTensorType larger = lhs_is_larger ? lhs : rhs;
  const RankedTensorType smaller = lhs_is_larger ? rhs : lhs;
  shape.assign(larger.getShape().begin(), larger.getShape().end());
  Dims places;
  if (dims) {
    places.assign(dims->begin(), dims->end());
    if (check.length("broadcast_dimensions", places, smaller.getRank()).failed() ||
        check.axes("broadcast_dimensions", places, larger.getRank()).failed() ||
        check.sorted("broadcast_dimensions", places).failed()) {
      return failure();
    }
  } else {
    for (int64_t i = 0; i < smaller.getRank(); ++i) places.push_back(larger.getRank() - smaller.getRank() + i);
  }
  for (auto [i, place] : llvm::enumerate(places)) {
    const int64_t a = shape[place], b = smaller.getDimSize(i);
    if (!same_size(a, b) && a != 1 && b != 1) {
      return check.error("shapes do not broadcast together; got ", lhs, " and ", rhs);
    }
    if (a == 1) {
      shape[place] = b;
    } else if (dynamic(a) && !dynamic(b) && b != 1) {
      shape[place] = b;
    }
  }
  return success();
}

static LogicalResult infer_broadcasting(const Check& check, mlir::Value lhs, mlir::Value rhs,
                                        std::optional<DimsRef> dims, Types& results) {
  const auto l = tensor(lhs), r = tensor(rhs);
  if (!stablehlo::detail::are_compatible_elements(l.getElementType(), r.getElementType())) {
    return check.error("operands must have one element type; got ", l, " and ", r);
  }
  Dims shape;
  if (broadcast_shapes(check, l, r, dims, shape).failed()) return failure();
  results.push_back(make_tensor(shape, l.getElementType()));
  return success();
}

#define TENON_INFER_BROADCAST(name, ...)                                                                      \
  LogicalResult Broadcast##name##Op::infer(MaybeLocation location, Adaptor op, Types& results) {              \
    const Check check(location, getOperationName());                                                          \
    if (infer_broadcasting(check, op.getLhs(), op.getRhs(), op.getBroadcastDimensions(), results).failed()) { \
      return failure();                                                                                       \
    }                                                                                                         \
    [[maybe_unused]] const auto type = tensor(results.back());                                                \
    __VA_ARGS__;                                                                                              \
    return success();                                                                                         \
  }
TENON_INFER_BROADCAST(Add)
TENON_INFER_BROADCAST(And)
TENON_INFER_BROADCAST(Atan2)
TENON_INFER_BROADCAST(Divide)
TENON_INFER_BROADCAST(Maximum)
TENON_INFER_BROADCAST(Minimum)
TENON_INFER_BROADCAST(Multiply)
TENON_INFER_BROADCAST(NextAfter)
TENON_INFER_BROADCAST(Or)
TENON_INFER_BROADCAST(Polygamma)
TENON_INFER_BROADCAST(Power)
TENON_INFER_BROADCAST(Remainder)
TENON_INFER_BROADCAST(ShiftLeft)
TENON_INFER_BROADCAST(ShiftRightArithmetic)
TENON_INFER_BROADCAST(ShiftRightLogical)
TENON_INFER_BROADCAST(Subtract)
TENON_INFER_BROADCAST(Xor)
TENON_INFER_BROADCAST(Zeta)
TENON_INFER_BROADCAST(Complex, results.back() = with_element(type, mlir::ComplexType::get(type.getElementType())))
TENON_INFER_BROADCAST(Compare, results.back() = with_element(type, mlir::IntegerType::get(type.getContext(), 1)))
#undef TENON_INFER_BROADCAST

LogicalResult BroadcastSelectOp::infer(MaybeLocation location, Adaptor op, Types& results) {
  const Check check(location, getOperationName());
  llvm::SmallVector<Type, 1> branches;
  if (infer_broadcasting(check, op.getOnTrue(), op.getOnFalse(), std::nullopt, branches).failed()) return failure();
  Dims shape;
  const auto type = tensor(branches.front());
  if (broadcast_shapes(check, tensor(op.getPred()), type, std::nullopt, shape).failed()) return failure();
  results.push_back(make_tensor(shape, type.getElementType()));
  return success();
}

LogicalResult ConstantOp::infer(MaybeLocation location, Adaptor op, Types& results) {
  if (!op.getValue()) return Check(location, getOperationName()).error("needs a value");
  results.push_back(op.getValue().getType());
  return success();
}
mlir::OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

LogicalResult ConstantLikeOp::infer(MaybeLocation location, Adaptor op, Types& results) {
  const auto type = tensor(op.getOperand());
  const Type element = op.getValue().getType();
  if (!stablehlo::detail::kind_of(element)) return Check(location, getOperationName()).error("value must be a number; got ", op.getValue());
  results.push_back(with_element(type, element));
  return success();
}

LogicalResult TopKOp::infer(MaybeLocation location, Adaptor op, Types& results) {
  const Check check(location, getOperationName());
  const auto type = tensor(op.getOperand());
  const int64_t k = static_cast<int64_t>(op.getK());
  if (type.getRank() == 0) return check.error("operand must have at least one axis; got ", type);
  const int64_t last = type.getShape().back();
  if (k < 0 || (!dynamic(last) && k > last)) {
    return check.error("k must be 0 to the size of the last axis; got ", k, " for ", type);
  }
  Dims shape(type.getShape());
  shape.back() = k;
  results.push_back(make_tensor(shape, type.getElementType()));
  results.push_back(make_tensor(shape, mlir::IntegerType::get(type.getContext(), 32)));
  return success();
}

LogicalResult RaggedDotOp::verify() {
  const Check check = Check::of(*this);
  const auto l = getLhs().getType(), r = getRhs().getType();
  const auto n = getRaggedDotDimensionNumbers();
  const Dims lhs_dims =
      llvm::to_vector(llvm::concat<const int64_t>(n.getLhsBatchingDimensions(), n.getLhsContractingDimensions()));
  const Dims rhs_dims = llvm::to_vector(llvm::concat<const int64_t>(
      n.getRhsBatchingDimensions(), n.getRhsContractingDimensions(), n.getRhsGroupDimensions()));
  if (check.axes("lhs dimensions", lhs_dims, l.getRank()).failed() ||
      check.axes("rhs dimensions", rhs_dims, r.getRank()).failed() ||
      check.axes("lhs_ragged_dimensions", n.getLhsRaggedDimensions(), l.getRank()).failed() ||
      check.length("lhs_ragged_dimensions", n.getLhsRaggedDimensions(), 1).failed()) {
    return failure();
  }
  return success();
}

// `chlo.scan(%inputs) inits (%inits) dimension=0 attributes {...} { ... } : (inputs, inits) -> (outputs, carries)`
mlir::ParseResult ScanOp::parse(mlir::OpAsmParser& parser, mlir::OperationState& result) {
  const llvm::SMLoc where = parser.getCurrentLocation();
  llvm::SmallVector<Unresolved> operands, inits;
  mlir::IntegerAttr dimension;
  mlir::FunctionType function;
  if (parser.parseOperandList(operands, mlir::OpAsmParser::Delimiter::Paren) || parser.parseKeyword("inits") ||
      parser.parseOperandList(inits, mlir::OpAsmParser::Delimiter::Paren) || parser.parseKeyword("dimension") ||
      parser.parseEqual() ||
      parser.parseAttribute(dimension, parser.getBuilder().getI64Type(), "dimension", result.attributes) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes) || parser.parseRegion(*result.addRegion()) ||
      parser.parseColonType(function)) {
    return failure();
  }
  const auto inputs_size = static_cast<int32_t>(operands.size()), inits_size = static_cast<int32_t>(inits.size());
  const auto outputs_size = static_cast<int32_t>(function.getNumResults()) - inits_size;
  operands.append(inits);
  if (outputs_size < 0) return parser.emitError(where, "needs one result for each init");
  if (parser.resolveOperands(operands, function.getInputs(), where, result.operands)) return failure();
  result.addTypes(function.getResults());
  auto& properties = result.getOrAddProperties<Properties>();
  properties.operandSegmentSizes = {inputs_size, inits_size};
  properties.resultSegmentSizes = {outputs_size, inits_size};
  return success();
}
void ScanOp::print(mlir::OpAsmPrinter& printer) {
  printer << "(" << getInputs() << ") inits (" << getInits() << ") dimension=" << getDimension() << ' ';
  mlir::NamedAttrList attributes((*this)->getAttrDictionary());
  if (getIsReverseAttr() && !getIsReverse()) attributes.erase("is_reverse");
  printer.printOptionalAttrDictWithKeyword(attributes, {"dimension", "operandSegmentSizes", "resultSegmentSizes"});
  printer << ' ';
  printer.printRegion(getBody());
  printer << " : ";
  printer.printFunctionalType(*this);
}
void ScanOp::getAsmBlockArgumentNames(mlir::Region& region, mlir::OpAsmSetValueNameFn set_name) {
  for (const mlir::BlockArgument argument : region.getArguments()) {
    set_name(argument, argument.getArgNumber() < getInputs().size() ? "input" : "carry");
  }
}

}  // namespace tenon::chlo
