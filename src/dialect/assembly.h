// Parts of operations' text that ODS formats name as custom<...>: parse* and print* pairs.
#pragma once

#include "dialect/stablehlo.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"

#include <functional>

namespace tenon::stablehlo {

using Unresolved = mlir::OpAsmParser::UnresolvedOperand;

/// `T` when all types are T, else `(T, U) -> V`.
mlir::ParseResult parse_same_types(mlir::OpAsmParser& parser, llvm::ArrayRef<mlir::Type*> types);
void print_same_types(mlir::OpAsmPrinter& printer, llvm::ArrayRef<mlir::Type> types);

template <class... Types>
mlir::ParseResult parseSameOperandsAndResultType(mlir::OpAsmParser& parser, Types&... types) {
  return parse_same_types(parser, {&types...});
}
template <class... Types>
void printSameOperandsAndResultType(mlir::OpAsmPrinter& printer, mlir::Operation*, Types... types) {
  print_same_types(printer, {mlir::Type(types)...});
}

// The bare word of an enumeration's attribute. (`$attribute` would print two blanks before it.)
template <class EnumAttr>
mlir::ParseResult parseEnumWord(mlir::OpAsmParser& parser, EnumAttr& attribute) {
  using Enum = decltype(attribute.getValue());
  const mlir::FailureOr<Enum> value = mlir::FieldParser<Enum>::parse(parser);
  if (failed(value)) return mlir::failure();
  attribute = EnumAttr::get(parser.getContext(), *value);
  return mlir::success();
}
template <class EnumAttr>
void printEnumWord(mlir::OpAsmPrinter& printer, mlir::Operation*, EnumAttr attribute) {
  printer << attribute.getValue();
}

#define TENON_DIRECTIVE(name, parse_arguments, print_arguments)                                   \
  mlir::ParseResult parse##name(mlir::OpAsmParser& parser, TENON_UNPACK parse_arguments);         \
  void print##name(mlir::OpAsmPrinter& printer, mlir::Operation* op, TENON_UNPACK print_arguments);
#define TENON_UNPACK(...) __VA_ARGS__

// One type for operands and result, but for a list of them.
TENON_DIRECTIVE(VariadicSameOperandsAndResultType,
                (llvm::ArrayRef<Unresolved> operands, llvm::SmallVectorImpl<mlir::Type>& types, mlir::Type& result),
                (mlir::OperandRange operands, mlir::TypeRange types, mlir::Type result))
// `tensor<complex<f32>>` alone, since it tells the parts' type.
TENON_DIRECTIVE(ComplexOpType, (mlir::Type& lhs, mlir::Type& rhs, mlir::Type& result),
                (mlir::Type lhs, mlir::Type rhs, mlir::Type result))
// `pred, T` when both sides and the result are T.
TENON_DIRECTIVE(SelectOpType, (mlir::Type& pred, mlir::Type& on_true, mlir::Type& on_false, mlir::Type& result),
                (mlir::Type pred, mlir::Type on_true, mlir::Type on_false, mlir::Type result))
// `tuple<A, B>` alone.
TENON_DIRECTIVE(TupleOpType, (llvm::SmallVectorImpl<mlir::Type>& operands, mlir::Type& result),
                (mlir::TypeRange operands, mlir::Type result))
// `A, B`: each operand has its result's type.
TENON_DIRECTIVE(PairwiseOpType, (llvm::SmallVectorImpl<mlir::Type>& operands, llvm::SmallVectorImpl<mlir::Type>& results),
                (mlir::TypeRange operands, mlir::TypeRange results))
// `%a, %b,`: operands, each followed by a comma.
TENON_DIRECTIVE(VariadicOperandWithAttribute, (llvm::SmallVectorImpl<Unresolved>& operands), (mlir::OperandRange operands))
// `[0:4, 1:5:2]`.
TENON_DIRECTIVE(SliceRanges,
                (mlir::DenseI64ArrayAttr& start, mlir::DenseI64ArrayAttr& limit, mlir::DenseI64ArrayAttr& strides),
                (mlir::DenseI64ArrayAttr start, mlir::DenseI64ArrayAttr limit, mlir::DenseI64ArrayAttr strides))
// `e5m10`.
TENON_DIRECTIVE(ExponentMantissa, (mlir::IntegerAttr& exponent, mlir::IntegerAttr& mantissa),
                (mlir::IntegerAttr exponent, mlir::IntegerAttr mantissa))
// `batching_dims = [0] x [0], contracting_dims = [1] x [0]`.
TENON_DIRECTIVE(DotDimensionNumbers, (DotDimensionNumbersAttr& numbers), (DotDimensionNumbersAttr numbers))
// `, precision = [DEFAULT, DEFAULT]`.
TENON_DIRECTIVE(PrecisionConfig, (mlir::ArrayAttr& precision), (mlir::ArrayAttr precision))
// The same, then `, algorithm = <...>`.
TENON_DIRECTIVE(PrecisionConfigAndAlgorithm, (mlir::ArrayAttr& precision, DotAlgorithmAttr& algorithm),
                (mlir::ArrayAttr precision, DotAlgorithmAttr algorithm))
// `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`.
TENON_DIRECTIVE(ConvolutionDimensions, (ConvDimensionNumbersAttr& numbers), (ConvDimensionNumbersAttr numbers))
// `stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]`.
TENON_DIRECTIVE(WindowAttributes,
                (mlir::DenseI64ArrayAttr& strides, mlir::DenseIntElementsAttr& padding,
                 mlir::DenseI64ArrayAttr& lhs_dilation, mlir::DenseI64ArrayAttr& rhs_dilation,
                 mlir::DenseBoolArrayAttr& reversal),
                (mlir::DenseI64ArrayAttr strides, mlir::DenseIntElementsAttr padding,
                 mlir::DenseI64ArrayAttr lhs_dilation, mlir::DenseI64ArrayAttr rhs_dilation,
                 mlir::DenseBoolArrayAttr reversal))
// `@target`.
TENON_DIRECTIVE(CustomCallTarget, (mlir::StringAttr& target), (mlir::StringAttr target))
// `T`: both have it.
TENON_DIRECTIVE(SameTypePair, (mlir::Type& lhs, mlir::Type& rhs), (mlir::Type lhs, mlir::Type rhs))
// `dense<...> : T`: the operand has the constant's type.
TENON_DIRECTIVE(ConstantOfType, (mlir::ElementsAttr& value, mlir::Type& type), (mlir::ElementsAttr value, mlir::Type type))

#undef TENON_DIRECTIVE
#undef TENON_UNPACK

/// Fields of `<name = value, ...>`, in any order, each at most once; used by attributes with defaults.
class StructParser {
 public:
  explicit StructParser(mlir::AsmParser& parser) : parser_(parser) {}
  StructParser& list(llvm::StringRef name, llvm::SmallVectorImpl<int64_t>& out);
  StructParser& integer(llvm::StringRef name, int64_t& out);
  StructParser& number(llvm::StringRef name, double& out);
  StructParser& type(llvm::StringRef name, mlir::Type& out);
  StructParser& boolean(llvm::StringRef name, bool& out);
  StructParser& attribute(llvm::StringRef name, mlir::Attribute& out);
  mlir::ParseResult parse();

 private:
  struct Field {
    llvm::StringRef name;
    std::function<mlir::ParseResult()> read;
    bool seen = false;
  };
  mlir::AsmParser& parser_;
  llvm::SmallVector<Field, 9> fields_;
};

/// Prints `<name = value, ...>`, leaving out empty lists and zeros.
class StructPrinter {
 public:
  explicit StructPrinter(mlir::AsmPrinter& printer) : printer_(printer) { printer_ << "<"; }
  ~StructPrinter() { printer_ << ">"; }
  void list(llvm::StringRef name, llvm::ArrayRef<int64_t> value, bool always = false) {
    if (value.empty() && !always) return;
    begin(name) << "[";
    llvm::interleaveComma(value, printer_.getStream());
    printer_ << "]";
  }
  void integer(llvm::StringRef name, int64_t value, bool always = false) {
    if (value != 0 || always) begin(name) << value;
  }
  mlir::AsmPrinter& begin(llvm::StringRef name) {
    if (!first_) printer_ << ", ";
    first_ = false;
    return printer_ << name << " = ";
  }

 private:
  mlir::AsmPrinter& printer_;
  bool first_ = true;
};

}  // namespace tenon::stablehlo
