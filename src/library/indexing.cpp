// NumPy indexing: x(1, slice(2), newaxis, i). Three ways, the first that fits:
//   known integers and slices       slice, rev, squeeze, broadcast_in_dim
//   scalars that may be traced      dynamic_slice, rev, squeeze, broadcast_in_dim
//   arrays of integers              gather, rev, broadcast_in_dim
// A known integer out of range and a traced one are clamped; negative ones count from the end.
#include <algorithm>
#include <cstdlib>
#include <span>

#include "base/fail.h"
#include "core/trace.h"
#include "library/promote.h"
#include "ops/primitives.h"
#include "tenon/detail/jitted.h"

namespace tenon {
namespace {

using Kind = Index::Kind;
using Indices = std::vector<Index>;
constexpr const char* kWho = "index";

// One index and the axis that it consumes (-1 for a new axis). No ellipsis any more.
struct AxisIndex {
  Index index;
  int axis;
  int position;  // among the indices as written; an axis that none names has its ellipsis' or the end's
};

bool is_array(const AxisIndex& i) { return i.index.kind() == Kind::array; }
bool is_integer(const AxisIndex& i) { return i.index.kind() == Kind::integer; }
bool is_range(const AxisIndex& i) { return i.index.kind() == Kind::slice || i.index.kind() == Kind::all; }

// Start, stop and step as Python's slice.indices gives them.
struct Range {
  int64_t start, stop, step;
  int64_t size() const {
    const int64_t span = step > 0 ? stop - start : start - stop, by = std::abs(step);
    return span <= 0 ? 0 : (span + by - 1) / by;
  }
};
Range range_of(const Index& index, int64_t size) {
  if (index.kind() == Kind::all) return {0, size, 1};
  const slice& s = index.range();
  const int64_t step = s.step.value_or(1);
  if (step == 0) fail<ValueError>(kWho, "the step of a slice cannot be zero");
  const int64_t low = step > 0 ? 0 : -1, high = step > 0 ? size : size - 1;
  auto bounded = [&](std::optional<int64_t> v, int64_t otherwise) {
    return v ? std::clamp(*v < 0 ? *v + size : *v, low, high) : otherwise;
  };
  return {bounded(s.start, step > 0 ? low : high), bounded(s.stop, step > 0 ? high : low), step};
}

void check_array_index(const Array& array) {
  const DType dtype = array.dtype();
  if (dtype.is_bool())
    fail<UnimplementedError>(kWho, "bool arrays as indices; got ", array.aval(), "; use jnp::where");
  if (!dtype.is_integer()) fail<TypeError>(kWho, "an index must be an integer or a slice; got ", array.aval());
}

std::vector<AxisIndex> parsed(const Array& x, const Indices& indices) {
  const int ndim = x.ndim();
  int consumed = 0, ellipses = 0;
  for (const Index& index : indices) {
    if (index.kind() == Kind::array) check_array_index(index.array());
    if (index.kind() == Kind::ellipsis) ++ellipses;
    else if (index.kind() != Kind::newaxis) ++consumed;
  }
  if (ellipses > 1) fail<IndexError>(kWho, "only one ellipsis fits; got ", ellipses);
  if (consumed > ndim) fail<IndexError>(kWho, "too many indices: got ", consumed, " for ", x.aval());
  std::vector<AxisIndex> out;
  int axis = 0, position = 0;
  for (const Index& index : indices) {
    if (index.kind() == Kind::newaxis) {
      out.push_back({index, -1, position});
    } else if (index.kind() == Kind::ellipsis) {
      for (int i = consumed; i < ndim; ++i) out.push_back({all, axis++, position});
    } else {
      out.push_back({index, axis++, position});
    }
    ++position;
  }
  while (axis < ndim) out.push_back({all, axis++, position});
  return out;
}

void check_axis_not_empty(const Shape& shape, int axis) {
  if (shape[axis] == 0) fail<IndexError>(kWho, "index is out of bounds for axis ", axis, " with size 0");
}

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

bool fits_static(const Shape& shape, std::span<const AxisIndex> indices) {
  for (const AxisIndex& i : indices) {
    if (is_array(i)) return false;
    if (!is_integer(i)) continue;
    const int64_t size = shape[i.axis], at = i.index.integer();
    if (at < -size || at >= size) return false;
  }
  return true;
}

Array static_slice(const Array& x, std::span<const AxisIndex> indices) {
  const Shape shape = x.shape();
  Shape start, limit, strides;
  Finish finish;
  for (const AxisIndex& i : indices) {
    if (i.axis < 0) {
      finish.add_new_axis();
      continue;
    }
    const int64_t size = shape[i.axis];
    if (is_integer(i)) {
      const int64_t at = i.index.integer() < 0 ? i.index.integer() + size : i.index.integer();
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

bool fits_dynamic(std::span<const AxisIndex> indices) {
  return std::ranges::all_of(indices, [](const AxisIndex& i) {
    if (is_array(i)) return i.index.array().ndim() == 0;
    return i.index.kind() != Kind::slice || std::abs(i.index.range().step.value_or(1)) == 1;
  });
}

// index < 0 ? index + size : index. A C++ number is moved at once when nothing is traced.
Array from_the_end(const Array& index, int64_t size) {
  if (index.dtype().is_unsigned()) return index;
  if (detail::is_evaluating() && detail::is_scalar_node(index)) {
    const int64_t i = index.item<int64_t>();
    return lax::convert_type(Array(i < 0 ? i + size : i), index.dtype(), false);
  }
  const Array is_negative = jnp::less(index, 0);
  const Array moved = jnp::add(index, lax::convert_type(Array(size), index.dtype(), false));
  return lax::select(is_negative, moved, index);
}

Array dynamic_slice(const Array& x, std::span<const AxisIndex> indices) {
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
  for (size_t axis = 0; axis < start.size(); ++axis) operands.push_back(from_the_end(start[axis], shape[axis]));
  return finish(bind(lax::dynamic_slice_p, operands, {{"slice_sizes", sizes}}));
}

// A gather in the making. `parts` are index arrays whose axes align with those of the result's
// index part from `at` on.
struct Gather {
  struct Part {
    Array indices;
    int at;
  };
  std::vector<Part> parts;
  Shape index_shape;   // of the index part
  Shape result_shape;  // with new axes
  Shape slice_sizes;
  lax::GatherDimensionNumbers dims;
  Axes added, reversed;
  int axis = 0;         // of the result, without new axes
  int result_axis = 0;  // with them
  bool advanced = false;

  void add_array_indices(const Arrays& indices, const Axes& axes) {
    const int at = index_shape.ndim();
    for (const Array& i : indices) parts.push_back({lax::convert_type(i, jnp::int32, false), at});
    for (int64_t size : indices[0].shape()) {
      index_shape.push_back(size);
      result_shape.push_back(size);
      ++axis;
      ++result_axis;
    }
    for (int64_t a : axes) {
      dims.start_index_map.push_back(a);
      dims.collapsed_slice_dims.push_back(a);
    }
  }
  void add_scalar(const Array& index, int x_axis) {
    parts.push_back({lax::convert_type(index, jnp::int32, false), index_shape.ndim()});
    dims.collapsed_slice_dims.push_back(x_axis);
    dims.start_index_map.push_back(x_axis);
    slice_sizes.push_back(1);
  }
  void add_new_axis() {
    result_shape.push_back(1);
    added.push_back(result_axis++);
  }
  void add_range(const Range& r, int64_t size, int x_axis) {
    const int64_t count = r.size();
    result_shape.push_back(count);
    if (r.step == 1) {
      if (count != size) {
        parts.push_back({lax::convert_type(Array(r.start), jnp::int32, false), index_shape.ndim()});
        dims.start_index_map.push_back(x_axis);
      }
      slice_sizes.push_back(count);
      dims.offset_dims.push_back(axis);
    } else {
      const Array scaled = jnp::multiply(lax::convert_type(Array(r.step), jnp::int32, false), lax::iota(jnp::int32, count));
      Array indices = jnp::add(lax::convert_type(Array(r.start), jnp::int32, false), scaled);
      if (r.step < 0) {
        reversed.push_back(axis);
        indices = lax::rev(indices, 0);
      }
      slice_sizes.push_back(1);
      parts.push_back({indices, index_shape.ndim()});
      dims.start_index_map.push_back(x_axis);
      index_shape.push_back(count);
      dims.collapsed_slice_dims.push_back(x_axis);
    }
    ++axis;
    ++result_axis;
  }

  // Index vectors along a last axis.
  Array index_vectors() const {
    if (parts.size() == 1) return lax::expand_dims(parts[0].indices, Axes(parts[0].indices.ndim()));
    Shape shape = index_shape;
    shape.push_back(1);
    Arrays columns;
    for (const Part& part : parts)
      columns.push_back(lax::broadcast_in_dim(part.indices, shape, detail::axis_range(part.at, part.at + part.indices.ndim())));
    return lax::concatenate(columns, index_shape.ndim());
  }

  Array apply(const Array& x) {
    const std::optional<Array> vectors = parts.empty() ? std::nullopt : std::optional(index_vectors());
    if (result_shape.num_elements() == 0) return lax::broadcast(lax::convert_type(Array(0), x.dtype(), x.weak_type()), result_shape);
    std::vector<int64_t> collapsed = dims.collapsed_slice_dims.values();
    std::ranges::sort(collapsed);
    dims.collapsed_slice_dims = Axes(collapsed);
    Array y = x;
    if (vectors)
      y = lax::gather(x, *vectors, dims, slice_sizes, {.indices_are_sorted = !advanced, .unique_indices = !advanced});
    if (!reversed.empty()) y = lax::rev(y, reversed);
    if (!added.empty()) y = lax::expand_dims(y, added);
    return y;
  }
};

Array gather(const Array& x, std::vector<AxisIndex> indices) {
  const Shape shape = x.shape();
  // With an array of rank > 0 among them, all integers and arrays are "advanced": they broadcast
  // together. Their axes come where the first stands when they are neighbours, else in front.
  bool advanced = false, contiguous = true;
  int previous = -1;
  for (AxisIndex& i : indices) {
    if (!is_array(i) && !is_integer(i)) continue;
    advanced |= is_array(i) && i.index.array().ndim() > 0;
    contiguous &= previous < 0 || i.position == previous + 1;
    previous = i.position;
  }
  for (AxisIndex& i : indices) {
    if (is_array(i)) i.index = from_the_end(i.index.array(), shape[i.axis]);
    if (is_integer(i) && i.index.integer() < 0) i.index = i.index.integer() + shape[i.axis];
  }
  Gather g;
  g.advanced = advanced;
  Arrays arrays;
  Axes axes;
  for (const AxisIndex& i : indices) {
    if (!advanced || (!is_array(i) && !is_integer(i))) continue;
    arrays.push_back(is_array(i) ? i.index.array() : Array(i.index.integer()));
    axes.push_back(i.axis);
  }
  bool placed = !advanced;
  for (const AxisIndex& i : indices) {
    const bool is_advanced = advanced && (is_array(i) || is_integer(i));
    if (!placed && (is_advanced || !contiguous)) {
      g.add_array_indices(detail::broadcast_arrays(kWho, arrays), axes);
      placed = true;
    }
    if (is_advanced) {
      g.slice_sizes.push_back(1);
    } else if (i.axis < 0) {
      g.add_new_axis();
    } else if (is_range(i)) {
      g.add_range(range_of(i.index, shape[i.axis]), shape[i.axis], i.axis);
    } else {
      check_axis_not_empty(shape, i.axis);
      g.add_scalar(is_array(i) ? i.index.array() : Array(i.index.integer()), i.axis);
    }
  }
  return g.apply(x);
}

Array indexed(const Array& x, const Indices& indices, const Loc& loc) {
  detail::SiteScope site(loc);
  const std::vector<AxisIndex> axes = parsed(x, indices);
  if (fits_static(x.shape(), axes)) return static_slice(x, axes);
  if (fits_dynamic(axes)) return dynamic_slice(x, axes);
  return gather(x, axes);
}

}  // namespace

Array Array::operator[](const Index& index) const { return indexed(*this, {index}, Loc()); }
Array Array::operator()(const Index& i0, Loc loc) const { return indexed(*this, {i0}, loc); }
Array Array::operator()(const Index& i0, const Index& i1, Loc loc) const { return indexed(*this, {i0, i1}, loc); }
Array Array::operator()(const Index& i0, const Index& i1, const Index& i2, Loc loc) const {
  return indexed(*this, {i0, i1, i2}, loc);
}
Array Array::operator()(const Index& i0, const Index& i1, const Index& i2, const Index& i3, Loc loc) const {
  return indexed(*this, {i0, i1, i2, i3}, loc);
}

namespace jnp {

Array take(const Operand& x, const Operand& indices, const TakeOptions& options) {
  detail::SiteScope site(x.loc);
  auto body = [&](const Arrays& in) -> Arrays {
    const Array array = options.axis ? in[0] : ravel(in[0]);
    Array at = in[1];
    if (!at.dtype().is_integer()) fail<TypeError>("take", "indices must be integers; got ", at.aval());
    const int axis = options.axis ? static_cast<int>(detail::canonical_axis("take", *options.axis, array.ndim())) : 0;
    Shape sizes = array.shape();
    const bool fills = options.mode == TakeMode::fill;
    if (fills) at = detail::where_jitted(less(at, 0), add(at, sizes[axis]), at);
    if (sizes[axis] == 0 && at.size() != 0) fail<IndexError>("take", "there is no element to take; got ", array.aval());
    if (at.size() == 0) {
      Shape result;
      for (int i = 0; i < sizes.ndim(); ++i) {
        if (i != axis) result.push_back(sizes[i]);
        else for (int64_t size : at.shape()) result.push_back(size);
      }
      return {zeros(result, array.dtype())};
    }
    sizes[axis] = 1;
    lax::GatherDimensionNumbers dims;
    for (int i = 0; i < axis; ++i) dims.offset_dims.push_back(i);
    for (int i = axis + at.ndim(); i < array.ndim() + at.ndim() - 1; ++i) dims.offset_dims.push_back(i);
    dims.collapsed_slice_dims = Axes(axis);
    dims.start_index_map = Axes(axis);
    const Array vectors = lax::expand_dims(at, Axes(at.ndim()));
    return {lax::gather(array, vectors, dims, sizes,
                        {.mode = fills ? lax::GatherScatterMode::fill_or_drop : lax::GatherScatterMode::clip})};
  };
  return detail::call_jitted("_take", body, {x.value, indices.value})[0];
}

}  // namespace jnp
}  // namespace tenon
