// The StableHLO dialect, its types and attributes: registration, text, verification.
#include "dialect/assembly.h"
#include "dialect/stablehlo.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

#include "dialect/stablehlo_dialect.cpp.inc"
#include "dialect/stablehlo_enums.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialect/stablehlo_types.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialect/stablehlo_attrs.cpp.inc"

namespace tenon::stablehlo {

using mlir::AsmParser;
using mlir::AsmPrinter;
using mlir::Attribute;
using mlir::ShapedType;
using mlir::Type;
using Dims = llvm::SmallVector<int64_t>;
using DimsRef = llvm::ArrayRef<int64_t>;

void StablehloDialect::initialize() {
  registerStablehloDialectOperations(this);
  addTypes<TokenType, FutureType>();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialect/stablehlo_attrs.cpp.inc"
      >();
}

mlir::Operation* StablehloDialect::materializeConstant(mlir::OpBuilder& builder, Attribute value, Type type,
                                                       mlir::Location location) {
  const auto elements = llvm::dyn_cast<mlir::ElementsAttr>(value);
  if (!elements || elements.getType() != type) return nullptr;
  return ConstantOp::create(builder, location, type, elements);
}

// ------------------------------------------------------------------------------------------ structs
StructParser& StructParser::list(llvm::StringRef name, llvm::SmallVectorImpl<int64_t>& out) {
  fields_.push_back({name, [this, &out] {
    return parser_.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                           [&] { return parser_.parseInteger(out.emplace_back()); });
  }});
  return *this;
}
StructParser& StructParser::integer(llvm::StringRef name, int64_t& out) {
  fields_.push_back({name, [this, &out] { return parser_.parseInteger(out); }});
  return *this;
}
StructParser& StructParser::number(llvm::StringRef name, double& out) {
  fields_.push_back({name, [this, &out] { return parser_.parseFloat(out); }});
  return *this;
}
StructParser& StructParser::attribute(llvm::StringRef name, Attribute& out) {
  fields_.push_back({name, [this, &out] { return parser_.parseAttribute(out); }});
  return *this;
}

mlir::ParseResult StructParser::parse() {
  const auto field = [&]() -> mlir::ParseResult {
    const llvm::SMLoc where = parser_.getCurrentLocation();
    llvm::StringRef name;
    if (parser_.parseKeyword(&name)) return mlir::failure();
    for (Field& f : fields_) {
      if (f.name != name) continue;
      if (f.seen) return parser_.emitError(where) << "'" << name << "' is given twice";
      f.seen = true;
      return mlir::failure(parser_.parseEqual() || f.read());
    }
    auto error = parser_.emitError(where) << "no field '" << name << "'; there are ";
    llvm::interleaveComma(fields_, error, [&](const Field& f) { error << f.name; });
    return error;
  };
  return parser_.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, field);
}

Attribute DotDimensionNumbersAttr::parse(AsmParser& parser, Type) {
  Dims lhs_batching, rhs_batching, lhs_contracting, rhs_contracting;
  if (StructParser(parser)
          .list("lhs_batching_dimensions", lhs_batching)
          .list("rhs_batching_dimensions", rhs_batching)
          .list("lhs_contracting_dimensions", lhs_contracting)
          .list("rhs_contracting_dimensions", rhs_contracting)
          .parse()) {
    return {};
  }
  return get(parser.getContext(), lhs_batching, rhs_batching, lhs_contracting, rhs_contracting);
}
void DotDimensionNumbersAttr::print(AsmPrinter& printer) const {
  StructPrinter p(printer);
  p.list("lhs_batching_dimensions", getLhsBatchingDimensions());
  p.list("rhs_batching_dimensions", getRhsBatchingDimensions());
  p.list("lhs_contracting_dimensions", getLhsContractingDimensions());
  p.list("rhs_contracting_dimensions", getRhsContractingDimensions());
}

