// Text of operations whose form ODS cannot describe alone.
#include "dialect/assembly.h"

#include "llvm/ADT/SmallString.h"

namespace tenon::stablehlo {

using mlir::Attribute;
using mlir::FunctionType;
using mlir::OpAsmParser;
using mlir::OpAsmPrinter;
using mlir::Operation;
using mlir::ParseResult;
using mlir::RankedTensorType;
using mlir::Type;
using mlir::failure;
using mlir::success;
using DimsRef = llvm::ArrayRef<int64_t>;

static void print_dims(OpAsmPrinter& printer, DimsRef dims) {
  printer << "[";
  llvm::interleaveComma(dims, printer.getStream());
  printer << "]";
}
static ParseResult parse_dims(OpAsmParser& parser, llvm::SmallVectorImpl<int64_t>& dims) {
  return parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square,
                                        [&] { return parser.parseInteger(dims.emplace_back()); });
}
static ParseResult parse_dims(OpAsmParser& parser, mlir::DenseI64ArrayAttr& attribute) {
  llvm::SmallVector<int64_t> dims;
  if (parse_dims(parser, dims)) return failure();
  attribute = parser.getBuilder().getDenseI64ArrayAttr(dims);
  return success();
}
static ParseResult wrong_arity(OpAsmParser& parser, llvm::SMLoc where, size_t operands, FunctionType type) {
  return parser.emitError(where) << "expected " << operands << " operand types and one result type; got " << type;
}

// ------------------------------------------------------------------------------------- types after `:`
ParseResult parse_same_types(OpAsmParser& parser, llvm::ArrayRef<Type*> types) {
  const llvm::SMLoc where = parser.getCurrentLocation();
  Type type;
  if (parser.parseType(type)) return failure();
  if (const auto function = llvm::dyn_cast<FunctionType>(type)) {
    if (function.getNumInputs() + 1 != types.size() || function.getNumResults() != 1) {
      return wrong_arity(parser, where, types.size() - 1, function);
    }
    for (auto [out, input] : llvm::zip_first(function.getInputs(), types)) *input = out;
    *types.back() = function.getResult(0);
    return success();
  }
  for (Type* out : types) *out = type;
  return success();
}

static void print_function_type(OpAsmPrinter& printer, mlir::TypeRange operands, Type result) {
  printer << "(" << operands << ") -> " << result;
}

void print_same_types(OpAsmPrinter& printer, llvm::ArrayRef<Type> types) {
  if (llvm::all_equal(types)) {
    printer << types.back();
  } else {
    print_function_type(printer, types.drop_back(), types.back());
  }
}

ParseResult parseVariadicSameOperandsAndResultType(OpAsmParser& parser, llvm::ArrayRef<Unresolved> operands,
                                                   llvm::SmallVectorImpl<Type>& types, Type& result) {
  types.resize(operands.size());
  llvm::SmallVector<Type*> slots;
  for (Type& type : types) slots.push_back(&type);
  slots.push_back(&result);
  return parse_same_types(parser, slots);
}
void printVariadicSameOperandsAndResultType(OpAsmPrinter& printer, Operation*, mlir::OperandRange,
                                            mlir::TypeRange types, Type result) {
  llvm::SmallVector<Type> all(types);
  all.push_back(result);
  print_same_types(printer, all);
}

ParseResult parseComplexOpType(OpAsmParser& parser, Type& lhs, Type& rhs, Type& result) {
  const llvm::SMLoc where = parser.getCurrentLocation();
  if (parse_same_types(parser, {&lhs, &rhs, &result})) return failure();
  if (lhs != result || rhs != result) return success();
  const auto tensor = llvm::dyn_cast<RankedTensorType>(result);
  const auto complex = tensor ? llvm::dyn_cast<mlir::ComplexType>(tensor.getElementType()) : nullptr;
  if (!complex) return parser.emitError(where) << "expected a tensor of complex values; got " << result;
  lhs = rhs = with_element(tensor, complex.getElementType());
  return success();
}
void printComplexOpType(OpAsmPrinter& printer, Operation*, Type lhs, Type rhs, Type result) {
  const auto tensor = llvm::dyn_cast<RankedTensorType>(result);
  const auto complex = tensor ? llvm::dyn_cast<mlir::ComplexType>(tensor.getElementType()) : nullptr;
  if (complex && lhs == rhs && lhs == with_element(tensor, complex.getElementType())) {
    printer << result;
  } else {
    print_function_type(printer, {lhs, rhs}, result);
  }
}

