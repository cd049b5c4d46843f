// The mission's programs as JAX lowers them, through our passes: our numbers against XLA's (reference/mission_goldens
// of the folder that TENON_SHARED names, or of ../shared; skipped where there is none). Where our fusions
// differ from XLA's, the table says how.
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "analysis/cost_analysis.h"
#include "analysis/hlo_text.h"
#include "analysis/memory_analysis.h"
#include "../passes/ir_text.h"

namespace tenon::analysis {
namespace {

std::filesystem::path goldens() {
  const char* shared = std::getenv("TENON_SHARED");
  std::filesystem::path root = shared ? shared : std::filesystem::path(TENON_TEST_DATA) / "../../shared";
  return root / "reference/mission_goldens";
}

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// {"key": number, ...} without nesting.
CostMap read_numbers(const std::filesystem::path& path) {
  std::string text = read(path);
  CostMap map;
  for (size_t at = text.find('"'); at != std::string::npos; at = text.find('"', at)) {
    size_t end = text.find('"', at + 1), colon = text.find(':', end);
    map[text.substr(at + 1, end - at - 1)] = std::strtod(text.c_str() + colon + 1, nullptr);
    at = text.find(',', colon);
    if (at == std::string::npos) break;
  }
  return map;
}

struct Golden {
  const char* program;
  bool same_graph;          ///< all costs are XLA's
  const char* why = "";     ///< else
  bool same_temp = true;    ///< where the costs are: temporary memory as well
};

constexpr const char* kLibraryFusion = "XLA's library fusion does not count the product that it keeps";
constexpr const char* kStraight = "short loops are straight code: all rounds are counted, and not one";
constexpr const char* kOtherFusions = "fewer and larger kernels, which do cheap work again";

void PrintTo(const Golden& golden, std::ostream* out) { *out << golden.program; }

Module compiled_from(const std::filesystem::path& folder) {
  passes::PipelineOptions options;
  options.fuse_products = true;
  return passes::optimized(read(folder / "stablehlo.mlir"), options);
}

class Goldens : public testing::TestWithParam<Golden> {};

TEST_P(Goldens, NumbersAreXlas) {
  std::filesystem::path folder = goldens() / GetParam().program;
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no goldens in " << folder;
  Module module = compiled_from(folder);
  CostMap cost = cost_analysis(module), want = read_numbers(folder / "cost_analysis.json");
  CostMap memory = read_numbers(folder / "memory_analysis.json");
  MemoryAnalysis ours = memory_analysis(module);
  EXPECT_EQ(ours.argument_size_in_bytes, memory["argument_size_in_bytes"]);
  EXPECT_EQ(ours.output_size_in_bytes, memory["output_size_in_bytes"]);
  if (std::string_view(GetParam().why) != kStraight) EXPECT_LE(cost["transcendentals"], want["transcendentals"] * (1 + 1e-6));
  if (GetParam().same_graph) {
    if (GetParam().same_temp) EXPECT_EQ(ours.temp_size_in_bytes, memory["temp_size_in_bytes"]);
    else EXPECT_LT(ours.temp_size_in_bytes, memory["temp_size_in_bytes"]);
    for (const char* key : {"flops", "transcendentals", "bytes accessed", "bytes accessedout{}"}) {
      EXPECT_NEAR(cost[key], want[key], 1e-6 * want[key]) << key;
    }
  }
  RecordProperty("flops", std::to_string(cost["flops"]));
  RecordProperty("bytes", std::to_string(cost["bytes accessed"]));
  RecordProperty("temp", std::to_string(ours.temp_size_in_bytes));
}

std::vector<std::string> keys_of(const CostMap& map) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : map) keys.push_back(key);
  return keys;
}

