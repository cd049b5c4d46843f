// Element types: one table (`detail::kDTypes`), one class that points into it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "tenon/detail/text_stream.h"

#pragma GCC visibility push(default)

namespace tenon {

/// What kind of number an element type holds.
enum class DTypeKind : uint8_t { boolean, signed_integer, unsigned_integer, floating, complex, key, float0 };

/// An element type. Compared by identity; the facts stand in the table of src/base/dtype.cpp.
class DType {
 public:
  /// Codes are stable: they appear in cache files.
  enum Code : uint8_t {
    kBool, kInt8, kInt16, kInt32, kInt64, kUInt8, kUInt16, kUInt32, kUInt64, kBFloat16, kFloat16,
    kFloat32, kFloat64, kComplex64, kComplex128, kInt2, kInt4, kUInt2, kUInt4, kFloat4E2M1FN,
    kFloat8E3M4, kFloat8E4M3, kFloat8E4M3FN, kFloat8E4M3B11FNUZ, kFloat8E4M3FNUZ, kFloat8E5M2,
    kFloat8E5M2FNUZ, kFloat8E8M0FNU, kKeyFry, kFloat0, kCount
  };

  constexpr explicit DType(int code) : code_(static_cast<Code>(code)) {}
  constexpr bool operator==(const DType& other) const { return code_ == other.code_; }
  constexpr Code code() const { return code_; }

  /// "float32"; as JAX and NumPy spell it.
  std::string str() const;
  template <detail::TextStream S>
  friend S& operator<<(S& out, const DType& x) {
    out << x.str();
    return out;
  }
  /// "f32"; as in a jaxpr.
  std::string short_str() const;
  DTypeKind kind() const;
  bool is_floating() const { return kind() == DTypeKind::floating; }
  bool is_complex() const { return kind() == DTypeKind::complex; }
  bool is_inexact() const { return is_floating() || is_complex(); }
  bool is_integer() const {
    return kind() == DTypeKind::signed_integer || kind() == DTypeKind::unsigned_integer;
  }
  bool is_signed() const { return kind() == DTypeKind::signed_integer; }
  bool is_unsigned() const { return kind() == DTypeKind::unsigned_integer; }
  bool is_bool() const { return code_ == kBool; }
  bool is_prng_key() const { return kind() == DTypeKind::key; }
  /// Bytes of one element in memory. Sub-byte types take one byte; a key takes 8 (uint32[2]).
  int itemsize() const;
  /// Bits that carry information (4 for int4, 1 for bool).
  int bits() const;

  /// The dtype called `name` ("float32" or "f32"). Throws TypeError when there is none.
  static DType parse(std::string_view name);

 private:
  Code code_;
};

/// C++ types that convert to an Array: arithmetic types without the character types.
template <class T>
concept Scalar = std::is_arithmetic_v<T> && !std::is_same_v<T, char> && !std::is_same_v<T, wchar_t> &&
                 !std::is_same_v<T, char8_t> && !std::is_same_v<T, char16_t> && !std::is_same_v<T, char32_t>;

namespace detail {
/// The dtype whose elements have the representation of T.
template <Scalar T>
consteval DType::Code dtype_code_of() {
  if constexpr (std::is_same_v<T, bool>) return DType::kBool;
  else if constexpr (std::is_same_v<T, float>) return DType::kFloat32;
  else if constexpr (std::is_floating_point_v<T>) return DType::kFloat64;
  else {
    constexpr int base = std::is_signed_v<T> ? DType::kInt8 : DType::kUInt8;
    return static_cast<DType::Code>(base + (sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3));
  }
}
}  // namespace detail

}  // namespace tenon

#pragma GCC visibility pop
