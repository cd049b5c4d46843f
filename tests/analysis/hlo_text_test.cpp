#include "analysis/hlo_text.h"

#include "analysis/cost_analysis.h"
#include "analysis/memory_analysis.h"
#include "../passes/ir_text.h"

namespace tenon::analysis {
namespace {

using passes::main_text;
using passes::optimized;

constexpr const char* kSinMulAdd = R"(
    %0 = stablehlo.sine %arg0 : tensor<8x16xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %2 = stablehlo.multiply %1, %0 : tensor<8x16xf32>
    %3 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %4 = stablehlo.add %2, %3 : tensor<8x16xf32>
    return %4 : tensor<8x16xf32>)";
const std::string kModule = main_text("(%arg0: tensor<8x16xf32>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<8x16xf32>", kSinMulAdd);

TEST(HloText, OfAnOptimizedModule) {
  EXPECT_IR(hlo_text(optimized(kModule)), R"(
    CHECK: HloModule jit_f, is_scheduled=true, entry_computation_layout={(f32[8,16]{1,0}, f32[], f32[])->f32[8,16]{1,0}}
    CHECK: %fused_computation (param_0: f32[], param_1: f32[8,16], param_2: f32[]) -> f32[8,16] {
    CHECK: ROOT %add.1 = f32[8,16]{1,0} add(%multiply.1, %broadcast.
    CHECK: ENTRY %main ({{.+}}: f32[8,16], {{.+}}: f32[], {{.+}}: f32[]) -> f32[8,16] {
    CHECK: ROOT %broadcast_add_fusion = f32[8,16]{1,0} fusion(%Arg_2.1, %Arg_0.1, %Arg_1.1), kind=kLoop, calls=%fused_computation
  )");
}

TEST(HloText, BeforeOptimizationHasNoFusion) {
  EXPECT_IR(hlo_text(Module::parse(kModule)), R"(
    CHECK: HloModule jit_f, entry_computation_layout
    CHECK-NOT: fusion
    CHECK: %sine.1 = f32[8,16]{1,0} sine(
    CHECK: %broadcast.1 = f32[8,16]{1,0} broadcast(%Arg_1.1), dimensions={}
    CHECK-NOT: fusion
  )");
}

TEST(HloText, SeveralResultsAreATuple) {
  EXPECT_IR(hlo_text(Module::parse(main_text("(%arg0: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi1>)", R"(
    %0 = stablehlo.negate %arg0 : tensor<4xi32>
    %1 = stablehlo.compare LT, %arg0, %0, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    return %0, %1 : tensor<4xi32>, tensor<4xi1>)"))),
            R"(
    CHECK: %compare.1 = pred[4]{0} compare(%Arg_0.1, %negate.1), direction=LT
    CHECK: ROOT %tuple.1 = (s32[4]{0}, pred[4]{0}) tuple(%negate.1, %compare.1)
  )");
}

TEST(HloText, ReductionsCallTheirCombiner) {
  EXPECT_IR(hlo_text(optimized(main_text("(%arg0: tensor<4x8xf32>) -> tensor<4xf32>", R"(
    %cst = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>)"))),
            R"(
    CHECK: %[[REGION:region.*]] ({{.+}}: f32[], {{.+}}: f32[]) -> f32[] {
    CHECK: constant(0)
    CHECK: reduce(%param_0, %constant.1), dimensions={1}, to_apply=%[[REGION]]
    CHECK: kind=kInput
  )");
}

TEST(HloText, LocationsAreMetadata) {
  std::string text = R"(
module @jit_f {
  func.func public @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.sine %arg0 : tensor<4xf32> loc("jit(f)/layer/sin"("model.cpp":12:3))
    return %0 : tensor<4xf32>
  }
})";
  EXPECT_IR(hlo_text(Module::parse(text)), R"(CHECK: sine(%{{.+}}), metadata={op_name="jit(f)/layer/sin" source_file="model.cpp" source_line=12})");
  EXPECT_EQ(hlo_text(Module::parse(text), {.metadata = false}).find("metadata"), std::string::npos);
}

TEST(HloText, Literals) {
  EXPECT_IR(hlo_text(Module::parse(main_text("() -> (tensor<2x2xf32>, tensor<i1>, tensor<20xi32>, tensor<3xf64>)", R"(
    %0 = stablehlo.constant dense<[[1.0, 0.1], [0x7F800000, -2.5]]> : tensor<2x2xf32>
    %1 = stablehlo.constant dense<true> : tensor<i1>
    %2 = stablehlo.constant dense<7> : tensor<20xi32>
    %3 = stablehlo.constant dense<[1.0, 0.1, 3.0e-300]> : tensor<3xf64>
    return %0, %1, %2, %3 : tensor<2x2xf32>, tensor<i1>, tensor<20xi32>, tensor<3xf64>)"))),
            R"(
    CHECK: f32[2,2]{1,0} constant({ {1, 0.1}, {inf, -2.5} })
    CHECK: pred[] constant(true)
    CHECK: s32[20]{0} constant({...})
    CHECK: f64[3]{0} constant({1, 0.1, 3e-300})
  )");
}

TEST(CostAnalysis, CountsTheFusion) {
  CostMap cost = cost_analysis(optimized(kModule));
  EXPECT_EQ(cost, (CostMap{{"flops", 256},
                           {"transcendentals", 128},
                           {"bytes accessed", 1032},
                           {"bytes accessed0{}", 4},
                           {"bytes accessed1{}", 512},
                           {"bytes accessed2{}", 4},
                           {"bytes accessedout{}", 512},
                           {"utilization0{}", 1},
                           {"utilization1{}", 1},
                           {"utilization2{}", 1}}));
}

TEST(MemoryAnalysis, SumsArgumentsResultsAndTheArena) {
  MemoryAnalysis memory = memory_analysis(optimized(kModule));
  EXPECT_EQ(memory.argument_size_in_bytes, 520);
  EXPECT_EQ(memory.output_size_in_bytes, 512);
  EXPECT_EQ(memory.temp_size_in_bytes, 0);
  EXPECT_EQ(memory.peak_memory_in_bytes, 1032);
}

TEST(MemoryAnalysis, DonationIsAliasing) {
  passes::PipelineOptions options;
  options.donated = {true};
  Module module = optimized(kModule, options);
  MemoryAnalysis memory = memory_analysis(module);
  EXPECT_EQ(memory.alias_size_in_bytes, 512);
  EXPECT_EQ(memory.peak_memory_in_bytes, 520);
  EXPECT_IR(hlo_text(module), "CHECK: input_output_alias={ {}: (0, {}, may-alias) }");
}

TEST(MemoryAnalysis, DumpsHaveXlaHeadings) {
  Module module = optimized(kModule);
  EXPECT_IR(buffer_assignment_text(module), R"(
    CHECK: BufferAssignment:
    CHECK: allocation 0: size 512, output shape is |f32[8,16]|, maybe-live-out:
    CHECK: value: <broadcast_add_fusion @0> (size=512,offset=0): f32[8,16]{1,0}
    CHECK: parameter 0, shape |f32[8,16]| at ShapeIndex {}:
  )");
  EXPECT_IR(memory_usage_report(module), R"(
    CHECK: Total bytes: 1032
    CHECK: cumulative_size;       size;       offset; used_by_n_values; shapes_list
  )");
}

}  // namespace
}  // namespace tenon::analysis
