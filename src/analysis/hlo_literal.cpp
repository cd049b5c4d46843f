// Types and constants as HLO text.
#include <cstdio>
#include <cstdlib>

#include "analysis/hlo_builder.h"
#include "dialect/tenon_ops.h"
#include "dialect/types.h"
#include "llvm/ADT/StringExtras.h"

namespace tenon::analysis {

static std::string element_name(mlir::Type type) {
  if (auto complex = mlir::dyn_cast<mlir::ComplexType>(type)) {
    return complex.getElementType().isF64() ? "c128" : "c64";
  }
  if (auto integer = mlir::dyn_cast<mlir::IntegerType>(type)) {
    if (integer.getWidth() == 1) return "pred";
    return (integer.isUnsigned() ? "u" : "s") + std::to_string(integer.getWidth());
  }
  if (type.isIndex()) return "s64";
  std::string name;
  llvm::raw_string_ostream(name) << type;  // f32, bf16, f8E4M3FN
  return llvm::StringRef(name).lower();
}

HloShape hlo_shape(mlir::Type type) {
  HloShape shape;
  if (auto tuple = mlir::dyn_cast<mlir::TupleType>(type)) {
    for (mlir::Type leaf : tuple.getTypes()) shape.tuple.push_back(hlo_shape(leaf));
    return shape;
  }
  auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
  if (!tensor) {
    shape.element = "token";
    return shape;
  }
  shape.element = element_name(tensor.getElementType());
  shape.element_bytes = storage_bits(tensor.getElementType()) / 8;
  shape.dims.assign(tensor.getShape().begin(), tensor.getShape().end());
  if (auto layout = mlir::dyn_cast_if_present<ir::LayoutAttr>(tensor.getEncoding())) {
    shape.minor_to_major.assign(layout.getMinorToMajor().begin(), layout.getMinorToMajor().end());
  } else {
    for (int64_t axis = tensor.getRank() - 1; axis >= 0; --axis) shape.minor_to_major.push_back(axis);
  }
  return shape;
}

/// Six digits when they read back as the same number, else as many as it takes.
static std::string number(const llvm::APFloat& value, mlir::Type type) {
  if (value.isNaN()) return "nan";
  if (value.isInfinity()) return value.isNegative() ? "-inf" : "inf";
  double wide = mlir::FloatAttr::get(type, value).getValueAsDouble();
  char text[40];
  if (type.isF64()) {
    std::snprintf(text, sizeof text, "%.15g", wide);
    if (std::strtod(text, nullptr) != wide) std::snprintf(text, sizeof text, "%.17g", wide);
  } else {
    std::snprintf(text, sizeof text, "%.6g", wide);
    if (std::strtof(text, nullptr) != static_cast<float>(wide)) std::snprintf(text, sizeof text, "%.9g", wide);
  }
  return text;
}

static std::string element_text(mlir::Attribute element, mlir::Type type) {
  if (auto real = mlir::dyn_cast<mlir::FloatAttr>(element)) return number(real.getValue(), type);
  if (auto parts = mlir::dyn_cast<mlir::ArrayAttr>(element)) {
    mlir::Type part = mlir::cast<mlir::ComplexType>(type).getElementType();
    return "(" + element_text(parts[0], part) + ", " + element_text(parts[1], part) + ")";
  }
  auto integer = mlir::dyn_cast<mlir::IntegerAttr>(element);
  if (!integer) return "0";
  if (type.isInteger(1)) return integer.getValue().isZero() ? "false" : "true";
  return llvm::toString(integer.getValue(), 10, !type.isUnsignedInteger());
}

constexpr int64_t kMaxPrinted = 10;  // XLA's limit

std::string hlo_literal(mlir::Attribute value) {
  auto elements = mlir::dyn_cast<mlir::DenseElementsAttr>(value);
  auto type = mlir::cast<mlir::ShapedType>(mlir::cast<mlir::ElementsAttr>(value).getType());
  if (!elements || type.getNumElements() > kMaxPrinted) return "{...}";
  if (type.getRank() == 0) return element_text(*elements.getValues<mlir::Attribute>().begin(), type.getElementType());
  // Opening braces where an index starts at 0, closing ones where it ends.
  std::string text;
  int64_t count = type.getNumElements(), i = 0;
  if (count == 0) {
    for (int64_t axis = 0; axis < type.getRank(); ++axis) text += "{";
    return text + std::string(type.getRank(), '}');
  }
  for (mlir::Attribute element : elements.getValues<mlir::Attribute>()) {
    std::string open, close;
    int64_t stride = 1;
    for (int64_t axis = type.getRank() - 1; axis >= 0; --axis) {
      stride *= type.getDimSize(axis);
      bool inner = axis != type.getRank() - 1;
      if (i % stride == 0) open += inner ? " {" : "{";
      if ((i + 1) % stride == 0) close += inner ? " }" : "}";
    }
    text += (i == 0 ? "" : ", ") + std::string(open.rbegin(), open.rend()) +
            element_text(element, type.getElementType()) + close;
    ++i;
  }
  return text;
}

}  // namespace tenon::analysis
