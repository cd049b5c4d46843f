// The rows together, and the shapes of their cases.
#include "support/table.h"

namespace tenon::test {

const std::vector<TableRow>& table_rows() {
  static const std::vector<TableRow> all = [] {
    std::vector<TableRow> rows;
    append_elementwise_rows(rows);
    append_movement_rows(rows);
    append_reduction_rows(rows);
    append_random_rows(rows);
    return rows;
  }();
  return all;
}

// A scalar, none, one, an odd number, around a vector of 64 bytes, more than the evaluator takes of eager work.
static std::vector<Shape> shapes_of(TableShapes family, DType dtype) {
  const int64_t width = 64 / dtype.itemsize();
  switch (family) {
    case TableShapes::elementwise: return {{}, {0}, {1}, {7}, {width - 1}, {width}, {width + 1}, {3, 5}, {1, 33}, {5000}};
    case TableShapes::arrays: return {{0}, {1}, {7}, {width - 1}, {width}, {width + 1}, {5000}, {3, 5}, {0, 4}, {4, 0}, {130, 40}};
    case TableShapes::matrices: return {{0, 3}, {3, 0}, {1, 1}, {3, 5}, {16, 17}, {33, 130}, {70, 64}};
    case TableShapes::one: return {{7}};
  }
  return {};
}

static std::vector<Shape> short_shapes_of(TableShapes family) {
  switch (family) {
    case TableShapes::elementwise: return {{}, {0}, {37}};
    case TableShapes::arrays: return {{0}, {19}, {3, 5}};
    case TableShapes::matrices: return {{3, 0}, {3, 5}};
    case TableShapes::one: return {{7}};
  }
  return {};
}

static std::vector<TableCase> cases(const TableRow& row, DType dtype, const std::vector<Shape>& shapes) {
  std::vector<TableCase> all;
  for (const Shape& shape : shapes)
    for (std::string_view values : row.values) all.push_back({dtype, shape, values});
  return all;
}
std::vector<TableCase> table_cases(const TableRow& row, DType dtype) { return cases(row, dtype, shapes_of(row.shapes, dtype)); }
std::vector<TableCase> short_table_cases(const TableRow& row, DType dtype) { return cases(row, dtype, short_shapes_of(row.shapes)); }

}  // namespace tenon::test
