// Elements as C++ types: what is stored, what is computed with, and the step from a DType to both.
#pragma once

#include <complex>
#include <cstdint>
#include <type_traits>

#include "base/fail.h"
#include "base/half.h"
#include "tenon/dtype.h"

namespace tenon::elements {

struct Float16 {
  std::uint16_t bits;
};
struct BFloat16 {
  std::uint16_t bits;
};
using Complex64 = std::complex<float>;
using Complex128 = std::complex<double>;

template <class T>
inline constexpr bool is_half = std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;
template <class T>
inline constexpr bool is_float = std::is_floating_point_v<T>;
template <class T>
inline constexpr bool is_complex = std::is_same_v<T, Complex64> || std::is_same_v<T, Complex128>;
template <class T>
inline constexpr bool is_integer = std::is_integral_v<T> && !std::is_same_v<T, bool>;

/// The type in which an element is computed with: 16-bit floats widen.
template <class T>
using Computed = std::conditional_t<is_half<T>, float, T>;

template <class T>
[[gnu::always_inline]] inline Computed<T> widen(T value) {
  if constexpr (std::is_same_v<T, Float16>) return detail::float16_to_float(value.bits);
  else if constexpr (std::is_same_v<T, BFloat16>) return detail::bfloat16_to_float(value.bits);
  else return value;
}
template <class T>
[[gnu::always_inline]] inline T narrow(Computed<T> value) {
  if constexpr (std::is_same_v<T, Float16>) return {detail::float_to_float16(value)};
  else if constexpr (std::is_same_v<T, BFloat16>) return {detail::float_to_bfloat16(value)};
  else return value;
}

/// Calls `f.template operator()<T>()` with the element type of `dtype`.
template <class F>
decltype(auto) with_element_type(DType dtype, F&& f) {
  switch (dtype.code()) {
    case DType::kBool: return f.template operator()<bool>();
    case DType::kInt8: return f.template operator()<std::int8_t>();
    case DType::kInt16: return f.template operator()<std::int16_t>();
    case DType::kInt32: return f.template operator()<std::int32_t>();
    case DType::kInt64: return f.template operator()<std::int64_t>();
    case DType::kUInt8: return f.template operator()<std::uint8_t>();
    case DType::kUInt16: return f.template operator()<std::uint16_t>();
    case DType::kUInt32: return f.template operator()<std::uint32_t>();
    case DType::kUInt64: return f.template operator()<std::uint64_t>();
    case DType::kFloat16: return f.template operator()<Float16>();
    case DType::kBFloat16: return f.template operator()<BFloat16>();
    case DType::kFloat32: return f.template operator()<float>();
    case DType::kFloat64: return f.template operator()<double>();
    case DType::kComplex64: return f.template operator()<Complex64>();
    case DType::kComplex128: return f.template operator()<Complex128>();
    default:
      fail<UnimplementedError>("elements", "elements of type ", dtype, " have no arithmetic here yet; convert "
                               "them, or extend with_element_type in src/base/element.h");
  }
}

}  // namespace tenon::elements
