// What may go wrong with an operation. Here stands the one list of operations that hand numbers on and make no NaN of others; all else may.
#include <algorithm>
#include <array>
#include <string_view>

#include "control/checkify.h"
#include "tenon/lax.h"

namespace tenon::detail {
namespace {

using checkify::Checks;

// As in JAX, which lists the others.
constexpr std::array<std::string_view, 47> kHandOn{
    "abs", "argmax", "argmin", "bitcast_convert_type", "broadcast_in_dim", "ceil", "clamp", "complex", "concatenate", "conj", "convert_element_type", "copy",
    "custom_lin", "dynamic_slice", "dynamic_update_slice", "empty", "floor", "gather", "imag", "iota", "max", "min", "name", "neg", "nextafter",
    "optimization_barrier", "pmax", "pmin", "real", "reduce_max", "reduce_min", "reduce_precision", "reshape", "rev", "round", "select_n", "sign", "slice",
    "sort", "split", "squeeze", "stack", "stop_gradient", "tile", "top_k", "transpose", "unstack"};

const lax::ScatterDimensionNumbers* scatter_numbers(const EqnParams& params) {
  const Param* numbers = params.find("dimension_numbers");
  return numbers && numbers->is<lax::ScatterDimensionNumbers>() ? &numbers->get<lax::ScatterDimensionNumbers>() : nullptr;
}
const lax::GatherDimensionNumbers* gather_numbers(const EqnParams& params) {
  const Param* numbers = params.find("dimension_numbers");
  return numbers && numbers->is<lax::GatherDimensionNumbers>() ? &numbers->get<lax::GatherDimensionNumbers>() : nullptr;
}
bool is_called(const Eqn& eqn, std::string_view name) { return eqn.primitive().name.text == name; }

Array integer(int64_t value, DType dtype) { return Array(make_scalar(value, dtype, false)); }

Array any(const Array& x) {
  Axes axes;
  for (int axis = 0; axis < x.ndim(); ++axis) axes.push_back(axis);
  return axes.empty() ? x : lax::reduce_or(x, axes);
}
Array any_of_each(const Arrays& arrays, FunctionRef<Array(const Array&)> test) {
  Array all;
  for (const Array& x : arrays) {
    if (!x.dtype().is_inexact()) continue;
    const Array one = any(test(x));
    all = all.is_empty() ? one : lax::bitwise_or(all, one);
  }
  return all.is_empty() ? Array(make_scalar(int64_t{0}, jnp::bool_, false)) : all;
}
Array is_nan(const Array& x) { return lax::ne(x, x); }
Array is_inf(const Array& x) {
  if (x.dtype().is_complex()) return lax::bitwise_or(is_inf(lax::real(x)), is_inf(lax::imag(x)));
  return lax::bitwise_and(lax::bitwise_not(lax::is_finite(x)), lax::eq(x, x));
}

// Integers known while tracing, without a captured array.
Array list(const std::vector<int64_t>& values, DType dtype) {
  Arrays parts;
  for (int64_t value : values) parts.push_back(lax::broadcast(integer(value, dtype), Shape{1}));
  return lax::concatenate(parts, 0);
}
// The largest integer of the dtype.
int64_t most_of(DType dtype) {
  const int bits = dtype.itemsize() * 8 - (dtype.is_signed() ? 1 : 0);
  return bits >= 63 ? INT64_MAX : (int64_t{1} << bits) - 1;
}

/// Of index vectors along the last axis of `indices`: component k goes to axis axes[k] of an array of `shape`, from 0 to last[k].
Failure out_of_bounds(const Array& indices, const std::vector<int64_t>& axes, const std::vector<int64_t>& last, const Shape& shape) {
  const DType dtype = indices.dtype();
  if (indices.size() == 0) return {Array(make_scalar(int64_t{0}, jnp::bool_, false)), {lax::full({3}, integer(0, jnp::int32))}};
  std::vector<int64_t> bounds = last, sizes;
  for (int64_t& bound : bounds) bound = std::min(bound, most_of(dtype));
  for (int64_t axis : axes) sizes.push_back(shape[static_cast<size_t>(axis)]);
  const Array bound = lax::broadcast_in_dim(list(bounds, dtype), indices.shape(), Axes(indices.ndim() - 1));
  const Array zero = lax::full(indices.shape(), integer(0, dtype));
  const Array wrong = lax::bitwise_or(lax::lt(indices, zero), lax::gt(indices, bound));
  // The first that is wrong: its value, axis and the size of that axis.
  const Array place = lax::argmax(lax::reshape(wrong, {indices.size()}), 0);
  const Array component = lax::rem(place, integer(static_cast<int64_t>(axes.size()), jnp::int32));
  const auto pick = [](const Array& from, const Array& at) { return lax::convert_element_type(lax::dynamic_slice(from, {at}, {1}), jnp::int32); };
  return {any(wrong),
          {lax::concatenate({pick(lax::reshape(indices, {indices.size()}), place), pick(list(axes, jnp::int32), component),
                             pick(list(sizes, jnp::int32), component)},
                            0)}};
}

std::vector<int64_t> widened(const Axes& axes) { return {axes.begin(), axes.end()}; }

// Scalars as one index vector.
Array index_vector(const Arrays& operands, size_t first) {
  Arrays parts;
  for (size_t i = first; i < operands.size(); ++i) parts.push_back(lax::broadcast(operands[i], Shape{1}));
  return lax::concatenate(parts, 0);
}
// Along each axis of `shape`, where a window of `sizes` may begin at most.
Failure window_out_of_bounds(const Array& starts, const Shape& shape, const Shape& sizes) {
  std::vector<int64_t> axes, last;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    axes.push_back(static_cast<int64_t>(axis));
    last.push_back(shape[axis] - sizes[axis]);
  }
  return out_of_bounds(starts, axes, last, shape);
}

Failure check_index(const Eqn& eqn, const Arrays& operands) {
  const Shape shape = operands[0].shape();
  if (is_called(eqn, "dynamic_slice")) return window_out_of_bounds(index_vector(operands, 1), shape, eqn.params().get<Shape>("slice_sizes"));
  if (is_called(eqn, "dynamic_update_slice")) return window_out_of_bounds(index_vector(operands, 2), shape, operands[1].shape());
  std::vector<int64_t> last;
  if (const lax::GatherDimensionNumbers* numbers = gather_numbers(eqn.params())) {
    const auto& sizes = eqn.params().get<Shape>("slice_sizes");
    for (int axis : numbers->start_index_map) last.push_back(shape[static_cast<size_t>(axis)] - sizes[static_cast<size_t>(axis)]);
    return out_of_bounds(operands[1], widened(numbers->start_index_map), last, shape);
  }
  const lax::ScatterDimensionNumbers& numbers = *scatter_numbers(eqn.params());
  const Shape updates = operands[2].shape();
  const auto holds = [](const Axes& axes, int axis) { return std::ranges::find(axes, axis) != axes.end(); };
  std::vector<int64_t> sizes;  // of a window
  auto window = numbers.update_window_dims.begin();
  for (int axis = 0; axis < static_cast<int>(shape.size()); ++axis)
    sizes.push_back(holds(numbers.inserted_window_dims, axis) || holds(numbers.operand_batching_dims, axis) ? 1 : updates[static_cast<size_t>(*window++)]);
  for (int axis : numbers.scatter_dims_to_operand_dims) last.push_back(shape[static_cast<size_t>(axis)] - sizes[static_cast<size_t>(axis)]);
  return out_of_bounds(operands[1], widened(numbers.scatter_dims_to_operand_dims), last, shape);
}

}  // namespace

