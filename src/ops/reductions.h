// Rules of the reductions by one operation: reduce_sum, reduce_prod, reduce_max, reduce_min, reduce_and, reduce_or.
#pragma once

#include "ops/rules.h"

namespace tenon::lax {

/// The operand's shape without the axes in the parameter `axes`.
Shape reduced_shape(const char* who, const Aval& operand, const Axes& axes);

template <Name name, Kinds accepted>
Avals reduce_rule(const Avals& in, const EqnParams& params) {
  check_count(name.text, in, 1);
  check_kind(name.text, in[0], accepted);
  return {in[0].with_shape(reduced_shape(name.text, in[0], params.get<Axes>("axes")))};
}

/// The value that changes nothing under max (`largest` false) or min: -inf or the least value, and
/// +inf or the greatest one.
Value extreme_value(StablehloBuilder& b, DType dtype, bool largest);

}  // namespace tenon::lax