Attribute GatherDimensionNumbersAttr::parse(AsmParser& parser, Type) {
  Dims offset, collapsed, operand_batching, start_batching, start_map;
  int64_t index_vector_dim = 0;
  if (StructParser(parser)
          .list("offset_dims", offset)
          .list("collapsed_slice_dims", collapsed)
          .list("operand_batching_dims", operand_batching)
          .list("start_indices_batching_dims", start_batching)
          .list("start_index_map", start_map)
          .integer("index_vector_dim", index_vector_dim)
          .parse()) {
    return {};
  }
  return get(parser.getContext(), offset, collapsed, operand_batching, start_batching, start_map, index_vector_dim);
}
void GatherDimensionNumbersAttr::print(AsmPrinter& printer) const {
  StructPrinter p(printer);
  p.list("offset_dims", getOffsetDims());
  p.list("collapsed_slice_dims", getCollapsedSliceDims());
  p.list("operand_batching_dims", getOperandBatchingDims());
  p.list("start_indices_batching_dims", getStartIndicesBatchingDims());
  p.list("start_index_map", getStartIndexMap());
  p.integer("index_vector_dim", getIndexVectorDim());
}

Attribute ScatterDimensionNumbersAttr::parse(AsmParser& parser, Type) {
  Dims window, inserted, input_batching, indices_batching, scattered;
  int64_t index_vector_dim = 0;
  if (StructParser(parser)
          .list("update_window_dims", window)
          .list("inserted_window_dims", inserted)
          .list("input_batching_dims", input_batching)
          .list("scatter_indices_batching_dims", indices_batching)
          .list("scatter_dims_to_operand_dims", scattered)
          .integer("index_vector_dim", index_vector_dim)
          .parse()) {
    return {};
  }
  return get(parser.getContext(), window, inserted, input_batching, indices_batching, scattered, index_vector_dim);
}
void ScatterDimensionNumbersAttr::print(AsmPrinter& printer) const {
  StructPrinter p(printer);
  p.list("update_window_dims", getUpdateWindowDims());
  p.list("inserted_window_dims", getInsertedWindowDims());
  p.list("input_batching_dims", getInputBatchingDims());
  p.list("scatter_indices_batching_dims", getScatterIndicesBatchingDims());
  p.list("scatter_dims_to_operand_dims", getScatterDimsToOperandDims());
  p.integer("index_vector_dim", getIndexVectorDim());
}

Attribute OutputOperandAliasAttr::parse(AsmParser& parser, Type) {
  Dims output, operand;
  int64_t index = 0;
  if (StructParser(parser)
          .list("output_tuple_indices", output)
          .integer("operand_index", index)
          .list("operand_tuple_indices", operand)
          .parse()) {
    return {};
  }
  return get(parser.getContext(), output, index, operand);
}
void OutputOperandAliasAttr::print(AsmPrinter& printer) const {
  StructPrinter p(printer);
  p.list("output_tuple_indices", getOutputTupleIndices(), true);
  p.integer("operand_index", getOperandIndex(), true);
  p.list("operand_tuple_indices", getOperandTupleIndices(), true);
}

