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

// As XLA counts: of a conditional each number by itself, the largest one; tables of tuples, and names of memory among what is used.
TEST(CostAnalysis, OfAConditionalIsTheLargestOfEachNumber) {
  CostMap cost = cost_analysis(optimized(main_text("(%arg0: tensor<i1>, %arg1: tensor<5xf32>) -> tensor<5xf32>", R"(
    %0 = stablehlo.convert %arg0 : (tensor<i1>) -> tensor<i32>
    %1 = "stablehlo.case"(%0) ({
      %cst = stablehlo.constant dense<2.0> : tensor<f32>
      %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<5xf32>
      %3 = stablehlo.multiply %arg1, %2 : tensor<5xf32>
      %cst_0 = stablehlo.constant dense<1.0> : tensor<f32>
      %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<5xf32>
      %5 = stablehlo.add %3, %4 : tensor<5xf32>
      stablehlo.return %5 : tensor<5xf32>
    }, {
      %2 = stablehlo.sine %arg1 : tensor<5xf32>
      stablehlo.return %2 : tensor<5xf32>
    }) : (tensor<i32>) -> tensor<5xf32>
    return %1 : tensor<5xf32>)")));
  EXPECT_EQ(cost, (CostMap{{"flops", 11},
                           {"transcendentals", 5},
                           {"bytes accessed", 53},
                           {"bytes accessed0{}", 21},
                           {"bytes accessed1{}", 40},
                           {"bytes accessedout{}", 32},
                           {"utilization0{}", 6},
                           {"utilization1{}", 2}}));
}

TEST(CostAnalysis, OfASortGrowsWithTheLogarithm) {
  CostMap cost = cost_analysis(optimized(main_text("(%arg0: tensor<3x4xf32>) -> tensor<12xf32>", R"(
    %0 = stablehlo.reshape %arg0 : (tensor<3x4xf32>) -> tensor<12xf32>
    %1 = "stablehlo.sort"(%0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %2 = stablehlo.compare LT, %arg1, %arg2, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    }) : (tensor<12xf32>) -> tensor<12xf32>
    return %1 : tensor<12xf32>)")));
  EXPECT_EQ(cost, (CostMap{{"flops", 48},
                           {"bytes accessed", 96},
                           {"bytes accessed0{}", 48},
                           {"bytes accessedout{}", 48},
                           {"utilization0{}", 2}}));
}

// What is started, and what it costs: the sums are those of the program.
TEST(KernelCosts, AreOfTheStepsOfAProgram) {
  const KernelCosts costs = kernel_costs(optimized(main_text("(%arg0: tensor<5xf64>) -> (tensor<5xf64>, tensor<i32>)", R"(
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %r:2 = stablehlo.while(%i = %zero, %v = %arg0) : tensor<i32>, tensor<5xf64>
     cond {
      %n = stablehlo.constant dense<100> : tensor<i32>
      %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %j = stablehlo.add %i, %one : tensor<i32>
      %e = stablehlo.exponential %v : tensor<5xf64>
      %w = stablehlo.reverse %e, dims = [0] : tensor<5xf64>
      stablehlo.return %j, %w : tensor<i32>, tensor<5xf64>
    }
    return %r#1, %r#0 : tensor<5xf64>, tensor<i32>)")));
  std::string text;
  for (const KernelCost& k : costs.kernels) text += std::string(static_cast<size_t>(2 * k.depth), ' ') + k.opcode + " " + std::to_string(k.branch) + "\n";
  EXPECT_IR(text, R"(
    CHECK: while 0
    CHECK: fusion 0
    CHECK: fusion 1
    CHECK: fusion 1
  )");
  double transcendentals = 0, wide = 0, flops = 0, wide_flops = 0;
  for (const KernelCost& k : costs.kernels) {
    if (k.depth == 0) continue;
    transcendentals += k.transcendentals, wide += k.wide_transcendentals;
    flops += k.flops, wide_flops += k.wide_flops;
  }
  EXPECT_EQ(transcendentals, 5);
  EXPECT_EQ(wide, 5);
  EXPECT_EQ(flops, 2);  // the comparison and the sum
  EXPECT_EQ(wide_flops, 0);
  EXPECT_GE(costs.other_bytes, 8);
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