ParseResult parseSelectOpType(OpAsmParser& parser, Type& pred, Type& on_true, Type& on_false, Type& result) {
  const llvm::SMLoc where = parser.getCurrentLocation();
  Type type;
  if (parser.parseType(type)) return failure();
  if (const auto function = llvm::dyn_cast<FunctionType>(type)) {
    if (function.getNumInputs() != 3 || function.getNumResults() != 1) return wrong_arity(parser, where, 3, function);
    pred = function.getInput(0);
    on_true = function.getInput(1);
    on_false = function.getInput(2);
    result = function.getResult(0);
    return success();
  }
  pred = type;
  if (parser.parseComma() || parser.parseType(result)) return failure();
  on_true = on_false = result;
  return success();
}
void printSelectOpType(OpAsmPrinter& printer, Operation*, Type pred, Type on_true, Type on_false, Type result) {
  if (on_true == result && on_false == result) {
    printer << pred << ", " << result;
  } else {
    print_function_type(printer, {pred, on_true, on_false}, result);
  }
}

ParseResult parseTupleOpType(OpAsmParser& parser, llvm::SmallVectorImpl<Type>& operands, Type& result) {
  const llvm::SMLoc where = parser.getCurrentLocation();
  if (parser.parseType(result)) return failure();
  const auto tuple = llvm::dyn_cast<mlir::TupleType>(result);
  if (!tuple) return parser.emitError(where) << "expected a tuple type; got " << result;
  operands.append(tuple.begin(), tuple.end());
  return success();
}
void printTupleOpType(OpAsmPrinter& printer, Operation*, mlir::TypeRange, Type result) { printer << result; }

ParseResult parsePairwiseOpType(OpAsmParser& parser, llvm::SmallVectorImpl<Type>& operands,
                                llvm::SmallVectorImpl<Type>& results) {
  if (parser.parseTypeList(operands)) return failure();
  results.append(operands.begin(), operands.end());
  return success();
}
void printPairwiseOpType(OpAsmPrinter& printer, Operation*, mlir::TypeRange operands, mlir::TypeRange) {
  llvm::interleaveComma(operands, printer);
}

ParseResult parseSameTypePair(OpAsmParser& parser, Type& lhs, Type& rhs) {
  if (parser.parseType(lhs)) return failure();
  rhs = lhs;
  return success();
}
void printSameTypePair(OpAsmPrinter& printer, Operation*, Type lhs, Type) { printer << lhs; }

ParseResult parseConstantOfType(OpAsmParser& parser, mlir::ElementsAttr& value, Type& type) {
  if (parser.parseAttribute(value)) return failure();
  type = value.getType();
  return success();
}
void printConstantOfType(OpAsmPrinter& printer, Operation*, mlir::ElementsAttr value, Type) { printer << value; }

// -------------------------------------------------------------------------------- operands, attributes
ParseResult parseVariadicOperandWithAttribute(OpAsmParser& parser, llvm::SmallVectorImpl<Unresolved>& operands) {
  for (;;) {
    Unresolved operand;
    const mlir::OptionalParseResult result = parser.parseOptionalOperand(operand);
    if (!result.has_value()) return success();
    if (failed(*result) || parser.parseComma()) return failure();
    operands.push_back(operand);
  }
}
void printVariadicOperandWithAttribute(OpAsmPrinter& printer, Operation*, mlir::OperandRange operands) {
  llvm::interleave(operands, printer.getStream(), [&](mlir::Value operand) { printer << operand << ","; }, " ");
}