ResultAccuracyAttr ResultAccuracyAttr::get(mlir::MLIRContext* context, ResultAccuracyMode mode) {
  const llvm::APFloat zero(0.0);
  return get(context, zero, zero, 0, ResultAccuracyModeAttr::get(context, mode));
}
Attribute ResultAccuracyAttr::parse(AsmParser& parser, Type) {
  double atol = 0, rtol = 0;
  int64_t ulps = 0;
  Attribute mode;
  if (StructParser(parser).number("atol", atol).number("rtol", rtol).integer("ulps", ulps).attribute("mode", mode).parse()) {
    return {};
  }
  const auto keyword = llvm::dyn_cast_if_present<ResultAccuracyModeAttr>(mode);
  if (!keyword) {
    parser.emitError(parser.getNameLoc(), "'mode' must be a #stablehlo.result_accuracy_mode");
    return {};
  }
  return parser.getChecked<ResultAccuracyAttr>(parser.getContext(), llvm::APFloat(atol), llvm::APFloat(rtol), ulps,
                                               keyword);
}
void ResultAccuracyAttr::print(AsmPrinter& printer) const {
  StructPrinter p(printer);
  if (!getAtol().isZero()) p.begin("atol").printFloat(getAtol());
  if (!getRtol().isZero()) p.begin("rtol").printFloat(getRtol());
  p.integer("ulps", getUlps());
  p.begin("mode").printAttribute(getMode());
}
mlir::LogicalResult ResultAccuracyAttr::verify(llvm::function_ref<mlir::InFlightDiagnostic()> error, llvm::APFloat atol,
                                               llvm::APFloat rtol, int64_t ulps, ResultAccuracyModeAttr mode) {
  if (atol.isNegative() || rtol.isNegative() || ulps < 0) return error() << "tolerances must not be negative";
  const bool tolerance = mode.getValue() == ResultAccuracyMode::TOLERANCE;
  if (!tolerance && !(atol.isZero() && rtol.isZero() && ulps == 0)) {
    return error() << "tolerances go with mode TOLERANCE only";
  }
  return mlir::success();
}

Attribute TypeExtensionsAttr::parse(AsmParser& parser, Type) {
  Dims bounds;
  const auto bound = [&]() -> mlir::ParseResult {
    if (succeeded(parser.parseOptionalQuestion())) return bounds.push_back(ShapedType::kDynamic), mlir::success();
    return parser.parseInteger(bounds.emplace_back());
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, bound)) return {};
  return get(parser.getContext(), bounds);
}
void TypeExtensionsAttr::print(AsmPrinter& printer) const {
  printer << "<";
  llvm::interleaveComma(getBounds(), printer.getStream(), [&](int64_t bound) {
    ShapedType::isDynamic(bound) ? printer << "?" : printer << bound;
  });
  printer << ">";
}
mlir::LogicalResult TypeExtensionsAttr::verifyEncoding(DimsRef shape, Type,
                                                       llvm::function_ref<mlir::InFlightDiagnostic()> error) const {
  if (shape.size() != getBounds().size()) {
    return error() << "bounds must name each dimension; got " << getBounds().size() << " for rank " << shape.size();
  }
  for (auto [size, bound] : llvm::zip_equal(shape, getBounds())) {
    if (!ShapedType::isDynamic(bound) && (!ShapedType::isDynamic(size) || bound < 0)) {
      return error() << "only a dynamic dimension has a bound, and it is not negative; got size " << size
                     << " with bound " << bound;
    }
  }
  return mlir::success();
}

// ------------------------------------------------------------------------ convolution dimension numbers
// `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`: where each dimension stands; digits are the spatial ones.
namespace {
struct ConvSide {
  char batch, feature;  // letters: b f for input and output, i o for the kernel
  int64_t batch_at = -1, feature_at = -1;
  Dims spatial_at;

