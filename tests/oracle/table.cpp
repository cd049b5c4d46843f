// Writes the table of elementwise primitives (ops/table_cases.h) for table.py: inputs, and what the jitted
// function makes of them, for each primitive and dtype.
//   oracle_table OUTPUT_DIR
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "ops/table_cases.h"

using namespace tenon;

int main(int, char** argv) {
  const std::filesystem::path out = argv[1];
  config::update("enable_x64", true);
  std::ofstream list(out / "table.tsv");  // name, dtype, operands; or name, dtype, "refused", message
  for (const test::TableOp& op : test::table_ops()) {
    for (DType dtype : test::table_dtypes()) {
      const std::string name = op.name + "." + dtype.str();
      Arrays x;
      for (int k = 0; k < op.operands; ++k)  // all pairs of special values
        x.push_back(test::table_input(dtype, test::table_shape(op, dtype, {3200}), k));
      try {
        const Array y = jit([&](const Arrays& in) -> Arrays { return {op.function(in)}; }, {.name = "table"})(x)[0];
        y.block_until_ready();
        for (size_t k = 0; k < x.size(); ++k) save_npy((out / (name + "." + std::to_string(k) + ".npy")).string(), x[k]);
        save_npy((out / (name + ".out.npy")).string(), y);
        list << op.name << '\t' << dtype.str() << '\t' << op.operands << '\n';
      } catch (const TypeError& e) {
        list << op.name << '\t' << dtype.str() << "\trefused\t" << e.what() << '\n';
      } catch (const Error& e) {
        list << op.name << '\t' << dtype.str() << "\tfailed\t" << e.what() << '\n';
      }
    }
  }
  return 0;
}