ParseResult parseSliceRanges(OpAsmParser& parser, mlir::DenseI64ArrayAttr& start, mlir::DenseI64ArrayAttr& limit,
                             mlir::DenseI64ArrayAttr& strides) {
  llvm::SmallVector<int64_t> starts, limits, steps;
  const auto range = [&]() -> ParseResult {
    if (parser.parseInteger(starts.emplace_back()) || parser.parseColon() ||
        parser.parseInteger(limits.emplace_back())) {
      return failure();
    }
    steps.push_back(1);
    if (succeeded(parser.parseOptionalColon())) return parser.parseInteger(steps.back());
    return success();
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, range)) return failure();
  start = parser.getBuilder().getDenseI64ArrayAttr(starts);
  limit = parser.getBuilder().getDenseI64ArrayAttr(limits);
  strides = parser.getBuilder().getDenseI64ArrayAttr(steps);
  return success();
}
void printSliceRanges(OpAsmPrinter& printer, Operation*, mlir::DenseI64ArrayAttr start, mlir::DenseI64ArrayAttr limit,
                      mlir::DenseI64ArrayAttr strides) {
  printer << "[";
  llvm::interleaveComma(llvm::zip(start.asArrayRef(), limit.asArrayRef(), strides.asArrayRef()), printer, [&](auto r) {
    printer << std::get<0>(r) << ":" << std::get<1>(r);
    if (std::get<2>(r) != 1) printer << ":" << std::get<2>(r);
  });
  printer << "]";
}

ParseResult parseExponentMantissa(OpAsmParser& parser, mlir::IntegerAttr& exponent, mlir::IntegerAttr& mantissa) {
  const llvm::SMLoc where = parser.getCurrentLocation();
  llvm::StringRef format;
  if (parser.parseKeyword(&format)) return failure();
  unsigned e = 0, m = 0;
  llvm::StringRef rest = format;
  if (!rest.consume_front("e") || rest.consumeInteger(10, e) || !rest.consume_front("m") || rest.getAsInteger(10, m)) {
    return parser.emitError(where) << "expected a format like e5m10; got '" << format << "'";
  }
  exponent = parser.getBuilder().getI32IntegerAttr(static_cast<int32_t>(e));
  mantissa = parser.getBuilder().getI32IntegerAttr(static_cast<int32_t>(m));
  return success();
}
void printExponentMantissa(OpAsmPrinter& printer, Operation*, mlir::IntegerAttr exponent, mlir::IntegerAttr mantissa) {
  printer << "e" << exponent.getInt() << "m" << mantissa.getInt();
}

// `name = [0] x [1]`
static ParseResult parse_pair(OpAsmParser& parser, llvm::SmallVectorImpl<int64_t>& lhs,
                              llvm::SmallVectorImpl<int64_t>& rhs) {
  return failure(parser.parseEqual() || parse_dims(parser, lhs) || parser.parseKeyword("x") || parse_dims(parser, rhs));
}
static void print_pair(OpAsmPrinter& printer, llvm::StringRef name, DimsRef lhs, DimsRef rhs) {
  printer << name << " = ";
  print_dims(printer, lhs);
  printer << " x ";
  print_dims(printer, rhs);
}

ParseResult parseDotDimensionNumbers(OpAsmParser& parser, DotDimensionNumbersAttr& numbers) {
  llvm::SmallVector<int64_t> lhs_batching, rhs_batching, lhs_contracting, rhs_contracting;
  if (succeeded(parser.parseOptionalKeyword("batching_dims"))) {
    if (parse_pair(parser, lhs_batching, rhs_batching) || parser.parseComma()) return failure();
  }
  if (parser.parseKeyword("contracting_dims") || parse_pair(parser, lhs_contracting, rhs_contracting)) return failure();
  numbers = DotDimensionNumbersAttr::get(parser.getContext(), lhs_batching, rhs_batching, lhs_contracting,
                                         rhs_contracting);
  return success();
}
void printDotDimensionNumbers(OpAsmPrinter& printer, Operation*, DotDimensionNumbersAttr n) {
  if (!n.getLhsBatchingDimensions().empty() || !n.getRhsBatchingDimensions().empty()) {
    print_pair(printer, "batching_dims", n.getLhsBatchingDimensions(), n.getRhsBatchingDimensions());
    printer << ", ";
  }
  print_pair(printer, "contracting_dims", n.getLhsContractingDimensions(), n.getRhsContractingDimensions());
}

