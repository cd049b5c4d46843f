// Element kinds, compatibility, and the correspondence of dtypes and element types.
#include "dialect/types.h"

#include "base/fail.h"
#include "dialect/stablehlo.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace tenon {

using mlir::ComplexType;
using mlir::IntegerType;
using mlir::RankedTensorType;
using mlir::ShapedType;
using mlir::Type;

Type element_type(DType dtype, mlir::MLIRContext* context) {
  const auto integer = [&](unsigned bits, bool is_unsigned = false) -> Type {
    return IntegerType::get(context, bits, is_unsigned ? IntegerType::Unsigned : IntegerType::Signless);
  };
  switch (dtype.code()) {
    case DType::kBool: return integer(1);
    case DType::kInt2: return integer(2);
    case DType::kInt4: return integer(4);
    case DType::kInt8: return integer(8);
    case DType::kInt16: return integer(16);
    case DType::kInt32: return integer(32);
    case DType::kInt64: return integer(64);
    case DType::kUInt2: return integer(2, true);
    case DType::kUInt4: return integer(4, true);
    case DType::kUInt8: return integer(8, true);
    case DType::kUInt16: return integer(16, true);
    case DType::kUInt32: return integer(32, true);
    case DType::kUInt64: return integer(64, true);
    case DType::kBFloat16: return mlir::BFloat16Type::get(context);
    case DType::kFloat16: return mlir::Float16Type::get(context);
    case DType::kFloat32: return mlir::Float32Type::get(context);
    case DType::kFloat64: return mlir::Float64Type::get(context);
    case DType::kComplex64: return ComplexType::get(mlir::Float32Type::get(context));
    case DType::kComplex128: return ComplexType::get(mlir::Float64Type::get(context));
    case DType::kFloat4E2M1FN: return mlir::Float4E2M1FNType::get(context);
    case DType::kFloat8E3M4: return mlir::Float8E3M4Type::get(context);
    case DType::kFloat8E4M3: return mlir::Float8E4M3Type::get(context);
    case DType::kFloat8E4M3FN: return mlir::Float8E4M3FNType::get(context);
    case DType::kFloat8E4M3B11FNUZ: return mlir::Float8E4M3B11FNUZType::get(context);
    case DType::kFloat8E4M3FNUZ: return mlir::Float8E4M3FNUZType::get(context);
    case DType::kFloat8E5M2: return mlir::Float8E5M2Type::get(context);
    case DType::kFloat8E5M2FNUZ: return mlir::Float8E5M2FNUZType::get(context);
    case DType::kFloat8E8M0FNU: return mlir::Float8E8M0FNUType::get(context);
    case DType::kKeyFry:
    case DType::kFloat0:
    case DType::kCount: return {};
  }
  return {};
}

static std::string str(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

DType dtype_of(Type type) {
  if (type) {
    for (int code = 0; code < DType::kCount; ++code) {
      if (element_type(DType(code), type.getContext()) == type) return DType(code);
    }
  }
  fail<UnimplementedError>("dtype_of", "no dtype for the element type ", type ? str(type) : "(none)");
}

RankedTensorType tensor_type(const Aval& aval, mlir::MLIRContext* context) {
  if (aval.dtype.is_prng_key()) {
    Shape words = aval.shape;
    words.push_back(2);
    return tensor_type({words, DType(DType::kUInt32)}, context);
  }
  const Type element = element_type(aval.dtype, context);
  if (!element) fail<UnimplementedError>("tensor_type", "no element type for ", aval.dtype.str());
  return RankedTensorType::get(aval.shape.dims(), element);
}

Aval aval_of(Type type) {
  const auto tensor = llvm::dyn_cast_if_present<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape()) {
    fail<UnimplementedError>("aval_of", "not a tensor of static shape; got ", type ? str(type) : "(none)");
  }
  const llvm::ArrayRef<int64_t> shape = tensor.getShape();
  return {Shape(std::vector<int64_t>(shape.begin(), shape.end())), dtype_of(tensor.getElementType()), false};
}

int64_t storage_bits(Type type) {
  if (const auto complex = llvm::dyn_cast<ComplexType>(type)) return 2 * storage_bits(complex.getElementType());
  if (const auto quant = llvm::dyn_cast<mlir::quant::QuantizedType>(type)) return storage_bits(quant.getStorageType());
  if (type.isIndex()) return 64;
  return type.isIntOrFloat() ? (type.getIntOrFloatBitWidth() + 7) / 8 * 8 : 0;
}

RankedTensorType with_element(RankedTensorType type, Type element) {
  return RankedTensorType::get(type.getShape(), element, type.getEncoding());
}

int64_t size_bytes(RankedTensorType type) {
  return type.getNumElements() * storage_bits(type.getElementType()) / 8;
}

