#include "ir_text.h"
#include "tenon/error.h"

namespace tenon::passes {
namespace {

TEST(InlineCalls, NestedCallsVanish) {
  EXPECT_IR(after_pass("inline-calls", R"(
module @jit_f {
  func.func public @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = call @outer(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = call @inner(%0) : (tensor<4xf32>) -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
  func.func private @outer(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = call @inner(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = stablehlo.cosine %0 : tensor<4xf32>
    return %1 : tensor<4xf32>
  }
  func.func private @inner(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.sine %arg0 : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
})"),
            R"(
    CHECK: %[[A:.+]] = stablehlo.sine %arg0
    CHECK-NEXT: %[[B:.+]] = stablehlo.cosine %[[A]]
    CHECK-NEXT: %[[C:.+]] = stablehlo.sine %[[B]]
    CHECK-NEXT: return %[[C]]
    CHECK-NOT: func.func
  )");
}

TEST(InlineCalls, ACalleeMayReturnItsArgument) {
  EXPECT_IR(after_pass("inline-calls", R"(
module @jit_f {
  func.func public @main(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %0:2 = call @swap(%arg0, %arg1) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
  }
  func.func private @swap(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    return %arg1, %arg0 : tensor<4xf32>, tensor<4xf32>
  }
})"),
            "CHECK: return %arg1, %arg0");
}

TEST(InlineCalls, NestedRepeatedCallsStayLinear) {  // Fibonacci: f(n) calls f(n-1) and f(n-2)
  std::string text = R"(
module @jit_f {
  func.func public @main(%arg0: tensor<f32>) -> tensor<f32> {
    %0 = call @f60(%arg0) : (tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @f0(%arg0: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.sine %arg0 : tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @f1(%arg0: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.cosine %arg0 : tensor<f32>
    return %0 : tensor<f32>
  }
)";
  for (int n = 2; n <= 60; ++n) {
    text += "  func.func private @f" + std::to_string(n) + "(%arg0: tensor<f32>) -> tensor<f32> {\n    %0 = call @f" + std::to_string(n - 1) +
            "(%arg0) : (tensor<f32>) -> tensor<f32>\n    %1 = call @f" + std::to_string(n - 2) +
            "(%arg0) : (tensor<f32>) -> tensor<f32>\n    %2 = stablehlo.add %0, %1 : tensor<f32>\n    return %2 : tensor<f32>\n  }\n";
  }
  EXPECT_LT(after_pass("inline-calls", text + "}\n").size(), 10000u);
}

TEST(InlineCalls, CallsInLoopsVanish) {
  EXPECT_IR(after_pass("inline-calls", R"(
module @jit_f {
  func.func public @main(%arg0: tensor<4xf32>, %arg1: tensor<i32>) -> tensor<4xf32> {
    %c = stablehlo.constant dense<3> : tensor<i32>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %arg1) : tensor<4xf32>, tensor<i32>
    cond {
      %1 = func.call @below(%iterArg_0, %c) : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = func.call @outer(%iterArg) : (tensor<4xf32>) -> tensor<4xf32>
      %2 = stablehlo.add %iterArg_0, %c_0 : tensor<i32>
      stablehlo.return %1, %2 : tensor<4xf32>, tensor<i32>
    }
    return %0#0 : tensor<4xf32>
  }
  func.func private @below(%arg0: tensor<i32>, %arg1: tensor<i32>) -> tensor<i1> {
    %0 = stablehlo.compare LT, %arg0, %arg1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    return %0 : tensor<i1>
  }
  func.func private @outer(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = call @inner(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = call @inner(%0) : (tensor<4xf32>) -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
  func.func private @inner(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.sine %arg0 : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
})"),
            R"(
    CHECK: stablehlo.while
    CHECK: stablehlo.compare LT
    CHECK: %[[A:.+]] = stablehlo.sine
    CHECK-NEXT: %[[B:.+]] = stablehlo.sine %[[A]]
    CHECK: stablehlo.return %[[B]]
    CHECK-NOT: call
    CHECK-NOT: func.func
  )");
}

TEST(MergeDuplicates, EqualOperationsWithEqualBodies) {
  EXPECT_IR(after_pass("merge-duplicates", main_text("(%arg0: tensor<4x4xf32>) -> tensor<4xf32>", R"(
    %cst = stablehlo.constant dense<0.0> : tensor<f32>
    %cst_0 = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
    %1 = stablehlo.reduce(%arg0 init: %cst_0) applies stablehlo.add across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
    %2 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
    %3 = stablehlo.add %0, %1 : tensor<4xf32>
    %4 = stablehlo.add %3, %2 : tensor<4xf32>
    return %4 : tensor<4xf32>)")),
            R"(
    CHECK: %[[R:.+]] = stablehlo.reduce
    CHECK: stablehlo.reduce
    CHECK-NOT: stablehlo.reduce
    CHECK: stablehlo.add %[[R]], %[[R]]
  )");
}

TEST(MergeDuplicates, BarriersKeepValuesApart) {
  EXPECT_IR(after_pass("merge-duplicates", main_text("(%arg0: tensor<4xf32>) -> tensor<4xf32>", R"(
    %0 = stablehlo.optimization_barrier %arg0 : tensor<4xf32>
    %1 = stablehlo.optimization_barrier %arg0 : tensor<4xf32>
    %2 = stablehlo.add %0, %1 : tensor<4xf32>
    return %2 : tensor<4xf32>)")),
            "CHECK-COUNT-2: optimization_barrier");
}

TEST(Inline, CallsWithoutEndAreRefused) {
  std::string text = "module @jit_f {\n  func.func public @main(%x: tensor<f32>) -> tensor<f32> {\n    %0 = call @f0(%x) : (tensor<f32>) -> tensor<f32>\n"
                     "    return %0 : tensor<f32>\n  }\n";
  for (int i = 0; i < 40; ++i) {
    const std::string next = "@f" + std::to_string(i + 1);
    text += "  func.func private @f" + std::to_string(i) + "(%x: tensor<f32>) -> tensor<f32> {\n    %0 = call " + next +
            "(%x) : (tensor<f32>) -> tensor<f32>\n    %1 = call " + next + "(%0) : (tensor<f32>) -> tensor<f32>\n    return %1 : tensor<f32>\n  }\n";
  }
  text += "  func.func private @f40(%x: tensor<f32>) -> tensor<f32> {\n    %0 = stablehlo.negate %x : tensor<f32>\n    return %0 : tensor<f32>\n  }\n}\n";
  EXPECT_THROW(after_pass("inline-calls", text), CompileError);

  EXPECT_THROW(after_pass("inline-calls", main_text("(%x: tensor<f32>) -> tensor<f32>", R"(
    %0 = func.call @main(%x) : (tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>)")), CompileError);

  EXPECT_THROW(after_pass("inline-calls", R"(
module @jit_f {
  func.func public @main(%x: tensor<f32>) -> tensor<f32> {
    %0 = call @f(%x) : (tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @f(%x: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.while(%y = %x) : tensor<f32>
    cond {
      %1 = stablehlo.compare NE, %y, %y, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = func.call @f(%y) : (tensor<f32>) -> tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }
    return %0 : tensor<f32>
  }
})"), CompileError);
}

TEST(BindChecks, ChecksAreCallsOfTheHost) {
  EXPECT_IR(after_pass("bind-checks", main_text("(%arg0: tensor<2xf32>)", R"(
    %0 = stablehlo.sine %arg0 : tensor<2xf32>
    check.expect_close %0, %arg0 : tensor<2xf32>, tensor<2xf32>
    stablehlo.custom_call @check.expect_eq(%0, %arg0) {has_side_effect = true} : (tensor<2xf32>, tensor<2xf32>) -> ()
    return)")),
            R"(
    CHECK-NOT: check.
    CHECK: stablehlo.custom_call @tenon_host_call(%0, %arg0) {{.*}}has_side_effect = true
    CHECK: stablehlo.custom_call @tenon_host_call(%0, %arg0) {{.*}}has_side_effect = true
    CHECK-NEXT: return
  )");
}

}  // namespace
}  // namespace tenon::passes