// `precision = [DEFAULT, HIGHEST]`, the keyword already read.
static ParseResult parse_precisions(OpAsmParser& parser, mlir::ArrayAttr& precision) {
  llvm::SmallVector<Attribute> entries;
  const auto entry = [&]() -> ParseResult {
    const llvm::SMLoc where = parser.getCurrentLocation();
    llvm::StringRef word;
    if (parser.parseKeyword(&word)) return failure();
    const std::optional<Precision> value = symbolizePrecision(word);
    if (!value) return parser.emitError(where) << "expected DEFAULT, HIGH or HIGHEST; got '" << word << "'";
    entries.push_back(PrecisionAttr::get(parser.getContext(), *value));
    return success();
  };
  if (parser.parseEqual() || parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, entry)) return failure();
  precision = parser.getBuilder().getArrayAttr(entries);
  return success();
}
static void print_precisions(OpAsmPrinter& printer, mlir::ArrayAttr precision) {
  printer << ", precision = [";
  llvm::interleaveComma(precision, printer, [&](Attribute entry) {
    printer << stringifyPrecision(llvm::cast<PrecisionAttr>(entry).getValue());
  });
  printer << "]";
}

ParseResult parsePrecisionConfig(OpAsmParser& parser, mlir::ArrayAttr& precision) {
  if (failed(parser.parseOptionalComma())) return success();
  if (parser.parseKeyword("precision")) return failure();
  return parse_precisions(parser, precision);
}
void printPrecisionConfig(OpAsmPrinter& printer, Operation*, mlir::ArrayAttr precision) {
  if (precision) print_precisions(printer, precision);
}

ParseResult parsePrecisionConfigAndAlgorithm(OpAsmParser& parser, mlir::ArrayAttr& precision,
                                             DotAlgorithmAttr& algorithm) {
  while (succeeded(parser.parseOptionalComma())) {
    const llvm::SMLoc where = parser.getCurrentLocation();
    llvm::StringRef word;
    if (parser.parseKeyword(&word)) return failure();
    if (word == "precision" && !precision && !algorithm) {
      if (parse_precisions(parser, precision)) return failure();
    } else if (word == "algorithm" && !algorithm) {
      Attribute parsed;
      if (parser.parseEqual()) return failure();
      parsed = DotAlgorithmAttr::parse(parser, {});
      algorithm = llvm::dyn_cast_if_present<DotAlgorithmAttr>(parsed);
      if (!algorithm) return failure();
    } else {
      return parser.emitError(where) << "expected 'precision' or 'algorithm'; got '" << word << "'";
    }
  }
  return success();
}
void printPrecisionConfigAndAlgorithm(OpAsmPrinter& printer, Operation*, mlir::ArrayAttr precision,
                                      DotAlgorithmAttr algorithm) {
  if (precision) print_precisions(printer, precision);
  if (algorithm) {
    printer << ", algorithm = ";
    algorithm.print(printer);
  }
}

