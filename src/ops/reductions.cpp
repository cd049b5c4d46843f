#include "ops/reductions.h"

#include <limits>

namespace tenon::lax {

Shape reduced_shape(const char* who, const Aval& operand, const Axes& axes) {
  check_axes(who, "axis", axes, operand.ndim());
  Shape shape;
  for (int axis = 0; axis < operand.ndim(); ++axis)
    if (!axes.contains(axis)) shape.push_back(operand.shape[axis]);
  return shape;
}

Value extreme_value(StablehloBuilder& b, DType dtype, bool largest) {
  const Aval scalar{{}, dtype};
  if (dtype.is_bool()) return full_value(b, largest, scalar);
  if (dtype.is_inexact()) {
    const double infinity = std::numeric_limits<double>::infinity();
    return full_value(b, largest ? infinity : -infinity, scalar);
  }
  const int bits = dtype.bits();
  if (dtype.is_unsigned()) return full_integer_value(b, largest ? static_cast<int64_t>(~uint64_t{0} >> (64 - bits)) : 0, scalar);
  const int64_t least = std::numeric_limits<int64_t>::min() >> (64 - bits);
  return full_integer_value(b, largest ? ~least : least, scalar);
}

}  // namespace tenon::lax
