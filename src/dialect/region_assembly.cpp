// Text of the operations with a form of their own: constant, reduce, while, fusion.
#include "dialect/assembly.h"
#include "dialect/captured_arrays.h"
#include "dialect/tenon_ops.h"
#include "mlir/IR/Builders.h"

namespace tenon::stablehlo {

using mlir::Attribute;
using mlir::Block;
using mlir::FunctionType;
using mlir::NamedAttrList;
using mlir::OpAsmParser;
using mlir::OpAsmPrinter;
using mlir::OperationState;
using mlir::ParseResult;
using mlir::RankedTensorType;
using mlir::Type;
using mlir::failure;
using mlir::success;

// ----------------------------------------------------------------------------------------- constant
// `stablehlo.constant dense<1.0> : tensor<2xf32>`; a constant of quantized type, whose value has the
// storage type, is written `stablehlo.constant() <{value = ...}> : () -> T`.
ParseResult ConstantOp::parse(OpAsmParser& parser, OperationState& result) {
  Type type;
  if (succeeded(parser.parseOptionalLParen())) {
    FunctionType function;
    if (parser.parseRParen()) return failure();
    if (succeeded(parser.parseOptionalLess())) {
      NamedAttrList list;
      if (parser.parseOptionalAttrDict(list) || parser.parseGreater()) return failure();
      result.attributes.append(list);
    }
    if (parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(function)) return failure();
    if (function.getNumInputs() != 0 || function.getNumResults() != 1) {
      return parser.emitError(parser.getNameLoc(), "expected a type () -> T");
    }
    type = function.getResult(0);
  } else {
    mlir::ElementsAttr value;
    if (parser.parseOptionalAttrDict(result.attributes) || parser.parseAttribute(value, "value", result.attributes)) {
      return failure();
    }
    type = value.getType();
  }
  result.addTypes(type);
  return success();
}

void ConstantOp::print(OpAsmPrinter& printer) {
  if (getValue().getType() == getType()) {
    printer.printOptionalAttrDict((*this)->getDiscardableAttrDictionary().getValue());
    printer << ' ';
    print_elements(printer, getValue());
    return;
  }
  printer << "() <{value = " << getValue() << "}>";
  printer.printOptionalAttrDict((*this)->getDiscardableAttrDictionary().getValue());
  printer << " : () -> " << getType();
}

void ConstantOp::getAsmResultNames(mlir::OpAsmSetValueNameFn set_name) {
  const auto tensor = llvm::dyn_cast<RankedTensorType>(getType());
  set_name(getResult(), tensor && llvm::isa<mlir::IntegerType>(tensor.getElementType()) ? "c" : "cst");
}

mlir::OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

// ------------------------------------------------------------------------------------------- reduce
// The name of an operation that `applies` can stand for: commutative, binary, without attributes.
static bool can_be_applied(mlir::OperationName name) {
  return name.getDialectNamespace() == "stablehlo" && name.hasTrait<mlir::OpTrait::IsCommutative>() &&
         name.hasTrait<mlir::OpTrait::NOperands<2>::Impl>() && name.hasTrait<mlir::OpTrait::OneResult>();
}

// The combiner `(a, b) -> op(a, b)` of one input, in the input's element type, with nothing else to say.
static mlir::Operation* applied_op(ReduceOp op) {
  if (op.getInputs().size() != 1 || !op.getBody().hasOneBlock()) return nullptr;
  Block& block = op.getBody().front();
  if (!llvm::hasNItems(block, 2) || block.getNumArguments() != 2 || !llvm::isa<ReturnOp>(block.back())) return nullptr;
  mlir::Operation& inner = block.front();
  if (!can_be_applied(inner.getName()) || !inner.getDiscardableAttrs().empty()) return nullptr;
  const auto input = llvm::dyn_cast<RankedTensorType>(op.getInputs().front().getType());
  if (!input) return nullptr;
  const Type scalar = RankedTensorType::get({}, input.getElementType());
  const auto is_scalar = [&](mlir::Value value) { return value.getType() == scalar; };
  if (!llvm::equal(inner.getOperands(), block.getArguments()) || !llvm::all_of(inner.getOperands(), is_scalar) ||
      !is_scalar(inner.getResult(0)) || !llvm::equal(block.back().getOperands(), inner.getResults())) {
    return nullptr;
  }
  return &inner;
}

ParseResult ReduceOp::parse(OpAsmParser& parser, OperationState& result) {
  const llvm::SMLoc where = parser.getCurrentLocation();
  llvm::SmallVector<Unresolved> inputs, inits;
  const auto pair = [&]() -> ParseResult {
    return failure(parser.parseLParen() || parser.parseOperand(inputs.emplace_back()) || parser.parseKeyword("init") ||
                   parser.parseColon() || parser.parseOperand(inits.emplace_back()) || parser.parseRParen());
  };
  if (parser.parseCommaSeparatedList(pair)) return failure();
  inputs.append(inits);

  std::optional<mlir::OperationName> applied;
  if (succeeded(parser.parseOptionalKeyword("applies"))) {
    const llvm::SMLoc name_at = parser.getCurrentLocation();
    const mlir::FailureOr<mlir::OperationName> name = parser.parseCustomOperationName();
    if (failed(name)) return failure();
    if (!can_be_applied(*name)) {
      return parser.emitError(name_at) << "'applies' takes a commutative binary operation of stablehlo; got '" << *name
                                       << "'";
    }
    applied = *name;
  }

  llvm::SmallVector<int64_t> dimensions;
  FunctionType function;
  if (parser.parseKeyword("across") || parser.parseKeyword("dimensions") || parser.parseEqual() ||
      parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square,
                                     [&] { return parser.parseInteger(dimensions.emplace_back()); }) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(function) ||
      parser.resolveOperands(inputs, function.getInputs(), where, result.operands)) {
    return failure();
  }
  result.addAttribute("dimensions", parser.getBuilder().getDenseI64ArrayAttr(dimensions));
  result.addTypes(function.getResults());
  mlir::Region& body = *result.addRegion();

