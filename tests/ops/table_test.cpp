// The table of primitives in short (support/table.h): a few shapes of each row on each dtype, the same bits three ways,
// and JAX's values. table_values.txt holds those; tests/oracle/table.py writes it (and judges the whole table):
//   oracle_table DIR short && python table.py DIR --write table_values.txt > table.txt
// table.txt is what that prints: how many cases of each row and dtype are JAX's, and where JAX is wrong.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <set>

#include "core/nodes.h"
#include "ops/primitives.h"
#include "support/table.h"
#include "trace/jaxpr_trace.h"

namespace tenon::test {
namespace {

// A result in the file: dtype and shape, and the bits of at most 40 elements, evenly spread.
struct Listed {
  std::string head;
  std::string bytes;
};
Listed listed(const Array& array) {
  Listed result{array.dtype().str(), {}};
  for (int64_t size : array.shape()) result.head += " " + std::to_string(size);
  const DType dtype = array.dtype();
  const std::string bytes = canonical_bytes(array);
  if (dtype.is_prng_key()) result.head += " 2";
  const auto itemsize = static_cast<size_t>(dtype.is_prng_key() ? 4 : dtype.itemsize());
  const size_t count = bytes.size() / itemsize, step = std::max<size_t>(1, (count + 39) / 40);
  for (size_t i = 0; i < count; i += step) result.bytes += bytes.substr(i * itemsize, itemsize);
  return result;
}

// "3f800000" is the float 1, and lies in memory the other way round.
std::string from_hexadecimal(const std::string& digits, size_t part) {
  std::string bytes;
  for (size_t i = 0; i < digits.size(); i += 2) bytes.push_back(static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16)));
  for (size_t i = 0; i + part <= bytes.size(); i += part) std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(i), bytes.begin() + static_cast<std::ptrdiff_t>(i + part));
  return bytes;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (char c : text)
    if (c == separator) parts.emplace_back();
    else parts.back() += c;
  return parts;
}

// Of a row: the results (or "refused") of each dtype and case.
using Results = std::map<std::string, std::vector<std::string>>;
const std::map<std::string, Results>& by_jax() {
  static const auto all = [] {
    std::map<std::string, Results> rows;
    std::ifstream file(TENON_TEST_DATA "/ops/table_values.txt");
    for (std::string line; std::getline(file, line);) {
      std::vector<std::string> parts = split(line, '\t');
      rows[parts[0]][parts[1] + " " + parts[2]] = {parts.begin() + 3, parts.end()};
    }
    return rows;
  }();
  return all;
}

// Both bytes of elements of a dtype; equal up to the row's tolerance.
bool near(const TableRow& row, DType dtype, const std::string& got, const std::string& want) {
  if (got == want) return true;
  if (got.size() != want.size() || !dtype.is_inexact()) return false;
  const auto count = static_cast<int64_t>(got.size()) / dtype.itemsize();
  const int parts = dtype.is_complex() ? 2 : 1;
  std::vector<double> a(static_cast<size_t>(count * parts)), b(a.size());
  const DType wide(dtype.is_complex() ? DType::kComplex128 : DType::kFloat64);
  detail::convert_elements(got.data(), dtype, a.data(), wide, count);
  detail::convert_elements(want.data(), dtype, b.data(), wide, count);
  const DType part = dtype == jnp::complex64 ? DType(jnp::float32) : dtype == jnp::complex128 ? DType(jnp::float64) : dtype;
  const int fraction = part == jnp::float16 ? 10 : part == jnp::bfloat16 ? 7 : part == jnp::float32 ? 23 : 52;
  const int least = part == jnp::float16 ? -14 : part == jnp::float64 ? -1022 : -126;
  const double ulp = dtype.is_complex() ? (row.ulp ? 32 : 4) : row.ulp;
  for (size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) && std::isnan(b[i])) continue;
    if (a[i] == b[i] && std::signbit(a[i]) == std::signbit(b[i])) continue;
    double size = std::abs(b[i]);
    if (parts == 2) size = std::fmax(std::abs(b[i & ~size_t{1}]), std::abs(b[i | 1]));
    const double unit = row.sums ? 32 * std::ldexp(1 + size, -fraction) : ulp * std::ldexp(1.0, std::max(size > 0 ? std::ilogb(size) : least, least) - fraction);
    if (!(std::abs(a[i] - b[i]) <= unit)) return false;
  }
  return true;
}