TEST_P(Goldens, EveryKeyWhereTheGraphIsTheSame) {
  std::filesystem::path folder = goldens() / GetParam().program;
  if (!GetParam().same_graph || !std::filesystem::exists(folder)) GTEST_SKIP();
  const std::string program = GetParam().program;
  if (program == "2.3_closure_matmul_reduce") GTEST_SKIP() << "the captured matrix is an operand here, inside of XLA's kernel";
  Module module = compiled_from(folder);
  if (program.starts_with("2.8") || program == "2.4_T_elementwise" || program == "2.2_uses_closure") {
    // Another order of operands, or another bitcast: the same keys, of which those of operands have other numbers.
    EXPECT_EQ(keys_of(cost_analysis(module)), keys_of(read_numbers(folder / "cost_analysis.json"))) << hlo_text(module);
    return;
  }
  EXPECT_EQ(cost_analysis(module), read_numbers(folder / "cost_analysis.json")) << hlo_text(module);
}

INSTANTIATE_TEST_SUITE_P(
    Mission, Goldens,
    testing::Values(Golden{"2.1_annotated_step", false, kLibraryFusion}, Golden{"2.1_complex_computation", false, kLibraryFusion},
                    Golden{"2.2_conditional", true, "", false}, Golden{"2.2_example_function", true}, Golden{"2.2_grad", true},
                    Golden{"2.2_nested", true}, Golden{"2.2_uses_closure", true, "", false}, Golden{"2.2_value_branch_static_hi", true},
                    Golden{"2.2_value_branch_static_lo", true}, Golden{"2.3_constant_fold", true}, Golden{"2.3_identity_simplify", true},
                    Golden{"2.3_no_reassociate", true}, Golden{"2.3_simple_computation", true}, Golden{"2.3_closure_matmul_reduce", true},
                    Golden{"2.3_param_matmul_reduce", true}, Golden{"2.4_T_T", true}, Golden{"2.4_T_elementwise", true}, Golden{"2.4_T_matmul", true},
                    Golden{"2.4_T_only", true}, Golden{"2.4_copy", true}, Golden{"2.4_sum_cols", true}, Golden{"2.4_sum_rows", true},
                    Golden{"2.4_times2", true}, Golden{"2.5_cond_on_value", true, "", false}, Golden{"2.6_barrier", true}, Golden{"2.6_chain", true},
                    Golden{"2.6_exp_log_add", true}, Golden{"2.6_nn_softmax", false, "the division stays a division"},
                    Golden{"2.6_softmax_manual", false, "the division stays a division"},
                    Golden{"2.7_compute_heavy", false, "XLA's library fusion has both operands of x times its transpose as one parameter"},
                    Golden{"2.7_heavy", false, "products and what is done to them are one kernel, block by block of rows"}, Golden{"2.8_v0_vmap", true},
                    Golden{"2.8_v1_broadcast", true}, Golden{"2.8_v1_forced_barrier", true},
                    Golden{"2.8_v2_matmul", false, "dot and reductions are kernels of their own"}, Golden{"2.8_v3_centered", false, "the same"},
                    Golden{"ex1_probe", false, kStraight}, Golden{"ex1_target", true, "", false}, Golden{"ex3_h1", true}, Golden{"ex3_h2_barrier", true},
                    Golden{"ex4_grad_naive", false, kOtherFusions}, Golden{"ex4_grad_safe", false, kOtherFusions},
                    Golden{"ex4_safe_forward", false, kOtherFusions}),
    [](const testing::TestParamInfo<Golden>& info) {
      std::string name = info.param.program;
      for (char& c : name) {
        if (c == '.') c = '_';
      }
      return name;
    });

TEST(GoldensTable, HasEachProgramWithCosts) {
  if (!std::filesystem::exists(goldens())) GTEST_SKIP();
  int folders = 0;
  for (const auto& entry : std::filesystem::directory_iterator(goldens())) folders += std::filesystem::exists(entry.path() / "cost_analysis.json");
  int cases = 0;
  for (int i = 0; i < testing::UnitTest::GetInstance()->total_test_suite_count(); ++i) {
    const testing::TestSuite* suite = testing::UnitTest::GetInstance()->GetTestSuite(i);
    if (std::string_view(suite->name()) == "Mission/Goldens") cases = suite->total_test_count() / 2;  // two tests of each
  }
  EXPECT_EQ(folders, cases);
}

}  // namespace
}  // namespace tenon::analysis
