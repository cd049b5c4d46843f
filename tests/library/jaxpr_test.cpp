// Every program of programs.h prints the jaxpr that JAX prints, character for character.
#include <gtest/gtest.h>

#include "support/programs.h"

namespace tenon::test {
namespace {

class PrintedJaxpr : public testing::TestWithParam<size_t> {};

TEST_P(PrintedJaxpr, IsJax) {
  const Program& program = programs()[GetParam()];
  EXPECT_EQ(trace(program).str(), printed_by_jax().at(program.name).jaxpr);
}

INSTANTIATE_TEST_SUITE_P(Library, PrintedJaxpr, testing::Range<size_t>(0, programs().size()),
                         [](const auto& info) { return std::string(programs()[info.param].name); });

TEST(PrintedJaxprs, HaveAProgramEach) { EXPECT_EQ(programs().size(), printed_by_jax().size()); }

}  // namespace
}  // namespace tenon::test
