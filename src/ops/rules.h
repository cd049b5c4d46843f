// Rules that several primitives share, as templates over the primitive's name, and what every op
// file includes.
//
// Elementwise primitives take operands of one dtype whose shapes are equal up to axes of size 1;
// an operand of rank 0 fits any shape (a literal stays a scalar in the jaxpr). Lowering makes the
// shapes equal.
#pragma once

#include <algorithm>
#include <span>

#include "base/fail.h"
#include "tenon/stablehlo_builder.h"
#include "ops/primitives.h"
#include "tenon/lax.h"

namespace tenon::lax {

using Values = std::vector<Value>;

/// The name of a primitive as a template argument, for errors.
template <size_t N>
struct Name {
  char text[N];
  constexpr Name(const char (&literal)[N]) { std::copy_n(literal, N, text); }
};

/// Sets of dtypes that a primitive accepts.
using Kinds = unsigned;
constexpr Kinds kBool = 1, kSigned = 2, kUnsigned = 4, kFloat = 8, kComplex = 16, kKey = 32;
constexpr Kinds kInt = kSigned | kUnsigned, kBoolOrInt = kBool | kInt, kInexact = kFloat | kComplex,
                kNumber = kInt | kInexact, kReal = kInt | kFloat, kOrdered = kBool | kReal, kAny = kBool | kNumber;

/// Throws TypeError unless the kind of `operand`'s dtype is in `accepted`. `position`: of an operand
/// that is not the only one.
void check_kind(const char* who, const Aval& operand, Kinds accepted, int position = -1);
/// The same for each of several operands.
void check_kinds(const char* who, std::span<const Aval> operands, Kinds accepted);
/// Throws TypeError for a 16-bit float: no complex number has such parts.
void check_has_complex(const char* who, const Aval& operand);
/// Throws TypeError unless all dtypes are equal.
void check_same_dtype(const char* who, std::span<const Aval> operands);
/// Throws TypeError for a wrong number of operands.
void check_count(const char* who, const Avals& operands, size_t count);
/// The shape to which the operands broadcast. Throws ShapeError.
Shape broadcast_shapes(const char* who, std::span<const Aval> operands);
/// Throws ValueError for an axis outside [0, ndim), ShapeError for one that comes twice.
void check_axes(const char* who, const char* what, const Axes& axes, int ndim);
/// -1 -> ndim - 1. Throws ValueError when out of range.
int64_t canonical_axis(const char* who, int64_t axis, int ndim);
Axes canonical_axes(const char* who, const Axes& axes, int ndim);
/// True when all operands are weakly typed.
bool all_weak(std::span<const Aval> operands);
/// The same number of elements of a complex dtype's parts; other dtypes as they are.
DType real_dtype(DType dtype);
/// float32 and float64 to the complex dtype with such parts; other dtypes as they are.
DType complex_dtype(DType dtype);

/// The operands as values of one shape: broadcast_in_dim where they differ.
Values broadcast_values(StablehloBuilder& b, const Values& operands);
/// `value`, rank 0 of the dtype, broadcast to the shape. Two operations unless the shape is ().
Value full_value(StablehloBuilder& b, double value, const Aval& aval);
/// The same for an integer that a double may not hold.
Value full_integer_value(StablehloBuilder& b, int64_t value, const Aval& aval);

// Shape rules of elementwise primitives.

/// One operand; the result has its shape and dtype.
template <Name name, Kinds accepted>
Avals unary_rule(const Avals& in, const EqnParams&) {
  check_count(name.text, in, 1);
  check_kind(name.text, in[0], accepted);
  return {in[0]};
}
/// Operands of one dtype; the result has it too.
template <Name name, Kinds accepted, size_t count = 2>
Avals nary_rule(const Avals& in, const EqnParams&) {
  check_count(name.text, in, count);
  check_kinds(name.text, in, accepted);
  check_same_dtype(name.text, in);
  return {{broadcast_shapes(name.text, in), in[0].dtype, all_weak(in)}};
}
/// The same with a bool result.
template <Name name, Kinds accepted, size_t count = 2>
Avals predicate_rule(const Avals& in, const EqnParams& params) {
  Avals out = nary_rule<name, accepted, count>(in, params);
  out[0].dtype = DType(DType::kBool);
  return out;
}

// Parameters that a jaxpr shows.

/// All but `accuracy` when it is None.
inline bool prints_accuracy(std::string_view name, const Param& value, const EqnParams&) {
  return name != "accuracy" || !value.is_none();
}

// What public functions do: the first operand brings the user's line.

inline Array apply(const Primitive& primitive, const Operand& x, const EqnParams& params = {}) {
  detail::SiteScope site(x.loc);
  return bind(primitive, {x.value}, params);
}
inline Array apply(const Primitive& primitive, const Operand& x, const Operand& y, const EqnParams& params = {}) {
  detail::SiteScope site(x.loc);
  return bind(primitive, {x.value, y.value}, params);
}
inline Array apply(const Primitive& primitive, const Operand& x, const Operand& y, const Operand& z) {
  detail::SiteScope site(x.loc);
  return bind(primitive, {x.value, y.value, z.value});
}

}  // namespace tenon::lax