  if (applied) {
    const auto input = llvm::dyn_cast<RankedTensorType>(function.getInput(0));
    if (!input || inits.size() != 1) return parser.emitError(where, "'applies' reduces one tensor");
    const mlir::Location location = parser.getEncodedSourceLoc(parser.getNameLoc());
    const Type scalar = RankedTensorType::get({}, input.getElementType());
    Block& block = body.emplaceBlock();
    block.addArguments({scalar, scalar}, {location, location});
    mlir::OpBuilder builder(parser.getContext());
    builder.setInsertionPointToEnd(&block);
    OperationState inner(location, *applied);
    inner.addOperands(block.getArguments());
    inner.addTypes(scalar);
    ReturnOp::create(builder, location, builder.create(inner)->getResults());
    return success();
  }

  llvm::SmallVector<OpAsmParser::Argument> accumulators, elements;
  if (parser.parseKeyword("reducer")) return failure();
  for (size_t i = 0; i < inits.size(); ++i) {
    if (parser.parseLParen() || parser.parseArgument(accumulators.emplace_back(), /*allowType=*/true) ||
        parser.parseComma() || parser.parseArgument(elements.emplace_back(), /*allowType=*/true) ||
        parser.parseRParen()) {
      return failure();
    }
  }
  accumulators.append(elements);
  return parser.parseRegion(body, accumulators);
}

void ReduceOp::print(OpAsmPrinter& printer) {
  printer << "(";
  llvm::interleave(llvm::zip(getInputs(), getInitValues()), printer.getStream(), [&](auto pair) {
    printer << std::get<0>(pair) << " init: " << std::get<1>(pair);
  }, "), (");
  printer << ")";
  mlir::Operation* applied = applied_op(*this);
  if (applied) printer << " applies " << applied->getName().getStringRef();
  printer << " across dimensions = [";
  llvm::interleaveComma(getDimensions(), printer.getStream());
  printer << "]";
  printer.printOptionalAttrDict((*this)->getDiscardableAttrDictionary().getValue());
  printer << " : ";
  printer.printFunctionalType(*this);
  if (applied) return;
  printer.printNewline();
  printer << " reducer";
  const size_t n = getInputs().size();
  if (Block* block = getBody().empty() ? nullptr : &getBody().front()) {
    for (size_t i = 0; i < n && i + n < block->getNumArguments(); ++i) {
      printer << "(";
      printer.printRegionArgument(block->getArgument(i));
      printer << ", ";
      printer.printRegionArgument(block->getArgument(i + n));
      printer << ") ";
    }
  }
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

// -------------------------------------------------------------------------------------------- while
ParseResult WhileOp::parse(OpAsmParser& parser, OperationState& result) {
  const llvm::SMLoc where = parser.getCurrentLocation();
  llvm::SmallVector<OpAsmParser::Argument> arguments;
  llvm::SmallVector<Unresolved> operands;
  llvm::SmallVector<Type> types;
  const auto assignment = [&]() -> ParseResult {
    return failure(parser.parseArgument(arguments.emplace_back()) || parser.parseEqual() ||
                   parser.parseOperand(operands.emplace_back()));
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, assignment)) return failure();
  if (!operands.empty() && parser.parseColonTypeList(types)) return failure();
  if (parser.resolveOperands(operands, types, where, result.operands) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes)) {
    return failure();
  }
  result.addTypes(types);
  for (auto [argument, type] : llvm::zip_equal(arguments, types)) argument.type = type;
  return failure(parser.parseKeyword("cond") || parser.parseRegion(*result.addRegion(), arguments) ||
                 parser.parseKeyword("do") || parser.parseRegion(*result.addRegion(), arguments));
}

