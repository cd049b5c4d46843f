// Every program of support/programs.h lowers to the StableHLO that JAX lowers it to, letter by letter.
#include <gtest/gtest.h>

#include "lowering/lower.h"
#include "support/programs.h"

namespace tenon::test {
namespace {

// The text without the module's first and last line.
std::string body_of(const std::string& text) {
  const size_t begin = text.find('\n') + 1, end = text.rfind('}');
  return begin < end ? text.substr(begin, end - begin - 1) : "";
}

class LoweredProgram : public testing::TestWithParam<size_t> {};

TEST_P(LoweredProgram, IsJax) {
  const Program& program = programs()[GetParam()];
  std::vector<bool> kept;
  Module module = lower_jaxpr(trace(program), {.name = program.name}, kept);
  module.verify();
  EXPECT_EQ(body_of(module.str()), printed_by_jax().at(program.name).stablehlo);
}

INSTANTIATE_TEST_SUITE_P(Lowering, LoweredProgram, testing::Range<size_t>(0, programs().size()),
                         [](const auto& info) { return std::string(programs()[info.param].name); });

}  // namespace
}  // namespace tenon::test
