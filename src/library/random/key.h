// What all of random does first: look at the key.
#pragma once

#include "library/promote.h"
#include "ops/primitives.h"
#include "tenon/detail/jitted.h"
#include "tenon/random.h"

namespace tenon::random {

/// A typed key, and whether it was given as plain words.
struct CheckedKey {
  Array key;
  bool wrapped;
};
CheckedKey check_key(const char* who, const Array& key, bool may_be_array = false);

/// One eqn each.
Array random_bits(const Array& key, int64_t bit_width, const Shape& shape);
Array random_split(const Array& key, const Shape& shape);
/// Two keys of one, each a scalar.
Arrays split_in_two(const Array& key);

/// A strong scalar: a literal in a jaxpr.
Array literal(double value, DType dtype);
Array integer_literal(int64_t value, DType dtype);
/// New major axes of size 1.
Array broadcast_to_rank(const Array& x, int ndim);
/// Throws ValueError unless `parameter` broadcasts to `shape`.
void check_shape(const char* who, const Shape& shape, const Array& parameter);
/// float32 (float64 with enable_x64) unless given. Throws ValueError when it is not floating.
DType floating_dtype(const char* who, std::optional<DType> dtype);

/// Uniform in [minval, maxval), a nested program "_uniform". `max_first`: its operands are maxval, minval.
Array uniform_jitted(const Array& key, const Shape& shape, DType dtype, const Array& minval, const Array& maxval, bool max_first = false);

}  // namespace tenon::random
