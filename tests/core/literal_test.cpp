// Scalars as literals print them: JAX's table.
#include "core/literal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "base/fail.h"
#include "core/nodes.h"

namespace tenon {
namespace {

TEST(LiteralStr, AgreesWithTheTable) {
  std::ifstream table(TENON_TEST_DATA "/core/literal_printing.tsv");
  std::string line;
  std::getline(table, line);
  int rows = 0;
  while (std::getline(table, line)) {
    std::istringstream row(line);
    std::string dtype_name, value, expected;
    std::getline(row, dtype_name, '\t');
    std::getline(row, value, '\t');
    std::getline(row, expected, '\t');
    DType dtype = DType::parse(dtype_name);
    Array scalar;
    if (dtype.is_bool()) {
      scalar = Array(detail::make_scalar(int64_t(value == "True"), dtype, false));
    } else if (dtype.is_integer()) {
      scalar = Array(detail::make_scalar(int64_t(std::stoll(value)), dtype, false));
    } else if (dtype.is_floating()) {
      scalar = Array(detail::make_scalar(std::strtod(value.c_str(), nullptr), dtype, false));
    } else {
      // "1j", "(1+2j)", "(-1-0.5j)"
      std::string digits = value;
      std::erase_if(digits, [](char c) { return c == '(' || c == ')' || c == 'j'; });
      double z[2] = {0, 0};
      char* end = nullptr;
      z[1] = std::strtod(digits.c_str(), &end);
      if (*end) z[0] = z[1], z[1] = std::strtod(end, nullptr);
      auto node = detail::make_ref<detail::ScalarNode>(ShapedArray{{}, dtype, false});
      detail::convert_elements(z, DType(DType::kComplex128), node->bytes, dtype, 1);
      scalar = Array(node);
    }
    EXPECT_EQ(detail::literal_str(scalar), expected) << line;
    ++rows;
  }
  EXPECT_EQ(rows, 63);
}

TEST(LiteralStr, ValueAlone) { EXPECT_EQ(detail::literal_str(Array(true), false), "True"); }

}  // namespace
}  // namespace tenon