  mlir::ParseResult parse(AsmParser& parser) {
    const llvm::SMLoc where = parser.getCurrentLocation();
    int64_t position = 0;
    const auto entry = [&]() -> mlir::ParseResult {
      const int64_t at = position++;
      int64_t digit = 0;
      const mlir::OptionalParseResult integer = parser.parseOptionalInteger(digit);
      if (integer.has_value()) {
        if (failed(*integer) || digit < 0 || digit > 64) return parser.emitError(where, "spatial dimension out of range");
        if (spatial_at.size() <= static_cast<size_t>(digit)) spatial_at.resize(digit + 1, -1);
        if (spatial_at[digit] != -1) return parser.emitError(where, "spatial dimension is given twice");
        spatial_at[digit] = at;
        return mlir::success();
      }
      llvm::StringRef letter;
      if (parser.parseKeyword(&letter)) return mlir::failure();
      for (const bool first : {true, false}) {
        int64_t& slot = first ? batch_at : feature_at;
        if (letter != llvm::StringRef(first ? &batch : &feature, 1)) continue;
        if (slot != -1) return parser.emitError(where) << "'" << letter << "' is given twice";
        slot = at;
        return mlir::success();
      }
      return parser.emitError(where) << "expected '" << std::string(1, batch) << "', '" << std::string(1, feature)
                                     << "' or a spatial dimension; got '" << letter << "'";
    };
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, entry)) return mlir::failure();
    if (batch_at < 0 || feature_at < 0 || llvm::is_contained(spatial_at, -1)) {
      return parser.emitError(where) << "'" << std::string(1, batch) << "', '" << std::string(1, feature)
                                     << "' and each spatial dimension must be given once";
    }
    return mlir::success();
  }

  void print(AsmPrinter& printer) const {
    llvm::SmallVector<std::string> entries(spatial_at.size() + 2, "?");
    const auto put = [&](int64_t at, std::string text) {
      if (at >= 0 && at < static_cast<int64_t>(entries.size())) entries[at] = std::move(text);
    };
    for (auto [digit, at] : llvm::enumerate(spatial_at)) put(at, std::to_string(digit));
    put(batch_at, std::string(1, batch));
    put(feature_at, std::string(1, feature));
    printer << "[";
    llvm::interleaveComma(entries, printer.getStream());
    printer << "]";
  }
};
}  // namespace

mlir::ParseResult parseConvolutionDimensions(mlir::AsmParser& parser, ConvDimensionNumbersAttr& numbers) {
  ConvSide input{'b', 'f', -1, -1, {}}, kernel{'i', 'o', -1, -1, {}}, output{'b', 'f', -1, -1, {}};
  // The lexer reads `x[` as the keyword x; `]x[` has no blank in between.
  if (input.parse(parser) || parser.parseKeyword("x") || kernel.parse(parser) || parser.parseArrow() ||
      output.parse(parser)) {
    return mlir::failure();
  }
  numbers = ConvDimensionNumbersAttr::get(parser.getContext(), input.batch_at, input.feature_at, input.spatial_at,
                                          kernel.batch_at, kernel.feature_at, kernel.spatial_at, output.batch_at,
                                          output.feature_at, output.spatial_at);
  return mlir::success();
}
void printConvolutionDimensions(AsmPrinter& printer, ConvDimensionNumbersAttr n) {
  const auto side = [&](char batch, char feature, int64_t batch_at, int64_t feature_at, DimsRef spatial) {
    ConvSide{batch, feature, batch_at, feature_at, Dims(spatial)}.print(printer);
  };
  side('b', 'f', n.getInputBatchDimension(), n.getInputFeatureDimension(), n.getInputSpatialDimensions());
  printer << "x";
  side('i', 'o', n.getKernelInputFeatureDimension(), n.getKernelOutputFeatureDimension(), n.getKernelSpatialDimensions());
  printer << "->";
  side('b', 'f', n.getOutputBatchDimension(), n.getOutputFeatureDimension(), n.getOutputSpatialDimensions());
}
mlir::ParseResult parseConvolutionDimensions(mlir::OpAsmParser& parser, ConvDimensionNumbersAttr& numbers) {
  return parseConvolutionDimensions(static_cast<AsmParser&>(parser), numbers);
}
void printConvolutionDimensions(mlir::OpAsmPrinter& printer, mlir::Operation*, ConvDimensionNumbersAttr numbers) {
  printConvolutionDimensions(printer, numbers);
}

Attribute ConvDimensionNumbersAttr::parse(AsmParser& parser, Type) {
  ConvDimensionNumbersAttr numbers;
  if (parser.parseLess() || parseConvolutionDimensions(parser, numbers) || parser.parseGreater()) return {};
  return numbers;
}
void ConvDimensionNumbersAttr::print(AsmPrinter& printer) const {
  printer << "<";
  printConvolutionDimensions(printer, *this);
  printer << ">";
}

}  // namespace tenon::stablehlo
