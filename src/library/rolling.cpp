// roll: elements move along an axis, and those that leave at one end come in at the other.
#include "base/fail.h"
#include "library/promote.h"
#include "tenon/detail/jitted.h"

namespace tenon::jnp {

static Array slice_of(const Array& x, int64_t axis, int64_t begin, int64_t end) {
  Shape start(std::vector<int64_t>(static_cast<size_t>(x.ndim()), 0)), limit = x.shape();
  start[axis] = begin;
  limit[axis] = end;
  return lax::slice(x, start, limit, Shape(std::vector<int64_t>(static_cast<size_t>(x.ndim()), 1)));
}

static Array roll_static(const Array& x, const std::vector<int64_t>& shifts, const Axes& axes) {
  auto body = [&](const Arrays& in) -> Arrays {
    Array y = in[0];
    for (size_t k = 0; k < axes.size(); ++k) {
      const int64_t axis = axes[k], size = y.shape()[axis];
      if (size == 0) continue;
      const int64_t first = (size - shifts[k] % size) % size;
      const Array moved = slice_of(y, axis, first, size);
      y = lax::concatenate({moved, slice_of(y, axis, 0, first)}, static_cast<int>(axis));
    }
    return {y};
  };
  return detail::call_jitted("_roll_static", body, {x})[0];
}

static Array roll_dynamic(const Array& x, const Array& shift, int64_t axis) {
  auto body = [axis](const Arrays& in) -> Arrays {
    const Array& y = in[0];
    const Shape shape = y.shape();
    const Array by = lax::convert_type(lax::unstack(broadcast_to(in[1], {1}))[0], int32, false);
    const Array size = lax::convert_type(Array(shape[axis]), int32, false), one = lax::convert_type(Array(1), int32, false);
    const Array moved = remainder(by, lax::max(size, one));
    const Array twice = lax::concatenate({y, y}, static_cast<int>(axis));
    Arrays starts(static_cast<size_t>(y.ndim()), Array(0));
    starts[static_cast<size_t>(axis)] = subtract(size, moved);
    return {lax::dynamic_slice(twice, starts, shape)};
  };
  return detail::call_jitted("_roll_dynamic", body, {x, shift})[0];
}

Array roll(const Operand& x, const Operand& shift, std::optional<int> axis) {
  detail::FunctionScope site(x.loc);
  if (!axis) return lax::reshape(roll(ravel(x), shift, 0), x.value.shape());
  const int64_t at = detail::canonical_axis("roll", *axis, x.value.ndim());
  if (!shift.value.dtype().is_integer() || shift.value.ndim() != 0)
    fail<TypeError>("roll", "the shift must be an integer; got ", shift.value.aval());
  if (shift.value.is_tracer()) return roll_dynamic(x.value, shift.value, at);
  return roll_static(x.value, {shift.value.item<int64_t>()}, Axes(static_cast<int>(at)));
}

Array roll(const Operand& x, const Shape& shifts, const Axes& axes) {
  detail::FunctionScope site(x.loc);
  if (shifts.size() != axes.size()) fail<ValueError>("roll", "each axis needs a shift; got shifts ", shifts, " and axes ", axes);
  Axes canonical;  // an axis may come twice
  for (int64_t axis : axes) canonical.push_back(detail::canonical_axis("roll", axis, x.value.ndim()));
  return roll_static(x.value, shifts.dims(), canonical);
}

}  // namespace tenon::jnp
