// The table of primitives: a row for each primitive, or for each form of it: what its operands are, how near to
// JAX's its results must be, and the function. tests/ops/table_test.cpp runs a part of it, tests/oracle/table.cpp
// all of it, for JAX to judge.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tenon/tenon.h"

namespace tenon::test {

struct TableCase {
  DType dtype;
  Shape shape;
  std::string_view values;  // which set of table_elements.cpp: pairs, special, plain, factors, dots
  std::string str() const { return shape.str() + " " + std::string(values); }
};

/// Which shapes make up the classes of a row.
enum class TableShapes {
  elementwise,  // of any rank
  arrays,       // rank 1 and 2
  matrices,
  one,          // a single short one: functions of one scalar, applied to each element
};

struct TableRow {
  std::string name;  // of the primitive as JAX prints it; behind a space, of its form
  TableShapes shapes;
  Arrays (*operands)(const TableCase& c);
  Arrays (*function)(const Arrays& x);
  int ulp = 0;        // units of the last place by which a result may differ from JAX's
  bool sums = false;  // rounded in another order there: 64 units of the sum of magnitudes
  std::vector<std::string_view> values = {"pairs"};
  std::string primitive() const { return name.substr(0, name.find(' ')); }
};

const std::vector<TableRow>& table_rows();
const std::vector<DType>& table_dtypes();
/// All classes of shapes.
std::vector<TableCase> table_cases(const TableRow& row, DType dtype);
/// A few of them, for each run of the tests.
std::vector<TableCase> short_table_cases(const TableRow& row, DType dtype);

/// Elements of `c.dtype` from the set `c.values`, for operand number k. Set `pairs`: each special value of the
/// dtype beside each of another operand's (of a complex number's other part) when there are enough elements.
Array table_elements(const TableCase& c, const Shape& shape, int k);

/// A case, run: what went in, and what came out of the three ways.
struct TableResult {
  TableCase which;
  Arrays inputs, outputs;
  std::string refused;     // "TypeError: ..." when the program cannot be written
  std::string difference;  // where two ways differ, or what failed; empty when all is well
};
/// One jitted program for all cases; each of them eager; the lowered program by the evaluator.
std::vector<TableResult> run_table(const TableRow& row, const std::vector<TableCase>& cases);

/// The elements' bytes, with one NaN for all NaNs. Of keys, their words.
std::string canonical_bytes(const Array& array);

// Parts of table_rows().
void append_elementwise_rows(std::vector<TableRow>& rows);
void append_movement_rows(std::vector<TableRow>& rows);
void append_reduction_rows(std::vector<TableRow>& rows);
void append_random_rows(std::vector<TableRow>& rows);

}  // namespace tenon::test