// -------------------------------------------------------------------------------------- convolution
ParseResult parseWindowAttributes(OpAsmParser& parser, mlir::DenseI64ArrayAttr& strides,
                                  mlir::DenseIntElementsAttr& padding, mlir::DenseI64ArrayAttr& lhs_dilation,
                                  mlir::DenseI64ArrayAttr& rhs_dilation, mlir::DenseBoolArrayAttr& reversal) {
  const auto pad = [&]() -> ParseResult {
    llvm::SmallVector<int64_t> values;
    int64_t rows = 0;
    const auto row = [&]() -> ParseResult {
      const llvm::SMLoc where = parser.getCurrentLocation();
      ++rows;
      if (parse_dims(parser, values)) return failure();
      if (static_cast<int64_t>(values.size()) != 2 * rows) return parser.emitError(where, "expected [low, high]");
      return success();
    };
    if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, row)) return failure();
    const auto type = RankedTensorType::get({rows, 2}, parser.getBuilder().getI64Type());
    padding = mlir::DenseIntElementsAttr::get(type, llvm::ArrayRef<int64_t>(values));
    return success();
  };
  const auto reverse = [&]() -> ParseResult {
    llvm::SmallVector<bool> values;
    const auto entry = [&]() -> ParseResult {
      const llvm::SMLoc where = parser.getCurrentLocation();
      llvm::StringRef word;
      int64_t number = 0;
      const mlir::OptionalParseResult integer = parser.parseOptionalInteger(number);
      if (integer.has_value()) return values.push_back(number != 0), *integer;
      if (parser.parseKeyword(&word)) return failure();
      if (word != "true" && word != "false") return parser.emitError(where, "expected true or false");
      values.push_back(word == "true");
      return success();
    };
    if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, entry)) return failure();
    reversal = parser.getBuilder().getDenseBoolArrayAttr(values);
    return success();
  };
  // The braces around belong to the format, so an empty list is the absence of a keyword.
  llvm::SmallVector<llvm::StringRef, 5> seen;
  do {
    const llvm::SMLoc where = parser.getCurrentLocation();
    llvm::StringRef word;
    if (failed(parser.parseOptionalKeyword(&word))) {
      if (seen.empty()) return success();
      return parser.emitError(where, "expected a window attribute after ','");
    }
    if (llvm::is_contained(seen, word)) return parser.emitError(where) << "'" << word << "' is given twice";
    seen.push_back(word);
    if (parser.parseEqual()) return failure();
    ParseResult result = success();
    if (word == "stride") result = parse_dims(parser, strides);
    else if (word == "pad") result = pad();
    else if (word == "lhs_dilate") result = parse_dims(parser, lhs_dilation);
    else if (word == "rhs_dilate") result = parse_dims(parser, rhs_dilation);
    else if (word == "reverse") result = reverse();
    else
      return parser.emitError(where) << "expected stride, pad, lhs_dilate, rhs_dilate or reverse; got '" << word << "'";
    if (result) return failure();
  } while (succeeded(parser.parseOptionalComma()));
  return success();
}
void printWindowAttributes(OpAsmPrinter& printer, Operation*, mlir::DenseI64ArrayAttr strides,
                           mlir::DenseIntElementsAttr padding, mlir::DenseI64ArrayAttr lhs_dilation,
                           mlir::DenseI64ArrayAttr rhs_dilation, mlir::DenseBoolArrayAttr reversal) {
  bool first = true;
  const auto begin = [&](llvm::StringRef name) {
    if (!first) printer << ", ";
    first = false;
    printer << name << " = ";
  };
  const auto dims = [&](llvm::StringRef name, mlir::DenseI64ArrayAttr value) {
    if (!value) return;
    begin(name);
    print_dims(printer, value.asArrayRef());
  };
  dims("stride", strides);
  if (padding) {
    begin("pad");
    printer << "[";
    const auto values = padding.getValues<int64_t>();
    for (int64_t i = 0; i + 1 < padding.getNumElements(); i += 2) {
      printer << (i ? ", " : "") << "[" << values[i] << ", " << values[i + 1] << "]";
    }
    printer << "]";
  }
  dims("lhs_dilate", lhs_dilation);
  dims("rhs_dilate", rhs_dilation);
  if (reversal) {
    begin("reverse");
    printer << "[";
    llvm::interleaveComma(reversal.asArrayRef(), printer, [&](bool b) { printer << (b ? "true" : "false"); });
    printer << "]";
  }
}

ParseResult parseCustomCallTarget(OpAsmParser& parser, mlir::StringAttr& target) {
  return parser.parseSymbolName(target);
}
void printCustomCallTarget(OpAsmPrinter& printer, Operation*, mlir::StringAttr target) {
  printer.printSymbolName(target.getValue());
}

}  // namespace tenon::stablehlo
