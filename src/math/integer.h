// Integers as XLA defines them: arithmetic wraps, and no input is undefined.
//
// T is any C++ integer type but bool. Generated code has the same formulas in IR operations.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace tenon::math {

template <class T>
concept Integer = std::integral<T> && !std::same_as<T, bool>;

// In uint64_t, where nothing overflows that should not and small types are not promoted to int.
template <Integer T>
constexpr T add(T a, T b) {
  return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
template <Integer T>
constexpr T subtract(T a, T b) {
  return static_cast<T>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}
template <Integer T>
constexpr T multiply(T a, T b) {
  return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}
template <Integer T>
constexpr T negate(T a) {
  return subtract(T{0}, a);
}

/// Toward zero. x / 0 = -1 (all bits set), lowest / -1 = lowest.
template <Integer T>
constexpr T divide(T a, T b) {
  if (b == 0) return static_cast<T>(-1);
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return negate(a);
  }
  return static_cast<T>(a / b);
}

/// a - divide(a, b) * b, the sign of a. x rem 0 = x, lowest rem -1 = 0.
template <Integer T>
constexpr T remainder(T a, T b) {
  if (b == 0) return a;
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return 0;
  }
  return static_cast<T>(a % b);
}

/// |lowest| = lowest.
template <Integer T>
constexpr T abs(T a) {
  return a < 0 ? negate(a) : a;
}
template <Integer T>
constexpr T sign(T a) {
  return static_cast<T>((a > 0) - (a < 0));
}

// Shift counts are read as unsigned; a count of the width and more shifts everything out.
template <Integer T>
constexpr T shift_left(T a, T count) {
  using U = std::make_unsigned_t<T>;
  constexpr U width = sizeof(T) * 8;
  const U n = static_cast<U>(count);
  return n >= width ? T{0} : static_cast<T>(static_cast<std::uint64_t>(a) << n);
}
template <Integer T>
constexpr T shift_right_logical(T a, T count) {
  using U = std::make_unsigned_t<T>;
  constexpr U width = sizeof(T) * 8;
  const U n = static_cast<U>(count);
  return n >= width ? T{0} : static_cast<T>(static_cast<U>(a) >> n);
}
/// Fills with the upper bit, of unsigned types too.
template <Integer T>
constexpr T shift_right_arithmetic(T a, T count) {
  using U = std::make_unsigned_t<T>;
  using S = std::make_signed_t<T>;
  constexpr U width = sizeof(T) * 8;
  const U n = static_cast<U>(count) >= width ? width - 1 : static_cast<U>(count);
  return static_cast<T>(static_cast<S>(a) >> n);
}

template <Integer T>
constexpr T count_leading_zeros(T a) {
  return static_cast<T>(std::countl_zero(static_cast<std::make_unsigned_t<T>>(a)));
}
template <Integer T>
constexpr T population_count(T a) {
  return static_cast<T>(std::popcount(static_cast<std::make_unsigned_t<T>>(a)));
}

/// base^exponent, wrapping. A negative exponent gives the integer part of the fraction: 1 and -1
/// have one, anything else (0 too) gives 0.
template <Integer T>
constexpr T power(T base, T exponent) {
  if (exponent < 0) {
    if (base == 1) return 1;
    if (base == static_cast<T>(-1)) return exponent % 2 == 0 ? T{1} : static_cast<T>(-1);
    return 0;
  }
  T result = 1;
  for (auto n = static_cast<std::make_unsigned_t<T>>(exponent); n != 0; n >>= 1) {
    if (n & 1) result = multiply(result, base);
    base = multiply(base, base);
  }
  return result;
}

/// Toward zero, clamped to the range of T; NaN gives 0.
template <Integer T, std::floating_point F>
constexpr T to_integer(F x) {
  // 2^digits is one above the highest value, and exact in F.
  constexpr int digits = std::numeric_limits<T>::digits;
  const F above = static_cast<F>(std::uint64_t{1} << (digits - 1)) * F{2};
  if (x != x) return 0;
  if (x >= above) return std::numeric_limits<T>::max();
  if (x < static_cast<F>(std::numeric_limits<T>::lowest())) return std::numeric_limits<T>::lowest();
  return static_cast<T>(x);
}

}  // namespace tenon::math
