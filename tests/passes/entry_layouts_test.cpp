#include "ir_text.h"

namespace tenon::passes {
namespace {

// As JAX writes it.
const std::string kModule = main_text("(%arg0: tensor<2x3xf32> {mhlo.layout_mode = \"{0,1}\"}) -> (tensor<2x3xf32> {mhlo.layout_mode = \"{0,1}\"})", R"(
    %0 = stablehlo.sine %arg0 : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>)");

TEST(EntryLayouts, AreOfMemory) {
  PipelineOptions options;
  options.entry_layouts = true;
  EXPECT_IR(run_pass(Module::parse(kModule), "entry-layouts", options).str(), R"(
    CHECK: @main(%arg0: tensor<3x2xf32> {tenon.layout = #tenon.layout<{{.*}}>}) -> (tensor<3x2xf32> {tenon.layout
    CHECK: stablehlo.transpose %arg0, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
    CHECK: stablehlo.sine
    CHECK: stablehlo.transpose %{{.+}}, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  )");
}

// Whoever runs a module with row-major arrays (tenon-run) does not ask for them.
TEST(EntryLayouts, AreRowMajorUnlessAskedFor) {
  EXPECT_IR(run_pass(Module::parse(kModule), "entry-layouts").str(), R"(
    CHECK: @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32>
    CHECK-NOT: transpose
  )");
}

}  // namespace
}  // namespace tenon::passes
