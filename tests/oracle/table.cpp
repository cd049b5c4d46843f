// Writes the table of primitives (support/table.h) for table.py: operands, results of the jitted programs, and whether
// the three ways agree.
//   oracle_table OUTPUT_DIR [short] [row ...]      short: the cases that tests/ops/table_values.txt holds
// table.tsv: a line for each case; table.bin: the elements of all operands and results one after the other.
#include <algorithm>
#include <fstream>

#include "support/table.h"
#include "tenon/detail/host.h"

using namespace tenon;

namespace {

std::string written(const Arrays& arrays, std::ofstream& bytes) {
  std::string specs;
  for (const Array& array : arrays) {
    bytes << test::canonical_bytes(array);
    specs += (specs.empty() ? "" : ";") + array.dtype().str();
    for (int64_t size : array.shape()) specs += " " + std::to_string(size);
  }
  return specs;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string out = argv[1];
  std::vector<std::string> arguments(argv + 2, argv + argc);
  const bool is_short = !arguments.empty() && arguments[0] == "short";
  if (is_short) arguments.erase(arguments.begin());
  std::ofstream lines(out + "/table.tsv"), bytes(out + "/table.bin", std::ios::binary);
  config::update("enable_x64", true);
  for (const test::TableRow& row : test::table_rows()) {
    if (!arguments.empty() && std::find(arguments.begin(), arguments.end(), row.name) == arguments.end()) continue;
    for (DType dtype : test::table_dtypes()) {
      const auto cases = is_short ? test::short_table_cases(row, dtype) : test::table_cases(row, dtype);
      for (const test::TableResult& result : test::run_table(row, cases)) {
        std::string problem = result.refused.empty() ? result.difference : "refused " + result.refused;
        std::replace(problem.begin(), problem.end(), '\n', ' ');
        lines << row.name << '\t' << dtype.str() << '\t' << result.which.str() << '\t' << row.ulp << '\t' << row.sums << '\t' << problem << '\t'
              << written(result.inputs, bytes) << '\t';
        lines << written(result.outputs, bytes) << std::endl;
      }
    }
  }
  return 0;
}
