// Rules of the reductions by one operation: reduce_sum, reduce_prod, reduce_max, reduce_min, reduce_and, reduce_or.
#pragma once

#include "ops/dual.h"
#include "ops/rules.h"
#include "tenon/detail/ref.h"

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

/// x read with its axes in the order `dimensions`, under another shape.
Array reshape_in_order(const Array& x, const Shape& new_sizes, const Axes& dimensions);

/// The derivative of a reduction over `axes`, as that of a tree: halves are combined until one element is left.
JvpResult jvp_of_tree(tenon::detail::FunctionRef<Duals(const Duals&)> combine, const Arrays& inits, const Arrays& primals,
                      const Tangents& tangents, const Axes& axes);

/// The derivative of max and min: the mean of the tangents of all elements that are equal to the result.
Array chosen_jvp(const Array& tangent, const Array& result, const Arrays& primals, const EqnParams& params);

}  // namespace tenon::lax