void WhileOp::print(OpAsmPrinter& printer) {
  printer << "(";
  llvm::interleaveComma(llvm::zip(getBody().getArguments(), getOperand()), printer, [&](auto pair) {
    printer << std::get<0>(pair) << " = " << std::get<1>(pair);
  });
  printer << ")";
  if (!getOperand().empty()) {
    printer << " : ";
    llvm::interleaveComma(getOperand().getTypes(), printer);
  }
  printer.printOptionalAttrDictWithKeyword((*this)->getDiscardableAttrDictionary().getValue());
  printer.printNewline();
  printer << "cond ";
  printer.printRegion(getCond(), /*printEntryBlockArgs=*/false);
  printer << " do ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

void WhileOp::getAsmBlockArgumentNames(mlir::Region& region, mlir::OpAsmSetValueNameFn set_name) {
  for (const mlir::BlockArgument argument : region.getArguments()) set_name(argument, "iterArg");
}

}  // namespace tenon::stablehlo

namespace tenon::ir {

using namespace mlir;

// `tenon.fusion loop "add_sine"(%p0 = %0, %p1 = %1) : (T, U) -> V attributes {...} { ... }`
ParseResult FusionOp::parse(OpAsmParser& parser, OperationState& result) {
  const llvm::SMLoc where = parser.getCurrentLocation();
  llvm::StringRef word;
  StringAttr name;
  llvm::SmallVector<OpAsmParser::Argument> arguments;
  llvm::SmallVector<OpAsmParser::UnresolvedOperand> operands;
  FunctionType function;
  const auto assignment = [&]() -> ParseResult {
    return failure(parser.parseArgument(arguments.emplace_back()) || parser.parseEqual() ||
                   parser.parseOperand(operands.emplace_back()));
  };
  if (parser.parseKeyword(&word)) return failure();
  const std::optional<FusionKind> kind = symbolizeFusionKind(word);
  if (!kind) return parser.emitError(where) << "expected loop, input, output or custom; got '" << word << "'";
  if (parser.parseAttribute(name) || parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, assignment) ||
      parser.parseColonType(function) || parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.resolveOperands(operands, function.getInputs(), where, result.operands)) {
    return failure();
  }
  for (auto [argument, type] : llvm::zip_equal(arguments, function.getInputs())) argument.type = type;
  result.addAttribute("kind", FusionKindAttr::get(parser.getContext(), *kind));
  result.addAttribute("name", name);
  result.addTypes(function.getResults());
  return parser.parseRegion(*result.addRegion(), arguments);
}

void FusionOp::print(OpAsmPrinter& printer) {
  printer << ' ' << stringifyFusionKind(getKind()) << ' ' << getNameAttr() << '(';
  llvm::interleaveComma(llvm::zip(getBody().getArguments(), getInputs()), printer, [&](auto pair) {
    printer << std::get<0>(pair) << " = " << std::get<1>(pair);
  });
  printer << ") : ";
  printer.printFunctionalType(*this);
  printer.printOptionalAttrDictWithKeyword((*this)->getDiscardableAttrDictionary().getValue());
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

void FusionOp::getAsmBlockArgumentNames(Region& region, OpAsmSetValueNameFn set_name) {
  for (const BlockArgument argument : region.getArguments()) set_name(argument, "p");
}

LogicalResult FusionOp::verify() {
  Block& block = getBody().front();
  if (block.getArgumentTypes() != getInputs().getTypes()) {
    return emitOpError("block arguments must be as the operands; got ")
           << block.getArgumentTypes() << " for " << getInputs().getTypes();
  }
  auto yield = llvm::dyn_cast<YieldOp>(block.mightHaveTerminator() ? &block.back() : nullptr);
  if (!yield) return emitOpError("body must end in tenon.yield");
  if (yield.getResults().getTypes() != getResults().getTypes()) {
    return emitOpError("yielded types must be the results' types; got ")
           << yield.getResults().getTypes() << " for " << getResults().getTypes();
  }
  return success();
}

LogicalResult CopyOp::verify() {
  if (getOperand().getType().getShape() == getType().getShape() &&
      getOperand().getType().getElementType() == getType().getElementType()) {
    return success();
  }
  return emitOpError("must keep shape and element type; got ") << getOperand().getType() << " -> " << getType();
}

}  // namespace tenon::ir
