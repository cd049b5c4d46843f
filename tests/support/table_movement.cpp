// Rows of the table: primitives that move elements.
#include "support/table.h"

namespace tenon::test {
namespace {

constexpr TableShapes arrays = TableShapes::arrays;

Arrays one(const TableCase& c) { return {table_elements(c, c.shape, 0)}; }
Arrays two(const TableCase& c) { return {table_elements(c, c.shape, 0), table_elements(c, c.shape, 1)}; }

Shape with_last(Shape shape, int64_t size) {
  shape.push_back(size);
  return shape;
}
Shape with_first(Shape shape, int64_t size) {
  shape[0] = size;
  return shape;
}
Axes axes_up_to(int count) {
  Axes axes;
  for (int axis = 0; axis < count; ++axis) axes.push_back(axis);
  return axes;
}
Axes reversed_axes(int count) {
  Axes axes;
  for (int axis = count; axis-- > 0;) axes.push_back(axis);
  return axes;
}
Shape half(Shape shape) {
  for (int axis = 0; axis < shape.ndim(); ++axis) shape[axis] = (shape[axis] + 1) / 2;
  return shape;
}

// ---- At indices

constexpr int64_t kStarts[] = {2, -1};  // of a block along each axis; the second counts from the end

Arrays with_starts(const TableCase& c, Arrays x, DType dtype) {
  for (int axis = 0; axis < c.shape.ndim(); ++axis) x.push_back(lax::convert_element_type(jnp::int32(kStarts[axis]), dtype));
  return x;
}
template <auto& dtype>
Arrays block(const TableCase& c) {
  return with_starts(c, one(c), dtype);
}
template <auto& dtype>
Arrays block_and_update(const TableCase& c) {
  return with_starts(c, {table_elements(c, c.shape, 0), table_elements(c, half(c.shape), 1)}, dtype);
}
Arrays tail(const Arrays& x, std::ptrdiff_t first) { return Arrays(x.begin() + first, x.end()); }

// A few more index vectors than rows: -1, all rows in some order, some of them twice, and beyond.
Array row_indices(const Shape& shape) {
  const int64_t count = shape[0] + 3;
  std::vector<int32_t> indices;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t index = i * 7 % count - 1;
    indices.push_back(static_cast<int32_t>(i % 4 == 0 ? index : index < 0 ? -1 : index / 2));
  }
  return lax::reshape(jnp::array(indices), {count, 1});
}
Arrays rows_to_gather(const TableCase& c) { return {table_elements(c, c.shape, 0), row_indices(c.shape)}; }
Arrays rows_to_scatter(const TableCase& c) {
  return {table_elements(c, c.shape, 0), row_indices(c.shape), table_elements(c, with_first(c.shape, c.shape[0] + 3), 1)};
}
// Windows of half the size along each axis, at positions inside and outside.
Array window_indices(const Shape& shape) {
  std::vector<int32_t> indices;
  for (int64_t i = 0; i < 4; ++i)
    for (int64_t size : shape) indices.push_back(static_cast<int32_t>((i - 1) * ((size + 1) / 4)));
  return lax::reshape(jnp::array(indices), {4, shape.ndim()});
}
Arrays windows_to_gather(const TableCase& c) { return {table_elements(c, c.shape, 0), window_indices(c.shape)}; }
Arrays windows_to_scatter(const TableCase& c) {
  Shape updates = {4};
  for (int64_t size : half(c.shape)) updates.push_back(size);
  return {table_elements(c, c.shape, 0), window_indices(c.shape), table_elements(c, updates, 1)};
}

Arrays gather_rows(const Arrays& x, lax::GatherScatterMode mode) {
  const Shape sizes = with_first(x[0].shape(), 1);
  if (x[0].ndim() == 1) return {lax::gather(x[0], x[1], {{}, {0}, {0}}, sizes, {.mode = mode})};
  return {lax::gather(x[0], x[1], {{1}, {0}, {0}}, sizes, {.mode = mode})};
}
Axes window_axes(int ndim) {
  Axes axes;
  for (int axis = 1; axis <= ndim; ++axis) axes.push_back(axis);
  return axes;
}

using Scatter = Array (*)(const Operand&, const Operand&, const Operand&, const lax::ScatterDimensionNumbers&, const lax::ScatterOptions&);
template <Scatter function>
Arrays scatter_rows(const Arrays& x) {
  const lax::ScatterDimensionNumbers points{{}, {0}, {0}}, rows{{1}, {0}, {0}};
  return {function(x[0], x[1], x[2], x[0].ndim() == 2 ? rows : points, {})};
}
template <Scatter function>
Arrays scatter_windows(const Arrays& x) {
  const int ndim = x[0].ndim();
  return {function(x[0], x[1], x[2], {window_axes(ndim), {}, axes_up_to(ndim)}, {.mode = lax::GatherScatterMode::clip})};
}

}  // namespace

#define TENON_FUNCTION(...) [](const Arrays& x) -> Arrays { return __VA_ARGS__; }

