// Any index expression as index vectors and dimension numbers of a gather.
#include <algorithm>
#include <cstdint>

#include "core/trace.h"
#include "library/indexing/indexer.h"
#include "tenon/detail/host.h"

namespace tenon::indexing {
namespace {

// An unsigned index above the largest int32 is out of bounds, not negative.
Array index_of(const Array& x) {
  if (x.dtype().is_unsigned() && x.dtype().bits() >= 32)
    return lax::convert_type(lax::min(x, lax::convert_type(Array(INT32_MAX), x.dtype(), false)), jnp::int32, false);
  return lax::convert_type(x, jnp::int32, false);
}

// A gather in the making. `parts` are index arrays whose axes align with those of the result's
// index part from `at` on.
struct Builder {
  struct Part {
    Array indices;
    int at;
  };
  std::vector<Part> parts;
  Shape index_shape;  // of the index part
  GatherIndexer out;
  int axis = 0;         // of the result, without new axes
  int result_axis = 0;  // with them

  void add_array_indices(const Arrays& indices, const Axes& axes) {
    const int at = index_shape.ndim();
    for (const Array& i : indices) parts.push_back({index_of(i), at});
    for (int64_t size : indices[0].shape()) {
      index_shape.push_back(size);
      out.shape.push_back(size);
      ++axis;
      ++result_axis;
    }
    for (int64_t a : axes) {
      out.dims.start_index_map.push_back(a);
      out.dims.collapsed_slice_dims.push_back(a);
    }
  }
  void add_scalar(const Array& index, int x_axis) {
    parts.push_back({index_of(index), index_shape.ndim()});
    out.dims.collapsed_slice_dims.push_back(x_axis);
    out.dims.start_index_map.push_back(x_axis);
    out.slice_sizes.push_back(1);
  }
  void add_new_axis() {
    out.shape.push_back(1);
    out.added.push_back(result_axis++);
  }
  void add_range(const Range& r, int64_t size, int x_axis) {
    const int64_t count = r.size();
    out.shape.push_back(count);
    if (r.step == 1) {
      if (count != size) {
        parts.push_back({index_of(Array(r.start)), index_shape.ndim()});
        out.dims.start_index_map.push_back(x_axis);
      }
      out.slice_sizes.push_back(count);
      out.dims.offset_dims.push_back(axis);
    } else {
      const Array scaled = jnp::multiply(index_of(Array(r.step)), lax::iota(jnp::int32, count));
      Array indices = jnp::add(index_of(Array(r.start)), scaled);
      if (r.step < 0) {
        out.reversed.push_back(axis);
        indices = lax::rev(indices, 0);
      }
      out.slice_sizes.push_back(1);
      parts.push_back({indices, index_shape.ndim()});
      out.dims.start_index_map.push_back(x_axis);
      index_shape.push_back(count);
      out.dims.collapsed_slice_dims.push_back(x_axis);
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
};

// Of a mask: what from_the_end records, as JAX does, where the comparison is known to be false.
Array moved_mask(const Array& positions, int64_t size) {
  if (detail::is_evaluating()) return positions;
  const std::vector<unsigned char> none(static_cast<size_t>(positions.size()), 0);
  const Array is_negative = detail::array_from_host(none.data(), positions.aval().with_dtype(jnp::bool_));
  return lax::select(is_negative, lax::add(positions, index_of(Array(size))), positions);
}

}  // namespace

GatherIndexer gather_indexer(const Shape& shape, AxisIndices indices, bool wraps) {
  // With an array of rank > 0 among them, all integers and arrays are "advanced": they broadcast
  // together. Their axes come where the first stands when they are neighbours, else in front.
  bool advanced = false, contiguous = true;
  int previous = -1;
  for (const AxisIndex& i : indices) {
    if (!is_array(i) && !is_integer(i)) continue;
    advanced |= is_array(i) && i.index.array().ndim() > 0;
    contiguous &= previous < 0 || i.position == previous + 1;
    previous = i.position;
  }
  for (AxisIndex& i : indices) {
    if (!wraps) break;
    if (is_array(i))
      i.index = i.known_not_negative ? moved_mask(i.index.array(), shape[i.axis]) : from_the_end(i.index.array(), shape[i.axis], true);
    if (is_integer(i) && i.index.integer() < 0) i.index = i.index.integer() + shape[i.axis];
  }
  Builder g;
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
      g.out.slice_sizes.push_back(1);
    } else if (i.axis < 0) {
      g.add_new_axis();
    } else if (is_range(i)) {
      g.add_range(range_of(i.index, shape[i.axis]), shape[i.axis], i.axis);
    } else {
      check_axis_not_empty(shape, i.axis);
      g.add_scalar(is_array(i) ? i.index.array() : Array(i.index.integer()), i.axis);
    }
  }
  if (!g.parts.empty()) g.out.vectors = g.index_vectors();
  std::vector<int64_t> collapsed = g.out.dims.collapsed_slice_dims.values();
  std::ranges::sort(collapsed);
  g.out.dims.collapsed_slice_dims = Axes(collapsed);
  g.out.sorted_and_unique = !advanced;
  return std::move(g.out);
}

}  // namespace tenon::indexing