void expect_as_jax(const TableRow& row, const TableResult& result) {
  const auto found = by_jax().find(row.name);
  ASSERT_NE(found, by_jax().end()) << "not in table_values.txt";
  const auto listed_case = found->second.find(result.which.dtype.str() + " " + result.which.str());
  if (listed_case == found->second.end()) {  // no elements
    ASSERT_TRUE(result.refused.empty()) << result.refused;
    for (const Array& x : result.outputs) EXPECT_EQ(x.size(), 0);
    return;
  }
  const std::vector<std::string>& want = listed_case->second;
  if (!result.refused.empty() || want[0] == "refused") {
    EXPECT_EQ(result.refused.empty() ? "taken" : "refused", want[0]) << result.refused;
    return;
  }
  ASSERT_EQ(result.outputs.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) {
    const Listed got = listed(result.outputs[i]);
    const size_t space = want[i].rfind(' ');
    EXPECT_EQ(got.head, want[i].substr(0, space));
    const DType dtype = result.outputs[i].dtype();
    const auto itemsize = static_cast<size_t>(dtype.is_prng_key() ? 4 : dtype.itemsize());
    const std::string bytes = from_hexadecimal(want[i].substr(space + 1), dtype.is_complex() ? itemsize / 2 : itemsize);
    EXPECT_TRUE(near(row, dtype, got.bytes, bytes)) << "result " << i << ": " << result.outputs[i].str() << " against " << want[i];
  }
}

class Table : public testing::TestWithParam<size_t> {};

TEST_P(Table, IsJaxsAndTheSameThreeWays) {
  const TableRow& row = table_rows()[GetParam()];
  for (DType dtype : table_dtypes()) {
    std::vector<TableCase> cases = short_table_cases(row, dtype);
    const bool has_long = dtype == jnp::float32 && row.shapes != TableShapes::matrices && row.shapes != TableShapes::one;
    if (has_long) cases.push_back({dtype, {5000}, row.values[0]});
    std::vector<TableResult> results = run_table(row, cases);
    for (const TableResult& result : results) {
      SCOPED_TRACE(row.name + " " + dtype.str() + " " + result.which.str());
      EXPECT_EQ(result.difference, "");
      if (result.difference.empty() && result.which.shape != Shape{5000}) expect_as_jax(row, result);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, Table, testing::Range<size_t>(0, table_rows().size()), [](const auto& info) {
  std::string name = table_rows()[info.param].name;
  for (char& c : name) c = c == '-' || c == ' ' ? '_' : c;
  return name;
});

// Those over a named axis, of which there is none outside of vmap, and empty2, whose elements are anything.
const std::set<std::string>& without_rows() {
  static const std::set<std::string> all = {"all_gather", "axis_index", "empty2", "pmax", "pmin", "psum"};
  return all;
}

void collect(const Jaxpr& jaxpr, std::set<std::string>& names) {
  for (const Eqn& eqn : jaxpr.eqns()) {
    names.insert(std::string(eqn.primitive().name()));
    for (const auto& [key, value] : eqn.params())
      if (value.is<Jaxpr>()) collect(value.get<Jaxpr>(), names);
  }
}

// The row's program binds the primitive of its name.
TEST(TableRows, HoldEveryPrimitive) {
  config::Scope scope({{"enable_x64", true}});
  std::set<std::string> bound;
  for (const TableRow& row : table_rows()) {
    std::set<std::string> names;
    for (DType dtype : table_dtypes()) {
      try {
        const std::vector<TableCase> cases = short_table_cases(row, dtype);
        Avals avals;
        for (const Array& x : row.operands(cases.back())) avals.push_back(x.aval());
        collect(detail::trace_to_jaxpr(row.function, avals, "jit", "table"), names);
      } catch (const Error&) {  // a dtype that it does not take
      }
    }
    EXPECT_TRUE(names.contains(row.primitive())) << row.name;
    bound.insert(row.primitive());
  }
#define TENON_OP(record) \
  EXPECT_NE(bound.contains(std::string(lax::record.name())), without_rows().contains(std::string(lax::record.name()))) << #record " has no row in support/table_*.cpp";
#include "ops/list.inc"
#undef TENON_OP
  for (const char* of_programs : {"jit", "custom_jvp_call"}) EXPECT_TRUE(bound.contains(of_programs)) << of_programs;
}

}  // namespace
}  // namespace tenon::test