bool hands_on(const Primitive& primitive) { return std::ranges::find(kHandOn, primitive.name.text) != kHandOn.end(); }

checkify::Checks checks_of(const Eqn& eqn, Checks wanted) {
  Checks checks = Checks::none;
  const bool is_inexact = std::ranges::any_of(eqn.outvars(), [](const Var& v) { return v.aval().dtype.is_inexact(); });
  if (is_inexact && !hands_on(eqn.primitive())) checks = Checks::nan | Checks::inf;
  if (is_called(eqn, "div")) checks = checks | Checks::div;
  const bool has_starts = (is_called(eqn, "dynamic_slice") && eqn.invars().size() > 1) || (is_called(eqn, "dynamic_update_slice") && eqn.invars().size() > 2);
  const lax::GatherDimensionNumbers* gather = gather_numbers(eqn.params());
  const lax::ScatterDimensionNumbers* scatter = scatter_numbers(eqn.params());
  if (has_starts || (gather && gather->start_index_map.size() > 0) || (scatter && scatter->scatter_dims_to_operand_dims.size() > 0))
    checks = checks | Checks::index;
  return checks & wanted;
}

Avals payload_of(Checks category) { return category == Checks::index ? Avals{Aval{Shape{3}, jnp::int32, false}} : Avals{}; }

Failure check_operation(Checks category, const Eqn& eqn, const Arrays& operands, const Arrays& results) {
  switch (category) {
    case Checks::nan: return {any_of_each(results, [](const Array& x) { return is_nan(x); }), {}};
    case Checks::inf: return {any_of_each(results, [](const Array& x) { return is_inf(x); }), {}};
    case Checks::div: {
      const Array& divisor = operands[1];
      return {any(lax::eq(divisor, lax::full(divisor.shape(), Array(0), divisor.dtype()))), {}};
    }
    default: return check_index(eqn, operands);
  }
}

}  // namespace tenon::detail
