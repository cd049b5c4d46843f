// Indices as written in, one entry for each axis out: the ellipsis spelled out, masks turned into the
// positions where they are true.
#include <algorithm>
#include <cstdlib>

#include "base/fail.h"
#include "core/nodes.h"
#include "core/trace.h"
#include "library/indexing/indexer.h"
#include "tenon/detail/host.h"

namespace tenon::indexing {
namespace {

bool is_mask(const Index& index) {
  return index.kind() == Kind::boolean || (index.kind() == Kind::array && index.array().dtype().is_bool());
}

int axes_consumed(const Index& index) {
  switch (index.kind()) {
    case Kind::boolean:
    case Kind::newaxis:
    case Kind::ellipsis: return 0;
    case Kind::array: return index.array().dtype().is_bool() ? index.array().ndim() : 1;
    default: return 1;
  }
}

Array positions(const std::vector<int32_t>& values) {
  return detail::array_from_host(values.data(), {{static_cast<int64_t>(values.size())}, jnp::int32});
}

const unsigned char* elements_of(const Array& mask) {
  if (detail::Tracer* tracer = detail::tracer_of(mask); tracer && tracer->trace->concrete_value(*tracer).is_empty())
    fail<NonConcreteBooleanIndexError>(kWho, "a bool array must be known to be an index; got a traced ", mask.aval(),
                                       tracer->trace->describe(*tracer), "; use jnp::where");
  const detail::ArrayNode& node = mask.node(kWho);
  if (node.kind() == detail::ArrayNode::Kind::scalar) return static_cast<const detail::ScalarNode&>(node).bytes;
  BufferRef buffer = detail::buffer_of(mask, kWho);
  buffer->wait();
  return static_cast<const unsigned char*>(buffer->host_data());
}

// For each axis of the mask, where it is true, in row-major order.
Arrays true_positions(const Array& mask) {
  const Shape shape = mask.shape();
  const unsigned char* elements = elements_of(mask);
  std::vector<std::vector<int32_t>> found(shape.size());
  std::vector<int32_t> at(shape.size(), 0);
  const int64_t count = shape.num_elements();
  for (int64_t i = 0; i < count; ++i) {
    if (elements[i] != 0)
      for (size_t axis = 0; axis < at.size(); ++axis) found[axis].push_back(at[axis]);
    for (size_t axis = at.size(); axis-- > 0;) {
      if (++at[axis] < shape[axis]) break;
      at[axis] = 0;
    }
  }
  Arrays out;
  for (const auto& list : found) out.push_back(positions(list));
  return out;
}

bool value_of(const Index& index) {
  return index.kind() == Kind::boolean ? index.integer() != 0 : elements_of(index.array())[0] != 0;
}

void check_mask(const Array& mask, const Aval& x, int axis, int position) {
  const Shape shape = mask.shape();
  Shape indexed;
  for (int i = 0; i < shape.ndim(); ++i) indexed.push_back(x.shape[axis + i]);
  for (int i = 0; i < shape.ndim(); ++i)
    if (shape[i] != 0 && shape[i] != indexed[i])
      fail<IndexError>(kWho, "a bool index must have the shape of what it indexes; index ", position, " is ", mask.aval(),
                       ", the axes have sizes ", indexed);
}

int count_axes(const Aval& x, const Indices& indices) {
  int consumed = 0, ellipses = 0;
  for (const Index& index : indices) {
    if (index.kind() == Kind::array) {
      const DType dtype = index.array().dtype();
      if (!dtype.is_integer() && !dtype.is_bool())
        fail<TypeError>(kWho, "an index must be an integer or a slice; got ", index.array().aval());
    }
    if (index.kind() == Kind::ellipsis) ++ellipses;
    consumed += axes_consumed(index);
  }
  if (ellipses > 1) fail<IndexError>(kWho, "only one ellipsis fits; got ", ellipses);
  if (consumed > x.ndim()) fail<IndexError>(kWho, "too many indices: got ", consumed, " for ", x);
  return consumed;
}

}  // namespace

Shape with_axes(const Shape& shape, const Axes& axes) {
  std::vector<int64_t> dims = shape.dims();
  for (int64_t axis : axes) dims.insert(dims.begin() + axis, 1);
  return Shape(std::move(dims));
}

bool has_mask(const Indices& indices) {
  for (const Index& index : indices)
    if (is_mask(index)) return true;
  return false;
}

Parsed parse(const Aval& x, const Indices& indices) {
  const int consumed = count_axes(x, indices), ndim = x.ndim();
  Parsed out;
  int axis = 0;      // of x with the axes of bool scalars
  int own_axis = 0;  // of x
  int position = 0;
  auto add = [&](const Index& index, bool known_not_negative = false) {
    out.indices.push_back({index, axis++, position, known_not_negative});
  };
  auto add_own = [&](const Index& index, bool known_not_negative = false) {
    add(index, known_not_negative);
    ++own_axis;
  };
  for (const Index& index : indices) {
    if (index.kind() == Kind::newaxis) {
      out.indices.push_back({index, -1, position});
    } else if (index.kind() == Kind::ellipsis) {
      for (int i = consumed; i < ndim; ++i) add_own(all);
    } else if (is_mask(index) && axes_consumed(index) == 0) {
      out.mask_axes.push_back(axis);
      add(value_of(index) ? positions({0}) : positions({}), true);
    } else if (is_mask(index)) {
      check_mask(index.array(), x, own_axis, position);
      for (const Array& list : true_positions(index.array())) {
        add_own(list, true);
        ++position;
      }
      --position;
    } else {
      add_own(index);
    }
    ++position;
  }
  while (own_axis < ndim) add_own(all);
  return out;
}

int64_t Range::size() const {
  const int64_t span = step > 0 ? stop - start : start - stop, by = std::abs(step);
  return span <= 0 ? 0 : (span + by - 1) / by;
}

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

void check_axis_not_empty(const Shape& shape, int axis) {
  if (shape[axis] == 0) fail<IndexError>(kWho, "index is out of bounds for axis ", axis, " with size 0");
}

Array from_the_end(const Array& index, int64_t size, bool stays_weak) {
  const DType dtype = index.dtype();
  if (dtype.is_unsigned()) return index;
  if (detail::is_evaluating() && detail::is_scalar_node(index)) {
    const int64_t i = index.item<int64_t>();
    return lax::convert_type(Array(i < 0 ? i + size : i), dtype, false);
  }
  // Where the index's dtype does not hold the size, the sum would wrap.
  if (dtype.bits() < 32 && size >> (dtype.bits() - 1) != 0) return from_the_end(lax::convert_type(index, jnp::int32, false), size);
  const Array is_negative = jnp::less(index, 0);
  const Array moved = jnp::add(index, lax::convert_type(Array(size), dtype, stays_weak && index.weak_type()));
  return lax::select(is_negative, moved, index);
}

}  // namespace tenon::indexing
