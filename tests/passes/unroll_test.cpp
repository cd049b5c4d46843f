// Short loops with known bounds become straight code; others stay.
#include "ir_text.h"

namespace tenon::passes {
namespace {

// while (i < bound) { x = x * x; i = i + step } from `start`.
std::string loop(const std::string& start, const std::string& bound, const std::string& step) {
  return R"(
    func.func public @main(%x: tensor<f32>, %n: tensor<i32>) -> tensor<f32> {
      %start = stablehlo.constant dense<)" + start + R"(> : tensor<i32>
      %r:2 = stablehlo.while(%i = %start, %v = %x) : tensor<i32>, tensor<f32>
      cond {
        %bound = stablehlo.constant dense<)" + bound + R"(> : tensor<i32>
        %c = stablehlo.compare LT, %i, %bound, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      } do {
        %w = stablehlo.multiply %v, %v : tensor<f32>
        %step = stablehlo.constant dense<)" + step + R"(> : tensor<i32>
        %j = stablehlo.add %i, %step : tensor<i32>
        stablehlo.return %j, %w : tensor<i32>, tensor<f32>
      }
      return %r#1 : tensor<f32>
    })";
}

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

struct Case {
  const char *start, *bound, *step;
  int bodies;  // 0: none is left; -1: the loop stays
};
const Case kCases[] = {
    {"0", "5", "1", 5}, {"0", "5", "2", 3}, {"-4", "4", "3", 3}, {"2", "2", "1", 0},  {"7", "2", "1", 0},
    {"0", "16", "1", 16}, {"0", "17", "1", -1}, {"0", "5", "0", -1}, {"0", "5", "-1", -1}, {"-2147483648", "2147483647", "1073741824", -1},
};

TEST(UnrollLoops, AsOftenAsTheBodyRuns) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(std::string(c.start) + " " + c.bound + " " + c.step);
    const std::string text = after_pass("unroll-loops", loop(c.start, c.bound, c.step));
    EXPECT_EQ(count(text, "stablehlo.while"), c.bodies < 0 ? 1 : 0);
    EXPECT_EQ(count(text, "stablehlo.multiply"), c.bodies < 0 ? 1 : c.bodies);
  }
}

TEST(UnrollLoops, LeavesOneWhoseBoundIsAnArgument) {
  std::string text = loop("0", "5", "1");
  text.replace(text.find("%i, %bound,"), 11, "%i, %n,");
  EXPECT_EQ(count(after_pass("unroll-loops", text), "stablehlo.while"), 1);
}

}  // namespace
}  // namespace tenon::passes
