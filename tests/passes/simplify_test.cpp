#include "ir_text.h"

namespace tenon::passes {
namespace {

std::string simplified(std::string_view signature, std::string_view body) {
  return after_pass("simplify", main_text(signature, body));
}
constexpr const char* kUnary = "(%arg0: tensor<4x3xf32>) -> tensor<4x3xf32>";

TEST(Simplify, TimesOneIsNothing) {
  EXPECT_IR(simplified(kUnary, R"(
    %cst = stablehlo.constant dense<1.0> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x3xf32>
    %1 = stablehlo.multiply %arg0, %0 : tensor<4x3xf32>
    return %1 : tensor<4x3xf32>)"),
            R"(
    CHECK: func.func public @main(%arg0
    CHECK-NEXT: return %arg0
  )");
}

TEST(DropZeroSums, IsTheOnlyPassThatDropsPlusZero) {
  const std::string sum = main_text(kUnary, R"(
    %cst = stablehlo.constant dense<0.0> : tensor<4x3xf32>
    %0 = stablehlo.add %cst, %arg0 : tensor<4x3xf32>
    return %0 : tensor<4x3xf32>)");
  EXPECT_IR(after_pass("drop-zero-sums", sum), "CHECK: return %arg0");
  EXPECT_IR(after_pass("simplify", sum), "CHECK: stablehlo.add");
  PipelineOptions exact;
  exact.disable_passes = "drop-zero-sums";
  EXPECT_IR(optimize(Module::parse(sum), exact).str(), "CHECK: stablehlo.add");
}

TEST(Simplify, KeepsWhatChangesIeeeResults) {
  EXPECT_IR(simplified("(%arg0: tensor<f32>, %arg1: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)", R"(
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %minus = stablehlo.constant dense<-0.0> : tensor<f32>
    %0 = stablehlo.add %arg0, %arg1 : tensor<f32>
    %1 = stablehlo.subtract %0, %arg0 : tensor<f32>
    %2 = stablehlo.multiply %arg0, %zero : tensor<f32>
    %3 = stablehlo.subtract %arg0, %minus : tensor<f32>
    %4 = stablehlo.add %arg0, %zero : tensor<f32>
    return %1, %2, %3, %4 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)"),
            R"(
    CHECK: stablehlo.add
    CHECK: stablehlo.subtract
    CHECK: stablehlo.multiply
    CHECK: stablehlo.subtract
    CHECK: stablehlo.add
    CHECK: return
  )");
}

TEST(Simplify, SquareStaysAMultiply) {
  EXPECT_IR(simplified(kUnary, R"(
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<4x3xf32>
    return %0 : tensor<4x3xf32>)"),
            "CHECK: stablehlo.multiply %arg0, %arg0");
}

TEST(Simplify, MaximumWithMinusInfinityIsNothing) {
  EXPECT_IR(simplified(kUnary, R"(
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x3xf32>
    %1 = stablehlo.maximum %0, %arg0 : tensor<4x3xf32>
    return %1 : tensor<4x3xf32>)"),
            R"(
    CHECK-NOT: stablehlo.maximum
    CHECK: return %arg0
  )");
}

TEST(Simplify, SelectOfAKnownPredicate) {
  EXPECT_IR(simplified("(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>, %arg2: tensor<2xi1>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)", R"(
    %true = stablehlo.constant dense<true> : tensor<2xi1>
    %0 = stablehlo.select %true, %arg0, %arg1 : tensor<2xi1>, tensor<2xf32>
    %1 = stablehlo.not %arg2 : tensor<2xi1>
    %2 = stablehlo.select %1, %arg0, %arg1 : tensor<2xi1>, tensor<2xf32>
    %3 = stablehlo.select %arg2, %arg1, %arg1 : tensor<2xi1>, tensor<2xf32>
    return %0, %2, %3 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)"),
            R"(
    CHECK: %[[S:.+]] = stablehlo.select %arg2, %arg1, %arg0
    CHECK-NEXT: return %arg0, %[[S]], %arg1
  )");
}

TEST(Simplify, IntegersFold) {
  EXPECT_IR(simplified("(%arg0: tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>)", R"(
    %zero = stablehlo.constant dense<0> : tensor<2xi32>
    %0 = stablehlo.multiply %arg0, %zero : tensor<2xi32>
    %1 = stablehlo.subtract %arg0, %arg0 : tensor<2xi32>
    %2 = stablehlo.or %arg0, %zero : tensor<2xi32>
    return %0, %1, %2 : tensor<2xi32>, tensor<2xi32>, tensor<2xi32>)"),
            R"(
    CHECK-NOT: stablehlo.multiply
    CHECK-NOT: stablehlo.subtract
    CHECK: return %{{.+}}, %{{.+}}, %arg0
  )");
}

TEST(Simplify, TransposesCompose) {
  EXPECT_IR(simplified("(%arg0: tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<3x4x2xf32>)", R"(
    %0 = stablehlo.transpose %arg0, dims = [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
    %1 = stablehlo.transpose %0, dims = [1, 2, 0] : (tensor<4x2x3xf32>) -> tensor<2x3x4xf32>
    %2 = stablehlo.transpose %0, dims = [2, 0, 1] : (tensor<4x2x3xf32>) -> tensor<3x4x2xf32>
    return %1, %2 : tensor<2x3x4xf32>, tensor<3x4x2xf32>)"),
            R"(
    CHECK: %[[T:.+]] = stablehlo.transpose %arg0, dims = [1, 2, 0]
    CHECK-NEXT: return %arg0, %[[T]]
  )");
}

TEST(Simplify, TransposeOfUnitAxesIsAReshape) {
  EXPECT_IR(simplified("(%arg0: tensor<1x3xf32>) -> tensor<3x1xf32>", R"(
    %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<1x3xf32>) -> tensor<3x1xf32>
    return %0 : tensor<3x1xf32>)"),
            "CHECK: stablehlo.reshape %arg0 : (tensor<1x3xf32>) -> tensor<3x1xf32>");
}

TEST(Simplify, BroadcastsComposeWithoutUnitAxes) {
  EXPECT_IR(simplified("(%arg0: tensor<4xf32>) -> tensor<4x3xf32>", R"(
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x3xf32>
    return %1 : tensor<4x3xf32>)"),
            R"(
    CHECK: %[[B:.+]] = stablehlo.broadcast_in_dim %arg0, dims = [0] : (tensor<4xf32>) -> tensor<4x3xf32>
    CHECK-NEXT: return %[[B]]
  )");
}

TEST(Simplify, ReshapesCancel) {
  EXPECT_IR(simplified("(%arg0: tensor<2x6xf32>) -> tensor<2x6xf32>", R"(
    %0 = stablehlo.reshape %arg0 : (tensor<2x6xf32>) -> tensor<12xf32>
    %1 = stablehlo.negate %0 : tensor<12xf32>
    %2 = stablehlo.reshape %1 : (tensor<12xf32>) -> tensor<2x6xf32>
    %3 = stablehlo.sine %2 : tensor<2x6xf32>
    return %3 : tensor<2x6xf32>)"),
            R"(
    CHECK: stablehlo.negate %arg0 : tensor<2x6xf32>
    CHECK-NEXT: stablehlo.sine
  )");
}

TEST(Simplify, TransposesAroundElementwiseOperationsCancel) {
  EXPECT_IR(simplified("(%arg0: tensor<2x3x4xf32>, %arg1: tensor<2x3x4xf32>) -> tensor<2x3x4xi1>", R"(
    %c = stablehlo.constant dense<2.0> : tensor<4x2x3xf32>
    %0 = stablehlo.transpose %arg0, dims = [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
    %1 = stablehlo.transpose %arg1, dims = [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
    %2 = stablehlo.multiply %0, %c : tensor<4x2x3xf32>
    %3 = stablehlo.compare LT, %2, %1 : (tensor<4x2x3xf32>, tensor<4x2x3xf32>) -> tensor<4x2x3xi1>
    %4 = stablehlo.transpose %3, dims = [1, 2, 0] : (tensor<4x2x3xi1>) -> tensor<2x3x4xi1>
    return %4 : tensor<2x3x4xi1>)"),
            R"(
    CHECK-NOT: transpose
    CHECK: %[[M:.+]] = stablehlo.multiply %arg0, %{{.+}} : tensor<2x3x4xf32>
    CHECK-NEXT: stablehlo.compare LT, %[[M]], %arg1
    CHECK-NOT: transpose
  )");
  // Another permutation, or a value that is wanted in both orders, stays.
  EXPECT_IR(simplified("(%arg0: tensor<2x2x2xf32>) -> tensor<2x2x2xf32>", R"(
    %0 = stablehlo.transpose %arg0, dims = [2, 0, 1] : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    %1 = stablehlo.sine %0 : tensor<2x2x2xf32>
    %2 = stablehlo.transpose %1, dims = [2, 0, 1] : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    return %2 : tensor<2x2x2xf32>)"),
            R"(
    CHECK: stablehlo.transpose
    CHECK: stablehlo.sine
    CHECK: stablehlo.transpose
  )");
}

TEST(Simplify, SlicesCompose) {
  EXPECT_IR(simplified("(%arg0: tensor<20xf32>) -> tensor<3xf32>", R"(
    %0 = stablehlo.slice %arg0 [2:18:2] : (tensor<20xf32>) -> tensor<8xf32>
    %1 = stablehlo.slice %0 [1:6:2] : (tensor<8xf32>) -> tensor<3xf32>
    return %1 : tensor<3xf32>)"),
            "CHECK: stablehlo.slice %arg0 [4:13:4]");
}

TEST(Simplify, Counters64BitsWideOfWhichTheLow32AreKeptAreCountedIn32) {
  EXPECT_IR(simplified("() -> (tensor<1000x3xui32>, tensor<1000x3xui32>)", R"(
    %row = stablehlo.iota dim = 0 : tensor<1000x3xui64>
    %column = stablehlo.iota dim = 1 : tensor<1000x3xui64>
    %three = stablehlo.constant dense<3> : tensor<1000x3xui64>
    %0 = stablehlo.multiply %row, %three : tensor<1000x3xui64>
    %1 = stablehlo.add %0, %column : tensor<1000x3xui64>
    %bits = stablehlo.constant dense<32> : tensor<1000x3xui64>
    %2 = stablehlo.shift_right_logical %1, %bits : tensor<1000x3xui64>
    %high = stablehlo.convert %2 : (tensor<1000x3xui64>) -> tensor<1000x3xui32>
    %low = stablehlo.convert %1 : (tensor<1000x3xui64>) -> tensor<1000x3xui32>
    return %high, %low : tensor<1000x3xui32>, tensor<1000x3xui32>)"),
            R"(
    CHECK: %[[ROW:.+]] = stablehlo.iota dim = 0 : tensor<1000x3xui32>
    CHECK: %[[PRODUCT:.+]] = stablehlo.multiply %[[ROW]]
    CHECK: %[[COLUMN:.+]] = stablehlo.iota dim = 1 : tensor<1000x3xui32>
    CHECK: stablehlo.add %[[PRODUCT]], %[[COLUMN]] : tensor<1000x3xui32>
    CHECK-NOT: shift_right_logical
    CHECK: return
  )");
}

TEST(Simplify, CountersThatDoNotFitKeepTheirWidth) {
  EXPECT_IR(simplified("() -> (tensor<300xi8>, tensor<300xui16>, tensor<300xui16>, tensor<300xi32>)", R"(
    %wide = stablehlo.iota dim = 0 : tensor<300xi32>
    %0 = stablehlo.convert %wide : (tensor<300xi32>) -> tensor<300xi8>
    %short = stablehlo.iota dim = 0 : tensor<300xui16>
    %eight = stablehlo.constant dense<8> : tensor<300xui16>
    %1 = stablehlo.shift_right_logical %short, %eight : tensor<300xui16>
    %nine = stablehlo.constant dense<9> : tensor<300xui16>
    %2 = stablehlo.shift_right_logical %short, %nine : tensor<300xui16>
    %minus = stablehlo.constant dense<-1> : tensor<300xi8>
    %3 = stablehlo.convert %minus : (tensor<300xi8>) -> tensor<300xi32>
    %thirty = stablehlo.constant dense<30> : tensor<300xi32>
    %4 = stablehlo.shift_right_logical %3, %thirty : tensor<300xi32>
    return %0, %1, %2, %4 : tensor<300xi8>, tensor<300xui16>, tensor<300xui16>, tensor<300xi32>)"),
            R"(
    CHECK: %[[WIDE:.+]] = stablehlo.iota dim = 0 : tensor<300xi32>
    CHECK: %[[A:.+]] = stablehlo.convert %[[WIDE]]
    CHECK: %[[B:.+]] = stablehlo.shift_right_logical {{.*}} : tensor<300xui16>
    CHECK-NOT: stablehlo.shift_right_logical {{.*}} : tensor<300xui16>
    CHECK: %[[D:.+]] = stablehlo.shift_right_logical {{.*}} : tensor<300xi32>
    CHECK: return %[[A]], %[[B]], {{.*}}, %[[D]]
  )");
}

TEST(Simplify, IsIdempotent) {
  std::string text = main_text("(%arg0: tensor<4x3xf32>, %arg1: tensor<3x4xf32>) -> tensor<4x3xf32>", R"(
    %0 = stablehlo.transpose %arg1, dims = [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>
    %1 = stablehlo.add %arg0, %0 : tensor<4x3xf32>
    %2 = stablehlo.reshape %1 : (tensor<4x3xf32>) -> tensor<12xf32>
    %3 = stablehlo.negate %2 : tensor<12xf32>
    %4 = stablehlo.reshape %3 : (tensor<12xf32>) -> tensor<4x3xf32>
    return %4 : tensor<4x3xf32>)");
  std::string once = after_pass("simplify", text);
  EXPECT_EQ(once, after_pass("simplify", once));
}

TEST(Simplify, BisectionStopsAfterTheNthRewrite) {
  std::string text = main_text("(%arg0: tensor<f32>) -> tensor<f32>", R"(
    %one = stablehlo.constant dense<1.0> : tensor<f32>
    %0 = stablehlo.multiply %arg0, %one : tensor<f32>
    %1 = stablehlo.multiply %0, %one : tensor<f32>
    %2 = stablehlo.multiply %1, %one : tensor<f32>
    return %2 : tensor<f32>)");
  PipelineOptions options;
  options.bisect_limit = 1;
  EXPECT_IR(run_pass(Module::parse(text), "simplify", options).str(), R"(
    CHECK-COUNT-2: stablehlo.multiply
    CHECK-NOT: stablehlo.multiply
    CHECK: return
  )");
}

TEST(Simplify, NeighboursAreOneSlice) {
  EXPECT_IR(after_pass("simplify", main_text("(%arg0: tensor<4x6xf32>) -> tensor<8x3xf32>", R"(
    %0 = stablehlo.slice %arg0 [0:1, 0:6:2] : (tensor<4x6xf32>) -> tensor<1x3xf32>
    %1 = stablehlo.slice %arg0 [1:3, 0:6:2] : (tensor<4x6xf32>) -> tensor<2x3xf32>
    %2 = stablehlo.slice %arg0 [3:4, 0:6:2] : (tensor<4x6xf32>) -> tensor<1x3xf32>
    %3 = stablehlo.slice %arg0 [3:4, 0:3] : (tensor<4x6xf32>) -> tensor<1x3xf32>
    %4 = stablehlo.slice %arg0 [1:2, 3:6] : (tensor<4x6xf32>) -> tensor<1x3xf32>
    %5 = stablehlo.slice %arg0 [2:4, 3:6] : (tensor<4x6xf32>) -> tensor<2x3xf32>
    %6 = stablehlo.concatenate %0, %1, %2, %3, %4, %5, dim = 0
      : (tensor<1x3xf32>, tensor<2x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>, tensor<2x3xf32>) -> tensor<8x3xf32>
    return %6 : tensor<8x3xf32>)")),
            R"(
    CHECK: %0 = stablehlo.slice %arg0 [3:4, 0:3]
    CHECK-NEXT: %1 = stablehlo.slice %arg0 [0:4, 0:6:2]
    CHECK-NEXT: %2 = stablehlo.slice %arg0 [1:4, 3:6]
    CHECK-NEXT: stablehlo.concatenate %1, %0, %2, dim = 0
    CHECK-NEXT: return
  )");
}

TEST(Simplify, AnArrayTakenApartIsItselfAgain) {
  EXPECT_IR(after_pass("simplify", main_text("(%arg0: tensor<2xf32>) -> tensor<2xf32>", R"(
    %0 = stablehlo.slice %arg0 [0:1] : (tensor<2xf32>) -> tensor<1xf32>
    %1 = stablehlo.reshape %0 : (tensor<1xf32>) -> tensor<f32>
    %2 = stablehlo.slice %arg0 [1:2] : (tensor<2xf32>) -> tensor<1xf32>
    %3 = stablehlo.reshape %2 : (tensor<1xf32>) -> tensor<f32>
    %4 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %5 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %6 = stablehlo.concatenate %4, %5, dim = 0 : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
    return %6 : tensor<2xf32>)")),
            "CHECK: return %arg0");
}

TEST(Simplify, AReductionOfOneElementIsOneStepOfIt) {
  EXPECT_IR(after_pass("simplify", main_text("(%arg0: tensor<1x7x1xf32>) -> tensor<7xf32>", R"(
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [0, 2] : (tensor<1x7x1xf32>, tensor<f32>) -> tensor<7xf32>
    return %0 : tensor<7xf32>)")),
            R"(
    CHECK: %[[R:.+]] = stablehlo.reshape %arg0 : (tensor<1x7x1xf32>) -> tensor<7xf32>
    CHECK-NEXT: return %[[R]]
  )");
  // 0 + x is not x for x = -0: another pass drops it.
  EXPECT_IR(after_pass("simplify", main_text("(%arg0: tensor<1xf32>, %arg1: tensor<f32>) -> tensor<f32>", R"(
    %0 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.add across dimensions = [0] : (tensor<1xf32>, tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>)")),
            R"(
    CHECK: %[[R:.+]] = stablehlo.reshape %arg0
    CHECK: stablehlo.add %arg1, %[[R]]
    CHECK-NOT: stablehlo.reduce
  )");
}

TEST(Simplify, AReductionOfSeveralElementsStays) {
  EXPECT_IR(after_pass("simplify", main_text("(%arg0: tensor<1x7xf32>) -> tensor<1xf32>", R"(
    %cst = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<1x7xf32>, tensor<f32>) -> tensor<1xf32>
    return %0 : tensor<1xf32>)")),
            "CHECK: stablehlo.reduce");
}

}  // namespace
}  // namespace tenon::passes
