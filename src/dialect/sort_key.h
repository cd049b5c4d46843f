// The order of a sort as a list of keys, and keys as unsigned integers. No MLIR here.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "base/element.h"
#include "tenon/dtype.h"

namespace tenon {

/// A key of a sort: elements, or real or imaginary parts, of an operand.
struct SortKey {
  enum Order : std::uint8_t {
    plain,      // integers and bool
    total,      // IEEE 754's totalOrder
    canonical,  // the same, where zeros are equal and NaNs are
  };
  int operand = 0;
  DType type{DType::kFloat32};       // of the part
  std::int64_t offset_bytes = 0;     // of the part in its element
  Order order = plain;
  bool descending = false;
};

/// x as an unsigned integer whose order is that of the key.
template <class T>
auto ordered_bits(T x, const SortKey& key) {
  using namespace elements;
  const auto directed = [&](auto bits) { return static_cast<decltype(bits)>(key.descending ? ~bits : bits); };
  if constexpr (std::is_same_v<T, bool>) {
    return directed(static_cast<std::uint8_t>(x));
  } else if constexpr (is_integer<T>) {
    using U = std::make_unsigned_t<T>;
    return directed(static_cast<U>(static_cast<U>(x) ^ (std::is_signed_v<T> ? U{1} << (8 * sizeof(U) - 1) : U{0})));
  } else {
    using U = std::conditional_t<sizeof(T) == 2, std::uint16_t, std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>;
    constexpr U sign = U{1} << (8 * sizeof(U) - 1);
    U bits = std::bit_cast<U>(x);
    if (key.order == SortKey::canonical) {
      const auto wide = widen(x);
      if (wide == 0) bits = 0;
      if (wide != wide) bits = sign - 1;  // after infinity
    }
    return directed(static_cast<U>(bits & sign ? ~bits : bits | sign));
  }
}

}  // namespace tenon
