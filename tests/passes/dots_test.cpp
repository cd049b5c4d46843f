#include "ir_text.h"

namespace tenon::passes {
namespace {

TEST(CanonicalizeDots, AbsorbsTransposes) {
  EXPECT_IR(after_pass("canonicalize-dots", main_text("(%arg0: tensor<5x2xf32>, %arg1: tensor<3x5xf32>) -> tensor<2x3xf32>", R"(
    %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<5x2xf32>) -> tensor<2x5xf32>
    %1 = stablehlo.transpose %arg1, dims = [1, 0] : (tensor<3x5xf32>) -> tensor<5x3xf32>
    %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] : (tensor<2x5xf32>, tensor<5x3xf32>) -> tensor<2x3xf32>
    return %2 : tensor<2x3xf32>)")),
            R"(
    CHECK-NOT: stablehlo.transpose
    CHECK: stablehlo.dot_general %arg0, %arg1, contracting_dims = [0] x [1]
  )");
}

TEST(CanonicalizeDots, JoinsAxesByReshapes) {
  EXPECT_IR(after_pass("canonicalize-dots", main_text("(%arg0: tensor<2x3x4xf32>, %arg1: tensor<4x5x6xf32>) -> tensor<2x3x5x6xf32>", R"(
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [2] x [0] : (tensor<2x3x4xf32>, tensor<4x5x6xf32>) -> tensor<2x3x5x6xf32>
    return %0 : tensor<2x3x5x6xf32>)")),
            R"(
    CHECK-DAG: %[[L:.+]] = stablehlo.reshape %arg0 : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
    CHECK-DAG: %[[R:.+]] = stablehlo.reshape %arg1 : (tensor<4x5x6xf32>) -> tensor<4x30xf32>
    CHECK: %[[D:.+]] = stablehlo.dot_general %[[L]], %[[R]], contracting_dims = [1] x [0]
    CHECK: stablehlo.reshape %[[D]] : (tensor<6x30xf32>) -> tensor<2x3x5x6xf32>
  )");
}

TEST(CanonicalizeDots, InnerProductIsOneByOne) {
  EXPECT_IR(after_pass("canonicalize-dots", main_text("(%arg0: tensor<7xf32>, %arg1: tensor<7xf32>) -> tensor<f32>", R"(
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [0] x [0] : (tensor<7xf32>, tensor<7xf32>) -> tensor<f32>
    return %0 : tensor<f32>)")),
            "CHECK: stablehlo.dot_general {{.+}} -> tensor<1x1xf32>");
}

TEST(CanonicalizeDots, KeepsBatchedMatrices) {
  std::string text = main_text("(%arg0: tensor<8x2x4xf32>, %arg1: tensor<8x4x3xf32>) -> tensor<8x2x3xf32>", R"(
    %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<8x2x4xf32>, tensor<8x4x3xf32>) -> tensor<8x2x3xf32>
    return %0 : tensor<8x2x3xf32>)");
  EXPECT_EQ(after_pass("canonicalize-dots", text), Module::parse(text).str());
}

TEST(CanonicalizeDots, TransposesOnlyInterleavedAxes) {  // batch axis in the middle
  std::string text = main_text("(%arg0: tensor<2x8x4xf32>, %arg1: tensor<8x4x3xf32>) -> tensor<8x2x3xf32>", R"(
    %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [1] x [0], contracting_dims = [2] x [1] : (tensor<2x8x4xf32>, tensor<8x4x3xf32>) -> tensor<8x2x3xf32>
    return %0 : tensor<8x2x3xf32>)");
  EXPECT_IR(after_pass("canonicalize-dots", text), R"(
    CHECK: %[[T:.+]] = stablehlo.transpose %arg0
    CHECK: stablehlo.dot_general %[[T]], %arg1, batching_dims = [0] x [0]
  )");
}

TEST(CanonicalizeDots, ATransposedProductIsOfTheOtherOperandFirst) {
  EXPECT_IR(after_pass("canonicalize-dots", main_text("(%arg0: tensor<2x4xf32>, %arg1: tensor<4x3xf32>) -> tensor<3x2xf32>", R"(
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [HIGH, DEFAULT] : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
    %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
    return %1 : tensor<3x2xf32>)")),
            R"(
    CHECK: %[[D:.+]] = stablehlo.dot_general %arg1, %arg0, contracting_dims = [0] x [1], precision = [DEFAULT, HIGH] : (tensor<4x3xf32>, tensor<2x4xf32>) -> tensor<3x2xf32>
    CHECK: stablehlo.transpose %[[D]], dims = [0, 1]
  )");
  // The second product of attention whose layout is [batch, place, head, width].
  EXPECT_IR(after_pass("canonicalize-dots", main_text("(%arg0: tensor<5x7x8x6xf32>, %arg1: tensor<5x8x9x7xf32>) -> tensor<5x9x8x6xf32>", R"(
    %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3] : (tensor<5x7x8x6xf32>, tensor<5x8x9x7xf32>) -> tensor<5x8x6x9xf32>
    %1 = stablehlo.transpose %0, dims = [0, 3, 1, 2] : (tensor<5x8x6x9xf32>) -> tensor<5x9x8x6xf32>
    return %1 : tensor<5x9x8x6xf32>)")),
            R"(
    CHECK-DAG: %[[L:.+]] = stablehlo.reshape %arg1 : (tensor<5x8x9x7xf32>) -> tensor<40x9x7xf32>
    CHECK: %[[D:.+]] = stablehlo.dot_general %[[L]], %{{.+}}, batching_dims = [0] x [0], contracting_dims = [2] x
    CHECK: stablehlo.transpose %{{.+}}, dims = [0, 2, 1, 3] : (tensor<5x8x9x6xf32>) -> tensor<5x9x8x6xf32>
  )");
}

TEST(CanonicalizeDots, ATransposedRowStaysWhereItIs) {
  const std::string text = main_text("(%arg0: tensor<1x4xf32>, %arg1: tensor<4x3xf32>) -> tensor<3x1xf32>", R"(
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<1x4xf32>, tensor<4x3xf32>) -> tensor<1x3xf32>
    %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<1x3xf32>) -> tensor<3x1xf32>
    return %1 : tensor<3x1xf32>)");
  EXPECT_EQ(after_pass("canonicalize-dots", text), Module::parse(text).str());
}

}  // namespace
}  // namespace tenon::passes
