// Sums over few coordinates inside of sums over many points, and results of few coordinates that share most of their
// work: the evaluator's bits for any number of points and coordinates, for all types.
#include "run_both.h"

namespace tenon::cpu {
namespace {

// Forces between n points in m dimensions; %low and %high are the first steps and the last ones.
Module forces(int64_t n, int64_t m, const std::string& element) {
  const std::string N = std::to_string(n), M = std::to_string(m);
  const std::string S = "tensor<" + element + ">", P = "tensor<" + N + "x" + M + "x" + element + ">";
  const std::string D = "tensor<" + N + "x" + N + "x" + element + ">", X = "tensor<" + N + "x" + N + "x" + M + "x" + element + ">";
  return program("(%p: " + P + ") -> " + P, R"(
    %z = stablehlo.constant dense<0.0> : )" + S + R"(
    %soft = stablehlo.constant dense<1.0e-2> : )" + D + R"(
    %to = stablehlo.broadcast_in_dim %p, dims = [1, 2] : ()" + P + ") -> " + X + R"(
    %from = stablehlo.broadcast_in_dim %p, dims = [0, 2] : ()" + P + ") -> " + X + R"(
    %d = stablehlo.subtract %to, %from : )" + X + R"(
    %squares = stablehlo.multiply %d, %d : )" + X + R"(
    %square = stablehlo.reduce(%squares init: %z) applies stablehlo.add across dimensions = [2] : ()" + X + ", " + S + ") -> " + D + R"(
    %softened = stablehlo.add %square, %soft : )" + D + R"(
    %inverse = stablehlo.rsqrt %softened : )" + D + R"(
    %weights = stablehlo.broadcast_in_dim %inverse, dims = [0, 1] : ()" + D + ") -> " + X + R"(
    %weighted = stablehlo.multiply %d, %weights : )" + X + R"(
    %r = stablehlo.reduce(%weighted init: %z) applies stablehlo.add across dimensions = [1] : ()" + X + ", " + S + ") -> " + P + R"(
    return %r : )" + P);
}

void check(int64_t n, int64_t m, const std::string& element = "f32", bool special = false) {
  SCOPED_TRACE(element + ": " + std::to_string(n) + " points in " + std::to_string(m) + " dimensions");
  expect_both_same(forces(n, m, element), {random_tensor(45, {n, m}, DType::parse(element), -3, 3, special)});
}

TEST(Points, AnyNumberOfPointsAndCoordinates) {
  for (int64_t n : {0, 1, 7, 8, 9, 16, 31, 33, 300})
    for (int64_t m : {1, 2, 3}) check(n, m);
  for (int64_t m : {0, 4, 5, 8, 9, 17}) check(40, m);
}

TEST(Points, EveryType) {
  for (const char* element : {"f64", "bf16", "f16"}) {
    check(35, 3, element);
    check(35, 3, element, true);
  }
  check(35, 3, "f32", true);
}

// The distances alone, reduced in other directions.
TEST(Points, ReducedAlongEitherAxisAndWhole) {
  const char* results[] = {"[0] : (tensor<70x70xf32>, tensor<f32>) -> tensor<70xf32>", "[1] : (tensor<70x70xf32>, tensor<f32>) -> tensor<70xf32>",
                           "[0, 1] : (tensor<70x70xf32>, tensor<f32>) -> tensor<f32>"};
  for (const char* result : results) {
    SCOPED_TRACE(result);
    const std::string text(result), type = text.substr(text.rfind(' ') + 1);
    expect_both_same(program("(%x: tensor<70x70x3xf32>) -> " + type, R"(
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %squares = stablehlo.multiply %x, %x : tensor<70x70x3xf32>
    %square = stablehlo.reduce(%squares init: %z) applies stablehlo.add across dimensions = [2] : (tensor<70x70x3xf32>, tensor<f32>) -> tensor<70x70xf32>
    %distance = stablehlo.sqrt %square : tensor<70x70xf32>
    %r = stablehlo.reduce(%distance init: %z) applies stablehlo.add across dimensions = )" + text + "\n    return %r : " + type),
                     {random_tensor(46, {70, 70, 3}, DType(DType::kFloat32), -3, 3)});
  }
}

}  // namespace
}  // namespace tenon::cpu
