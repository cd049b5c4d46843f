// An index expression, in stages: parsed entries; then what a slice, a dynamic slice or a gather (scatter) needs.
#pragma once

#include <optional>
#include <vector>

#include "library/promote.h"
#include "ops/primitives.h"

namespace tenon::indexing {

inline constexpr const char* kWho = "index";
using Kind = Index::Kind;
using Indices = std::vector<Index>;

/// One index and the axis that it consumes (-1 for a new axis). No ellipsis and no mask any more.
struct AxisIndex {
  Index index;
  int axis;
  int position;  // among the indices as written; an axis that none names has its ellipsis' or the end's
  bool known_not_negative = false;  // from a mask
};
using AxisIndices = std::vector<AxisIndex>;

inline bool is_array(const AxisIndex& i) { return i.index.kind() == Kind::array; }
inline bool is_integer(const AxisIndex& i) { return i.index.kind() == Kind::integer; }
inline bool is_range(const AxisIndex& i) { return i.index.kind() == Kind::slice || i.index.kind() == Kind::all; }

/// Entries for all axes. `mask_axes`: new axes of x of size 1, which bool scalars index.
struct Parsed {
  AxisIndices indices;
  Axes mask_axes;
};
/// With new axes of size 1, which are named in ascending order.
Shape with_axes(const Shape& shape, const Axes& axes);
/// Throws IndexError for too many indices or masks of another shape, TypeError for what is no index,
/// NonConcreteBooleanIndexError for a traced mask.
Parsed parse(const Aval& x, const Indices& indices);
/// No mask among them?
bool has_mask(const Indices& indices);

/// Start, stop and step as Python's slice.indices gives them.
struct Range {
  int64_t start, stop, step;
  int64_t size() const;
};
Range range_of(const Index& index, int64_t size);

void check_axis_not_empty(const Shape& shape, int axis);

/// index < 0 ? index + size : index. A C++ number is moved at once when nothing is traced.
/// `stays_weak`: an index of weak type stays so, as where JAX gathers and scatters.
Array from_the_end(const Array& index, int64_t size, bool stays_weak = false);

/// A block at known places. Nothing when an integer is out of bounds (unless `clamps`) or an index is an array.
std::optional<Array> static_slice(const Array& x, const AxisIndices& indices, bool wraps, bool clamps);
/// A block at places that may be traced, moved inside. Nothing when a step is not 1 or -1 or an index is no scalar.
std::optional<Array> dynamic_slice(const Array& x, const AxisIndices& indices, bool wraps);

/// What gather and scatter need.
struct GatherIndexer {
  std::optional<Array> vectors;  // indices; none when everything is taken
  Shape shape;                   // of the result, with new axes
  Shape slice_sizes;
  lax::GatherDimensionNumbers dims;
  Axes added;     // new axes of the result
  Axes reversed;  // axes of the result without the new ones
  bool sorted_and_unique = false;
};
GatherIndexer gather_indexer(const Shape& shape, AxisIndices indices, bool wraps);

}  // namespace tenon::indexing