namespace stablehlo::detail {

unsigned kind_of(Type element) {
  if (element.isInteger(1)) return element.isSignlessInteger() ? kPred : 0;
  if (const auto integer = llvm::dyn_cast<IntegerType>(element)) {
    const unsigned bits = integer.getWidth();
    if (bits > 64 || !llvm::isPowerOf2_32(bits) || integer.isSigned()) return 0;
    return integer.isUnsigned() ? kUInt : kSInt;
  }
  if (llvm::isa<mlir::Float4E2M1FNType, mlir::Float6E2M3FNType, mlir::Float6E3M2FNType, mlir::Float8E3M4Type,
                mlir::Float8E4M3Type, mlir::Float8E4M3FNType, mlir::Float8E4M3B11FNUZType, mlir::Float8E4M3FNUZType,
                mlir::Float8E5M2Type, mlir::Float8E5M2FNUZType, mlir::Float8E8M0FNUType, mlir::BFloat16Type,
                mlir::Float16Type, mlir::Float32Type, mlir::Float64Type>(element)) {
    return kFloat;
  }
  if (const auto complex = llvm::dyn_cast<ComplexType>(element)) {
    return complex.getElementType().isF32() || complex.getElementType().isF64() ? kComplex : 0;
  }
  if (llvm::isa<mlir::quant::QuantizedType>(element)) return kQuant;
  return element.isIndex() ? kIndex : 0;
}

bool is_tensor_of(Type type, unsigned kinds) {
  const auto tensor = llvm::dyn_cast<RankedTensorType>(type);
  return tensor && (kind_of(tensor.getElementType()) & kinds);
}

bool is_tensor_or_token(Type type) {
  return llvm::isa<TokenType>(type) || is_tensor_of(type, ~0u);
}

bool is_value(Type type) {
  return is_tensor_or_token(type) || llvm::isa<FutureType, mlir::TupleType>(type);
}

bool is_i64_matrix(mlir::Attribute attribute) {
  const auto elements = llvm::dyn_cast<mlir::DenseIntElementsAttr>(attribute);
  return elements && elements.getElementType().isSignlessInteger(64) && elements.getType().getRank() == 2;
}

bool are_compatible_shapes(llvm::ArrayRef<int64_t> l, llvm::ArrayRef<int64_t> r) {
  return llvm::equal(l, r, [](int64_t a, int64_t b) {
    return a == b || ShapedType::isDynamic(a) || ShapedType::isDynamic(b);
  });
}

bool are_compatible_elements(Type l, Type r) {
  if (l == r) return true;
  const auto ql = llvm::dyn_cast<mlir::quant::QuantizedType>(l);
  const auto qr = llvm::dyn_cast<mlir::quant::QuantizedType>(r);
  return ql && qr && ql.getExpressedType() == qr.getExpressedType();
}

bool are_compatible(Type l, Type r) {
  if (l == r) return true;
  const auto a = llvm::dyn_cast<RankedTensorType>(l);
  const auto b = llvm::dyn_cast<RankedTensorType>(r);
  if (a && b) {
    return are_compatible_shapes(a.getShape(), b.getShape()) &&
           are_compatible_elements(a.getElementType(), b.getElementType());
  }
  const auto s = llvm::dyn_cast<mlir::TupleType>(l);
  const auto t = llvm::dyn_cast<mlir::TupleType>(r);
  return s && t && are_compatible(mlir::TypeRange(s.getTypes()), mlir::TypeRange(t.getTypes()));
}

bool are_compatible(mlir::TypeRange l, mlir::TypeRange r) {
  return llvm::equal(l, r, [](Type a, Type b) { return are_compatible(a, b); });
}

llvm::LogicalResult infer_same_type(llvm::StringRef op, std::optional<mlir::Location> location,
                                    mlir::ValueRange operands, llvm::SmallVectorImpl<Type>& results) {
  const auto first = llvm::cast<RankedTensorType>(operands.front().getType());
  llvm::SmallVector<int64_t> shape(first.getShape());
  bool joined = false;
  for (const mlir::Value operand : operands.drop_front()) {
    const auto type = llvm::cast<RankedTensorType>(operand.getType());
    if (type == first) continue;
    if (!are_compatible(first, type) || !are_compatible_shapes(shape, type.getShape())) {
      return emitOptionalError(location, "'", op, "' op operands must have one type; got ", first, " and ", type);
    }
    for (auto [known, size] : llvm::zip_equal(shape, type.getShape())) {
      if (ShapedType::isDynamic(known)) known = size;
    }
    joined = true;
  }
  results.push_back(joined ? RankedTensorType::get(shape, first.getElementType()) : first);
  return mlir::success();
}

}  // namespace stablehlo::detail
}  // namespace tenon