void append_movement_rows(std::vector<TableRow>& rows) {
  using lax::GatherScatterMode;
  const std::vector<TableRow> own = {
      {"broadcast_in_dim", arrays, one, TENON_FUNCTION({lax::broadcast_in_dim(x[0], with_last([&] {
         Shape shape = {3};
         for (int64_t size : x[0].shape()) shape.push_back(size);
         return shape;
       }(), 2), window_axes(x[0].ndim()))})},
      {"concatenate", arrays, two, TENON_FUNCTION({lax::concatenate({x[0], x[1], x[0]}, 0)})},
      {"dynamic_slice", arrays, block<jnp::int32>, TENON_FUNCTION({lax::dynamic_slice(x[0], tail(x, 1), half(x[0].shape()))})},
      {"dynamic_slice uint8", arrays, block<jnp::uint8>, TENON_FUNCTION({lax::dynamic_slice(x[0], tail(x, 1), half(x[0].shape()))})},
      {"dynamic_update_slice", arrays, block_and_update<jnp::int32>, TENON_FUNCTION({lax::dynamic_update_slice(x[0], x[1], tail(x, 2))})},
      {"dynamic_update_slice int64", arrays, block_and_update<jnp::int64>, TENON_FUNCTION({lax::dynamic_update_slice(x[0], x[1], tail(x, 2))})},
      {"gather clip", arrays, rows_to_gather, TENON_FUNCTION(gather_rows(x, GatherScatterMode::clip))},
      {"gather fill", arrays, rows_to_gather, TENON_FUNCTION(gather_rows(x, GatherScatterMode::fill_or_drop))},
      {"gather windows", arrays, windows_to_gather,
       TENON_FUNCTION({lax::gather(x[0], x[1], {window_axes(x[0].ndim()), {}, axes_up_to(x[0].ndim())}, half(x[0].shape()), {.mode = GatherScatterMode::clip})})},
      {"iota", arrays, one, TENON_FUNCTION({lax::broadcasted_iota(x[0].dtype(), x[0].shape(), x[0].ndim() - 1)})},
      {"pad", arrays, [](const TableCase& c) -> Arrays { return {table_elements(c, c.shape, 0), table_elements(c, {}, 1)}; },
       TENON_FUNCTION({x[0].ndim() == 1 ? lax::pad(x[0], x[1], {{1, 2, 1}}) : lax::pad(x[0], x[1], {{1, 2, 1}, {-1, 3, 0}})})},
      {"reshape", arrays, one, TENON_FUNCTION({lax::reshape(x[0], {1, x[0].size(), 1})})},
      {"rev", arrays, one, TENON_FUNCTION({lax::rev(x[0], axes_up_to(x[0].ndim()))})},
      {"rev last", arrays, one, TENON_FUNCTION({lax::rev(x[0], {x[0].ndim() - 1})})},
      {"scatter", arrays, rows_to_scatter, scatter_rows<lax::scatter>},
      {"scatter windows", arrays, windows_to_scatter, scatter_windows<lax::scatter>},
      {"scatter-add", arrays, rows_to_scatter, scatter_rows<lax::scatter_add>, 0, true, {"plain"}},
      {"scatter-add windows", arrays, windows_to_scatter, scatter_windows<lax::scatter_add>, 0, true, {"plain"}},
      {"scatter-max", arrays, rows_to_scatter, scatter_rows<lax::scatter_max>},
      {"scatter-min", arrays, rows_to_scatter, scatter_rows<lax::scatter_min>},
      {"scatter-mul", arrays, rows_to_scatter, scatter_rows<lax::scatter_mul>, 0, true, {"plain"}},
      {"scatter-sub", arrays, rows_to_scatter, scatter_rows<lax::scatter_sub>, 0, true, {"plain"}},
      {"slice", arrays, one, TENON_FUNCTION({lax::slice(x[0], Shape(x[0].ndim() == 1 ? Shape{x[0].shape()[0] / 4} : Shape{x[0].shape()[0] / 4, 0}), x[0].shape(), x[0].ndim() == 1 ? Shape{2} : Shape{1, 3})})},
      {"split", arrays, one, TENON_FUNCTION(lax::split(x[0], {x[0].shape()[0] / 3, x[0].shape()[0] - x[0].shape()[0] / 3}, 0))},
      {"squeeze", arrays, [](const TableCase& c) -> Arrays { return {table_elements(c, with_last(c.shape, 1), 0)}; },
       TENON_FUNCTION({lax::squeeze(x[0], {x[0].ndim() - 1})})},
      {"stack", arrays, two, TENON_FUNCTION({lax::stack({x[0], x[1], x[0]}, x[0].ndim())})},
      {"tile", arrays, one, TENON_FUNCTION({lax::tile(x[0], x[0].ndim() == 1 ? Shape{3} : Shape{2, 3})})},
      {"transpose", arrays, [](const TableCase& c) -> Arrays { return {table_elements(c, with_last(c.shape, 3), 0)}; },
       TENON_FUNCTION({lax::transpose(x[0], reversed_axes(x[0].ndim()))})},
      {"unstack", arrays, [](const TableCase& c) -> Arrays { return {table_elements(c, with_last(c.shape, 3), 0)}; },
       TENON_FUNCTION(lax::unstack(x[0], x[0].ndim() - 1))},
  };
  rows.insert(rows.end(), own.begin(), own.end());
}

}  // namespace tenon::test
