#include "core/literal.h"

#include <complex>

#include "base/fail.h"
#include "core/nodes.h"

namespace tenon::detail {

static std::string value_str(const ScalarNode& node) {
  DType dtype = node.aval().dtype;
  auto as = [&]<class T>(T value, DType target) {
    convert_elements(node.bytes, dtype, &value, target, 1);
    return value;
  };
  switch (dtype.kind()) {
    case DTypeKind::boolean: return node.bytes[0] ? "True" : "False";
    case DTypeKind::signed_integer: return std::to_string(as(int64_t(), DType(DType::kInt64)));
    case DTypeKind::unsigned_integer: return std::to_string(as(uint64_t(), DType(DType::kUInt64)));
    case DTypeKind::floating: return python_repr(node.written.value_or(as(double(), DType(DType::kFloat64))));
    case DTypeKind::complex: {
      auto z = as(std::complex<double>(), DType(DType::kComplex128));
      // Python's complex repr drops ".0" of whole parts.
      auto part = [](double v) {
        std::string s = python_repr(v);
        return s.ends_with(".0") ? s.substr(0, s.size() - 2) : s;
      };
      std::string imaginary = part(z.imag()) + "j";
      if (z.real() == 0 && !std::signbit(z.real())) return imaginary;
      return "(" + part(z.real()) + (imaginary[0] == '-' ? "" : "+") + imaginary + ")";
    }
    default: fail<InternalError>("literal", "no literal of dtype ", dtype);
  }
}

std::string literal_str(const Array& scalar, bool with_type) {
  const ArrayNode& node = scalar.node("literal");
  TENON_CHECK(node.kind() == ArrayNode::Kind::scalar);
  std::string value = value_str(static_cast<const ScalarNode&>(node));
  return with_type ? value + ":" + node.aval().str_short() : value;
}

}  // namespace tenon::detail
