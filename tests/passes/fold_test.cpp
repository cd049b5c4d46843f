#include "ir_text.h"

namespace tenon::passes {
namespace {

std::string folded(std::string_view signature, std::string_view body) {
  return after_pass("remove-dead-code", after_pass("fold-constants", main_text(signature, body)));
}

TEST(FoldConstants, ScalarsAndReductionsOfIotas) {
  EXPECT_IR(folded("(%arg0: tensor<4xf32>) -> tensor<4xf32>", R"(
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %0 = stablehlo.sine %cst : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %3 = stablehlo.multiply %arg0, %2 : tensor<4xf32>
    %4 = stablehlo.iota dim = 0 : tensor<4xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.reduce(%4 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %7 = stablehlo.add %3, %6 : tensor<4xf32>
    return %7 : tensor<4xf32>)"),
            R"(
    CHECK-DAG: stablehlo.constant dense<0.909297{{.*}}> : tensor<f32>
    CHECK-DAG: stablehlo.constant dense<6.000000e+00> : tensor<f32>
    CHECK-NOT: stablehlo.sine
    CHECK-NOT: stablehlo.reduce
    CHECK: return
  )");
}

TEST(FoldConstants, SplatsOfAnySizeStaySymbolic) {
  std::string text = folded("() -> tensor<100000x100000xf32>", R"(
    %cst = stablehlo.constant dense<2.0> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<100000x100000xf32>
    %1 = stablehlo.multiply %0, %0 : tensor<100000x100000xf32>
    return %1 : tensor<100000x100000xf32>)");
  EXPECT_IR(text, R"(
    CHECK: %[[C:.+]] = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    CHECK: stablehlo.broadcast_in_dim %[[C]]
  )");
}

TEST(FoldConstants, ArithmeticOnIotasStays) {
  EXPECT_IR(folded("() -> tensor<1000xf32>", R"(
    %0 = stablehlo.iota dim = 0 : tensor<1000xf32>
    %1 = stablehlo.multiply %0, %0 : tensor<1000xf32>
    return %1 : tensor<1000xf32>)"),
            R"(
    CHECK: stablehlo.iota
    CHECK: stablehlo.multiply
  )");
}

TEST(FoldConstants, HugeReductionsStay) {
  EXPECT_IR(folded("() -> tensor<f32>", R"(
    %cst = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.iota dim = 0 : tensor<100000000xf32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<100000000xf32>, tensor<f32>) -> tensor<f32>
    return %1 : tensor<f32>)"),
            "CHECK: stablehlo.reduce");
}

}  // namespace
}  // namespace tenon::passes
