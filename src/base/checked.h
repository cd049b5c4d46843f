// Arithmetic on sizes that users give.
#pragma once

#include "base/fail.h"

namespace tenon {

/// a + b and a * b. Throw ShapeError with the name of who asks when the result does not fit in 63 bits.
inline int64_t checked_sum(const char* who, int64_t a, int64_t b) {
  int64_t result;
  if (__builtin_add_overflow(a, b, &result)) fail<ShapeError>(who, "a size must fit in 63 bits; got ", a, " + ", b);
  return result;
}
inline int64_t checked_product(const char* who, int64_t a, int64_t b) {
  int64_t result;
  if (__builtin_mul_overflow(a, b, &result)) fail<ShapeError>(who, "a size must fit in 63 bits; got ", a, " * ", b);
  return result;
}

}  // namespace tenon
