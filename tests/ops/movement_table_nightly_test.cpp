// Data movement, reductions, running totals, order and products: operation x dtype x shape x elements.
// Each case gives the same bits three ways (evaluated, jitted, eager) and the values of JAX
// (movement_table.txt, written by movement_table.py). The table of cases that passed is a property of
// the test.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>

#include "core/nodes.h"
#include "tenon/detail/host.h"
#include "tenon/tenon.h"

namespace tenon::test {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

const std::map<std::string, std::vector<double>>& numbers() {
  static const std::map<std::string, std::vector<double>> all = [] {
    std::map<std::string, std::vector<double>> tables;
    for (int k = -11; k < 12; ++k) tables["plain"].push_back(k / 4.0);
    tables["special"] = {0.0, -0.0, 1.0, -1.0, 0.5, -2.25, 3.0, inf, -inf, NAN, 1e-40, 65504.0, -65504.0, 100.0};
    tables["factors"] = {1.0, -1.0, 0.5, 2.0, 1.25, 0.75};
    for (int k = -4; k < 5; ++k) tables["dots"].push_back(k / 2.0);
    return tables;
  }();
  return all;
}
const std::map<std::string, std::vector<int64_t>>& integers() {
  constexpr int64_t lowest = std::numeric_limits<int64_t>::min(), bit31 = int64_t{1} << 31;
  static const std::map<std::string, std::vector<int64_t>> all = {
      {"plain", {-5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5}},
      {"special", {0, 1, -1, 2, 127, -128, 255, -bit31, bit31 - 1, lowest, ~lowest, 100}},
      {"factors", {1, -1, 3, 2, 5}},
      {"dots", {0, 1, -1, 7, -128, bit31 - 1, int64_t{1} << 62}},
  };
  return all;
}

// As `elements` of movement_table.py.
Array elements(DType dtype, const Shape& shape, uint64_t seed, const std::string& table) {
  const int64_t count = shape.num_elements();
  std::vector<double> reals;
  std::vector<int64_t> whole;
  for (int64_t i = 0; i < count; ++i) {
    uint64_t h = (static_cast<uint64_t>(i) * 2654435761u + seed * 40503u) % (uint64_t{1} << 32);
    h ^= h >> 15;
    h = h * 2246822519u % (uint64_t{1} << 32);
    h ^= h >> 13;
    const auto& real = numbers().at(table);
    const auto& integer = integers().at(table);
    if (dtype.is_bool()) whole.push_back(h % 2 == 0);
    else if (dtype.is_integer()) whole.push_back(integer[h % integer.size()]);
    else reals.push_back(real[h % real.size()]);
    if (dtype.is_complex()) reals.push_back(real[(h >> 8) % real.size()]);
  }
  const Aval aval{shape, dtype, false};
  std::vector<unsigned char> bytes(static_cast<size_t>(aval.nbytes()) + 16);
  if (dtype.is_complex()) {
    detail::convert_elements(reals.data(), DType(DType::kComplex128), bytes.data(), dtype, count);
  } else if (dtype.is_inexact()) {
    detail::convert_elements(reals.data(), DType(DType::kFloat64), bytes.data(), dtype, count);
  } else {
    detail::convert_elements(whole.data(), DType(DType::kInt64), bytes.data(), dtype, count);
  }
  return detail::array_from_host(bytes.data(), aval);
}

struct Case {
  std::string op;
  DType dtype;
  Shape shape;
  std::string table;
};

using Scatter = Array (*)(const Operand&, const Operand&, const Operand&, const lax::ScatterDimensionNumbers&,
                          const lax::ScatterOptions&);
Arrays scatter(Scatter function, const Array& x, const Arrays& more) {
  return {function(x, more[0], more[1], x.ndim() == 2 ? lax::ScatterDimensionNumbers{{1}, {0}, {0}} : lax::ScatterDimensionNumbers{{}, {0}, {0}}, {})};
}

Shape with_axis(Shape shape, size_t axis, int64_t size) {
  shape[axis] = size;
  return shape;
}

// Operands after the first.
Arrays further_operands(const Case& c) {
  const Shape& s = c.shape;
  if (c.op == "sort_keys") return {elements(DType(DType::kInt8), s, 3, "plain")};
  if (c.op == "pad") return {elements(c.dtype, {}, 5, c.table)};
  if (c.op == "dynamic_update_slice") {
    Shape block;
    for (int64_t n : s) block.push_back((n + 1) / 2);
    return {elements(c.dtype, block, 4, c.table)};
  }
  if (c.op.starts_with("scatter")) {
    const int64_t n = s[0], count = n + 3;
    std::vector<int32_t> indices;
    for (int64_t i = 0; i < count; ++i) {
      const int64_t index = i * 7 % count - 1;
      indices.push_back(static_cast<int32_t>(index < 0 ? -1 : index / 2));
    }
    return {jnp::array(indices).reshape({count, 1}), elements(c.dtype, with_axis(s, 0, count), 2, c.table)};
  }
  if (c.op == "dot") return {elements(c.dtype, {s[1], 9}, 6, c.table)};
  if (c.op == "dot_vector") return {elements(c.dtype, {s[1]}, 6, c.table)};
  if (c.op == "dot_wide") return {elements(c.dtype, s, 6, c.table)};
  if (c.op == "dot_batch") return {elements(c.dtype, {s[0], s[1], 4}, 6, c.table)};
  return {};
}

Arrays apply(const std::string& op, const Array& x, const Arrays& more) {
  const int last = x.ndim() - 1;
  if (op == "sort") return {lax::sort(x)};
  if (op == "sort_first") return {lax::sort(x, {.dimension = 0})};
  if (op == "sort_keys")
    return lax::sort(Arrays{x, more[0], lax::broadcasted_iota(jnp::int32, x.shape(), 0)}, {.dimension = 0, .num_keys = 2});
  if (op == "argsort") return {jnp::argsort(x).astype(jnp::int32)};
  if (op == "top_k") return lax::top_k(x, (x.shape()[static_cast<size_t>(last)] + 1) / 2);
  if (op == "cumsum") return {lax::cumsum(x)};
  if (op == "cumsum_last") return {lax::cumsum(x, last, true)};
  if (op == "cumprod") return {lax::cumprod(x)};
  if (op == "cummax") return {lax::cummax(x)};
  if (op == "cummin") return {lax::cummin(x, last, true)};
  if (op == "cumlogsumexp") return {lax::cumlogsumexp(x)};
  if (op == "pad") return {x.ndim() == 1 ? lax::pad(x, more[0], {{1, 2, 1}}) : lax::pad(x, more[0], {{1, 2, 1}, {-1, 3, 0}})};
  if (op == "dynamic_update_slice") return {lax::dynamic_update_slice(x, more[0], Arrays(x.shape().size(), jnp::int32(2)))};
  if (op == "scatter") return scatter(lax::scatter, x, more);
  if (op == "scatter_add") return scatter(lax::scatter_add, x, more);
  if (op == "scatter_mul") return scatter(lax::scatter_mul, x, more);
  if (op == "scatter_min") return scatter(lax::scatter_min, x, more);
  if (op == "scatter_max") return scatter(lax::scatter_max, x, more);
  if (op == "reduce_sum") return {lax::reduce_sum(x, {0})};
  if (op == "reduce_prod") return {lax::reduce_prod(x, {0})};
  if (op == "reduce_max") return {lax::reduce_max(x, {last})};
  if (op == "reduce_min") return {lax::reduce_min(x, {last})};
  if (op == "reduce_and") return {lax::reduce_and(x, {0})};
  if (op == "reduce_or") return {lax::reduce_or(x, {0})};
  if (op == "reduce_xor") return {lax::reduce_xor(x, {0})};
  if (op == "argmax") return {lax::argmax(x, last, jnp::int32)};
  if (op == "argmin") return {lax::argmin(x, 0, jnp::int32)};
  if (op == "dot" || op == "dot_vector") return {lax::dot(x, more[0])};
  if (op == "dot_wide")
    return {lax::dot_general(x, more[0], {{1}, {1}}, {.preferred_element_type = x.dtype().is_integer() ? jnp::int32 : jnp::float32})};
  if (op == "dot_batch") return {lax::dot_general(x, more[0], {{1}, {1}, {0}, {0}})};
  ADD_FAILURE() << "there is no operation " << op;
  return {};
}

// The bytes, where every NaN is the same.
std::string bits_of(const Array& array) {
  array.block_until_ready();
  std::string bits(static_cast<const char*>(detail::buffer_of(array, "bits")->host_data()), static_cast<size_t>(array.nbytes()));
  const DType dtype = array.dtype();
  if (!dtype.is_inexact()) return bits;
  const size_t part = static_cast<size_t>(dtype.itemsize()) / (dtype.is_complex() ? 2 : 1);
  for (size_t i = 0; i < bits.size(); i += part) {
    double value = 0;
    const DType::Code code = dtype.is_complex() ? (part == 4 ? DType::kFloat32 : DType::kFloat64) : dtype.code();
    detail::convert_elements(bits.data() + i, DType(code), &value, DType(DType::kFloat64), 1);
    if (std::isnan(value)) std::fill_n(bits.begin() + static_cast<std::ptrdiff_t>(i), part, '\x7f');
  }
  return bits;
}

double epsilon(DType dtype) {
  switch (dtype.code()) {
    case DType::kBFloat16: return 0x1p-8;
    case DType::kFloat16: return 0x1p-11;
    case DType::kFloat64:
    case DType::kComplex128: return 0x1p-53;
    default: return 0x1p-24;
  }
}

// How far from JAX's a result may be, in units of its last place or of the sum of magnitudes: sums and
// products of floats are rounded in another order there; all else is exact.
double tolerance(const Case& c, DType dtype) {
  if (!dtype.is_inexact()) return 0;
  const bool sums = c.op.starts_with("cumsum") || c.op == "reduce_sum" || c.op == "scatter_add" || c.op == "cumlogsumexp" ||
                    c.op.find("prod") != std::string::npos || c.op == "scatter_mul";
  if (!sums) return 0;
  return epsilon(dtype) * (c.op.starts_with("cum") ? 64 : 16);
}

bool is_near(double got, double want, double relative) {
  if (std::isnan(want) || std::isinf(want)) return std::isnan(want) ? std::isnan(got) : got == want;
  if (relative == 0) return got == want && std::signbit(got) == std::signbit(want);
  return std::abs(got - want) <= relative * (1 + std::abs(want));
}

void expect_as_jax(const Case& c, const Array& got, const std::string& part) {
  std::istringstream words(part);
  std::string dtype, shape, word;
  words >> dtype >> shape;
  ASSERT_EQ(got.dtype().str(), dtype);
  std::string own;
  for (int64_t size : got.shape()) own += (own.empty() ? "" : "x") + std::to_string(size);
  ASSERT_EQ(own.empty() ? "scalar" : own, shape);
  const bool complex = got.dtype().is_complex();
  const size_t parts = complex ? 2 : 1;
  std::vector<double> values(static_cast<size_t>(got.size()) * parts);
  std::vector<int64_t> whole(values.size());
  got.block_until_ready();
  const void* data = detail::buffer_of(got, "values")->host_data();
  if (got.dtype().is_inexact())
    detail::convert_elements(data, got.dtype(), values.data(), DType(complex ? DType::kComplex128 : DType::kFloat64), got.size());
  else
    detail::convert_elements(data, got.dtype(), whole.data(), DType(DType::kInt64), got.size());
  const size_t step = std::max<size_t>(1, (static_cast<size_t>(got.size()) + 47) / 48);
  for (size_t i = 0; i < static_cast<size_t>(got.size()); i += step)
    for (size_t p = 0; p < parts; ++p) {
      ASSERT_TRUE(words >> word);
      if (got.dtype().is_inexact()) {
        const double value = values[i * parts + p], want = std::strtod(word.c_str(), nullptr);
        ASSERT_TRUE(is_near(value, want, tolerance(c, got.dtype()))) << "element " << i << ": got " << value << ", JAX has " << word;
      } else if (got.dtype().code() == DType::kUInt64) {
        ASSERT_EQ(std::to_string(static_cast<uint64_t>(whole[i])), word) << "element " << i;
      } else {
        ASSERT_EQ(std::to_string(whole[i]), word) << "element " << i;
      }
    }
  EXPECT_FALSE(words >> word);
}

DType dtype_called(const std::string& name) {
  for (int code = 0; code < 64; ++code)
    if (DType(static_cast<DType::Code>(code)).str() == name) return DType(static_cast<DType::Code>(code));
  throw ValueError("no dtype " + name);
}

std::vector<std::string> split(const std::string& text, const std::string& separator) {
  std::vector<std::string> parts;
  size_t at = 0;
  for (size_t next; (next = text.find(separator, at)) != std::string::npos; at = next + separator.size())
    parts.push_back(text.substr(at, next - at));
  parts.push_back(text.substr(at));
  return parts;
}

struct Line {
  Case which;
  std::vector<std::string> results;
};
const std::map<std::string, std::vector<Line>>& lines_by_operation() {
  static const auto all = [] {
    std::map<std::string, std::vector<Line>> lines;
    std::ifstream file(TENON_TEST_DATA "/ops/movement_table.txt");
    for (std::string text; std::getline(file, text);) {
      std::vector<std::string> parts = split(text, " | ");
      const std::vector<std::string> head = split(parts[0], " ");
      Shape shape;
      for (const std::string& size : split(head[2], "x")) shape.push_back(std::stoll(size));
      parts.erase(parts.begin());
      lines[head[0]].push_back({{head[0], dtype_called(head[1]), shape, head[3]}, parts});
    }
    return lines;
  }();
  return all;
}
std::vector<std::string> operations() {
  std::vector<std::string> names;
  for (const auto& [name, lines] : lines_by_operation()) names.push_back(name);
  return names;
}

class MovementTable : public testing::TestWithParam<std::string> {};

TEST_P(MovementTable, IsJaxsAndEqualThreeWays) {
  config::Scope x64({{"enable_x64", true}});
  for (const Line& line : lines_by_operation().at(GetParam())) {
    const Case& c = line.which;
    SCOPED_TRACE(c.op + " " + c.dtype.str() + c.shape.str() + " " + c.table);
    Arrays inputs = further_operands(c);
    inputs.insert(inputs.begin(), elements(c.dtype, c.shape, 1, c.table));
    const auto function = [&](const Arrays& in) { return apply(c.op, in[0], Arrays(in.begin() + 1, in.end())); };
    Arrays evaluated, jitted, eager;
    {
      config::Scope interpret({{"eager_evaluator_limit", int64_t{1} << 60}});
      evaluated = function(inputs);
    }
    ASSERT_EQ(evaluated.size(), line.results.size());
    for (size_t i = 0; i < evaluated.size(); ++i) expect_as_jax(c, evaluated[i], line.results[i]);
    try {
      jitted = jit(function, {.name = "f"})(inputs);
      eager = function(inputs);
    } catch (const UnimplementedError& e) {  // no code for the dtype in kernels yet
      EXPECT_TRUE(c.dtype.is_complex() || c.dtype.code() == DType::kFloat16) << e.what();
      continue;
    }
    for (size_t i = 0; i < evaluated.size(); ++i) {
      EXPECT_EQ(bits_of(evaluated[i]), bits_of(jitted[i])) << "evaluated and jitted, result " << i;
      EXPECT_EQ(bits_of(eager[i]), bits_of(jitted[i])) << "eager and jitted, result " << i;
    }
    if (HasFailure()) return;  // one is enough
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, MovementTable, testing::ValuesIn(operations()), [](const auto& info) { return info.param; });

}  // namespace
}  // namespace tenon::test
