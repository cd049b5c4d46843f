#include "evaluator/fold.h"

#include <gtest/gtest.h>

#include "dialect/module_impl.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tenon::evaluator {
namespace {

/// Folds the last operation of @main, whose operands are results of constants, and prints the result.
std::string folded(const std::string& body) {
  const Module module = Module::parse("func.func @main() -> () {\n" + body + "\n  return\n}");
  mlir::func::FuncOp main = module_op(module).lookupSymbol<mlir::func::FuncOp>("main");
  mlir::Operation* op = main.getBody().front().getTerminator()->getPrevNode();
  llvm::SmallVector<mlir::ElementsAttr> operands;
  for (mlir::Value operand : op->getOperands()) {
    auto value = operand.getDefiningOp() ? operand.getDefiningOp()->getAttrOfType<mlir::ElementsAttr>("value") : nullptr;
    if (value) operands.push_back(value);
  }
  llvm::SmallVector<mlir::DenseElementsAttr> results;
  if (!fold(op, operands, results)) return "no";
  std::string text;
  llvm::raw_string_ostream out(text);
  llvm::interleaveComma(results, out);
  return text;
}

TEST(Fold, Elementwise) {
  EXPECT_EQ(folded(R"(
  %a = stablehlo.constant dense<[1.0, -2.0]> : tensor<2xf32>
  %b = stablehlo.negate %a : tensor<2xf32>)"), "dense<[-1.000000e+00, 2.000000e+00]> : tensor<2xf32>");
}

TEST(Fold, SplatsStaySplats) {
  EXPECT_EQ(folded(R"(
  %a = stablehlo.constant dense<3> : tensor<1000000x1000000xi32>
  %b = stablehlo.add %a, %a : tensor<1000000x1000000xi32>)"), "dense<6> : tensor<1000000x1000000xi32>");
}

TEST(Fold, BoolsAreBits) {
  EXPECT_EQ(folded(R"(
  %a = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %b = stablehlo.constant dense<2> : tensor<3xi32>
  %c = stablehlo.compare LT, %a, %b, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>)"),
            "dense<[true, false, false]> : tensor<3xi1>");
}

TEST(Fold, MovesAndReduces) {
  EXPECT_EQ(folded(R"(
  %a = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %b = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x2xi32>) -> tensor<2x2xi32>)"),
            "dense<[[1, 3], [2, 4]]> : tensor<2x2xi32>");
  EXPECT_EQ(folded(R"(
  %a = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %b = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] : (tensor<2x2xi32>, tensor<i32>) -> tensor<2xi32>)"),
            "dense<[3, 7]> : tensor<2xi32>");
}

TEST(Fold, RefusesEffectsAndTheUnknown) {
  EXPECT_EQ(folded(R"(
  %a = stablehlo.constant dense<1.0> : tensor<4xf32>
  %b = stablehlo.custom_call @f(%a) {has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>)"), "no");
  EXPECT_EQ(folded(R"(
  %a = stablehlo.constant dense<1.0> : tensor<2x2xf32>
  %b = stablehlo.cholesky %a : tensor<2x2xf32>)"), "no");
}

}  // namespace
}  // namespace tenon::evaluator
