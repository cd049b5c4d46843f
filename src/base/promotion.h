// Type promotion as JAX does it: a lattice of dtypes with three weak nodes (int, float, complex).
#pragma once

#include <span>

#include "tenon/aval.h"

namespace tenon {

struct PromotedType {
  DType dtype;
  bool weak;
  bool operator==(const PromotedType&) const = default;
};

/// With 64-bit types off: int64 -> int32, uint64 -> uint32, float64 -> float32,
/// complex128 -> complex64; everything else as it is.
DType canonical_dtype(DType dtype);
/// int32/float32/complex64, or the 64-bit one when enable_x64 is set.
DType default_int();
DType default_float();
DType default_complex();

/// The float for an integer: float64 for those of 64 bits, float32 for the others and bool; other dtypes as they are.
DType to_inexact(DType dtype);

/// The type in which values of these types meet.
/// Throws TypeError when there is none, naming `who` and the dtypes.
PromotedType promote_types(std::span<const PromotedType> types, std::string_view who);
PromotedType promote(std::span<const Aval> avals, std::string_view who);

}  // namespace tenon
