// Index expressions without arrays: blocks at known places (slice) or at places that may be traced (dynamic_slice),
// then rev, squeeze and broadcast_in_dim.
#include <algorithm>
#include <cstdlib>

#include "base/fail.h"
#include "library/indexing/indexer.h"

namespace tenon::indexing {
namespace {

// What happens after the slice, whichever kind it was.
struct Finish {
  Axes reversed, squeezed, added;
  int axes = 0;  // so far, before squeezing
  void add_new_axis() { added.push_back(axes - static_cast<int>(squeezed.size()) + static_cast<int>(added.size())); }
  Array operator()(Array y) const {
    if (!reversed.empty()) y = lax::rev(y, reversed);
    if (!squeezed.empty()) y = lax::squeeze(y, squeezed);
    if (!added.empty()) y = lax::expand_dims(y, added);
    return y;
  }
};

bool is_static(const Shape& shape, const AxisIndices& indices, bool wraps, bool clamps) {
  for (const AxisIndex& i : indices) {
    if (is_array(i)) return false;
    if (!is_integer(i) || clamps) continue;
    const int64_t size = shape[i.axis], at = i.index.integer();
    if (at < (wraps ? -size : 0) || at >= size) return false;
  }
  return true;
}

bool is_block(const AxisIndices& indices) {
  return std::ranges::all_of(indices, [](const AxisIndex& i) {
    if (is_array(i)) return i.index.array().ndim() == 0;
    return i.index.kind() != Kind::slice || std::abs(i.index.range().step.value_or(1)) == 1;
  });
}

}  // namespace

std::optional<Array> static_slice(const Array& x, const AxisIndices& indices, bool wraps, bool clamps) {
  const Shape shape = x.shape();
  if (!is_static(shape, indices, wraps, clamps)) return std::nullopt;
  Shape start, limit, strides;
  Finish finish;
  for (const AxisIndex& i : indices) {
    if (i.axis < 0) {
      finish.add_new_axis();
      continue;
    }
    const int64_t size = shape[i.axis];
    if (is_integer(i)) {
      check_axis_not_empty(shape, i.axis);
      int64_t at = i.index.integer();
      if (wraps && at < 0) at += size;
      at = std::clamp<int64_t>(at, 0, size - 1);
      start.push_back(at);
      limit.push_back(at + 1);
      strides.push_back(1);
      finish.squeezed.push_back(i.axis);
    } else {
      const Range r = range_of(i.index, size);
      if (r.step < 0) {  // the same elements forwards, then reversed
        const int64_t count = r.size();
        const int64_t last = count == 0 ? std::min(size, r.stop + 1) : r.start + (count - 1) * r.step;
        start.push_back(last);
        limit.push_back(std::max(last, r.start + 1));
        finish.reversed.push_back(i.axis);
      } else {
        start.push_back(r.start);
        limit.push_back(std::max(r.start, r.stop));
      }
      strides.push_back(std::abs(r.step));
    }
    ++finish.axes;
  }
  const bool unit = std::ranges::all_of(strides, [](int64_t s) { return s == 1; });
  const bool trivial = unit && limit == shape && std::ranges::all_of(start, [](int64_t s) { return s == 0; });
  if (trivial) return finish(x);
  return finish(lax::slice(x, start, limit, unit ? std::nullopt : std::optional(strides)));
}

std::optional<Array> dynamic_slice(const Array& x, const AxisIndices& indices, bool wraps) {
  if (!is_block(indices)) return std::nullopt;
  const Shape shape = x.shape();
  Arrays start;
  Shape sizes;
  Finish finish;
  for (const AxisIndex& i : indices) {
    if (i.axis < 0) {
      finish.add_new_axis();
      continue;
    }
    if (is_range(i)) {
      const Range r = range_of(i.index, shape[i.axis]);
      const bool backwards = r.step < 0;
      if (backwards) finish.reversed.push_back(i.axis);
      start.push_back(backwards ? r.start - r.size() + 1 : r.start);
      sizes.push_back(r.size());
    } else {
      check_axis_not_empty(shape, i.axis);
      start.push_back(is_integer(i) ? Array(i.index.integer()) : i.index.array());
      sizes.push_back(1);
      finish.squeezed.push_back(i.axis);
    }
    ++finish.axes;
  }
  if (start.size() > 1)  // all of one dtype
    for (Array& s : start) s = lax::convert_type(s, jnp::int32, false);
  Arrays operands = {x};
  for (size_t axis = 0; axis < start.size(); ++axis)
    operands.push_back(wraps ? from_the_end(start[axis], shape[axis]) : start[axis]);
  return finish(bind(lax::dynamic_slice_p, operands, {{"slice_sizes", sizes}}));
}

}  // namespace tenon::indexing
