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

// Combines the first half of the elements along axis 0 with the rest.
static Duals halved(tenon::detail::FunctionRef<Duals(const Duals&)> combine, const Arrays& inits, const Duals& xs) {
  const int64_t size = xs[0].primal.shape()[0], middle = (size + 1) / 2;
  Duals operands, rest;
  for (const Dual& x : xs) operands.push_back(slice_along(x, 0, 0, middle));
  for (const Dual& x : xs) rest.push_back(slice_along(x, 0, middle, size));
  if (size % 2 != 0) {
    std::vector<PaddingConfig::Axis> config(static_cast<size_t>(rest[0].primal.ndim()));
    config[0].high = 1;
    for (size_t i = 0; i < rest.size(); ++i)
      rest[i] = apply(pad_p, {rest[i], constant(inits[i])}, {{"padding_config", PaddingConfig(config)}});
  }
  operands.insert(operands.end(), rest.begin(), rest.end());
  return combine(operands);
}

JvpResult jvp_of_tree(tenon::detail::FunctionRef<Duals(const Duals&)> combine, const Arrays& inits, const Arrays& primals,
                      const Tangents& tangents, const Axes& axes) {
  const Shape shape = primals[0].shape();
  Axes order = axes;
  Shape kept;
  int64_t size = 1;
  for (int64_t axis : axes) size *= shape[axis];
  for (int axis = 0; axis < shape.ndim(); ++axis) {
    if (axes.contains(axis)) continue;
    order.push_back(axis);
    kept.push_back(shape[axis]);
  }
  std::vector<int64_t> flat = kept.dims();
  flat.insert(flat.begin(), size);
  Duals xs;
  for (const Array& x : primals) xs.push_back(constant(reshape_in_order(x, Shape(flat), order)));
  for (size_t i = 0; i < xs.size(); ++i)
    if (!tangents[i].is_zero()) xs[i].tangent = reshape_in_order(tangents[i].value(), Shape(flat), order);
  while (xs[0].primal.shape()[0] > 1) xs = halved(combine, inits, xs);
  JvpResult out;
  for (size_t i = 0; i < xs.size(); ++i) {
    const Dual result = size == 0 ? constant(full(kept, inits[i])) : apply(squeeze_p, {xs[i]}, {{"dimensions", Axes(0)}});
    out.primals.push_back(result.primal);
    out.tangents.push_back(result.tangent);
  }
  return out;
}

Array chosen_jvp(const Array& tangent, const Array& result, const Arrays& primals, const EqnParams& params) {
  const auto& axes = params.get<Axes>("axes");
  Shape shape = primals[0].shape();
  if (shape.num_elements() == 0) return full(result.shape(), 0, tangent.dtype());  // of no element
  for (int64_t axis : axes) shape[axis] = 1;
  const Array is_chosen = convert_element_type(eq(primals[0], reshape(result, shape)), tangent.dtype());
  const Array count = reduce_sum(is_chosen, axes);
  return div(reduce_sum(mul(tangent, is_chosen), axes), count);
}

}  // namespace tenon::lax
