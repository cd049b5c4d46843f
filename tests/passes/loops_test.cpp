// Loops and branches in the pipeline: what does not change is not carried; places of carried values; kernels.
#include "ir_text.h"

namespace tenon::passes {
namespace {

TEST(SimplifyLoops, WhatStaysIsReadFromOutside) {
  EXPECT_IR(after_pass("simplify-loops", main_text("(%w: tensor<4x4xf32>, %x: tensor<4x4xf32>) -> tensor<4x4xf32>", R"(
    %0:2 = stablehlo.while(%a = %w, %b = %x) : tensor<4x4xf32>, tensor<4x4xf32>
    cond {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %s = stablehlo.reduce(%b init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<f32>
      %c = stablehlo.compare GT, %s, %zero, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %d = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      stablehlo.return %a, %d : tensor<4x4xf32>, tensor<4x4xf32>
    }
    return %0#1 : tensor<4x4xf32>)")),
            R"(
    CHECK: %[[W:.+]]: tensor<4x4xf32>, %[[X:.+]]: tensor<4x4xf32>
    CHECK: stablehlo.while(%[[B:.+]] = %[[X]]) : tensor<4x4xf32>
    CHECK: stablehlo.dot_general %[[W]], %[[B]]
    CHECK: stablehlo.return %{{.+}} : tensor<4x4xf32>
  )");
}

// A sum of the rows: the counter, the running row and all rows have one place each; rows are written in place.
TEST(AssignBuffers, ALoopCarriesInPlace) {
  EXPECT_IR(optimized(main_text("(%x: tensor<100x8xf32>) -> tensor<100x8xf32>", R"(
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %row = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %rows = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<100x8xf32>
    %i0 = stablehlo.constant dense<0> : tensor<i32>
    %0:3 = stablehlo.while(%i = %i0, %c = %row, %ys = %rows) : tensor<i32>, tensor<8xf32>, tensor<100x8xf32>
    cond {
      %n = stablehlo.constant dense<100> : tensor<i32>
      %less = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %less : tensor<i1>
    } do {
      %k = stablehlo.constant dense<0> : tensor<i32>
      %t = stablehlo.dynamic_slice %x, %i, %k, sizes = [1, 8] : (tensor<100x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x8xf32>
      %t1 = stablehlo.reshape %t : (tensor<1x8xf32>) -> tensor<8xf32>
      %s = stablehlo.add %c, %t1 : tensor<8xf32>
      %s1 = stablehlo.reshape %s : (tensor<8xf32>) -> tensor<1x8xf32>
      %u = stablehlo.dynamic_update_slice %ys, %s1, %i, %k : (tensor<100x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<100x8xf32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %s, %u : tensor<i32>, tensor<8xf32>, tensor<100x8xf32>
    }
    return %0#2 : tensor<100x8xf32>)")).str(),
            R"(
    CHECK: stablehlo.while
    CHECK-NOT: tenon.copy
    CHECK: stablehlo.dynamic_update_slice {{.*}}#tenon.buffer<output, 0, 0>
    CHECK-NOT: tenon.copy
    CHECK: stablehlo.return
  )");
}

// Two arrays that change places need one copy each.
TEST(AssignBuffers, CarriedValuesThatChangePlacesAreCopied) {
  const std::string text = optimized(main_text("(%x: tensor<64xf32>, %y: tensor<64xf32>, %n: tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>)", R"(
    %0:2 = stablehlo.while(%a = %x, %b = %y) : tensor<64xf32>, tensor<64xf32>
    cond {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %s = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<64xf32>, tensor<f32>) -> tensor<f32>
      %c = stablehlo.compare LT, %s, %n, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      stablehlo.return %b, %a : tensor<64xf32>, tensor<64xf32>
    }
    return %0#0, %0#1 : tensor<64xf32>, tensor<64xf32>)")).str();
  EXPECT_IR(text, R"(
    CHECK: do {
    CHECK-COUNT-3: tenon.copy
    CHECK: stablehlo.return
  )");
}

// It would take minutes.
TEST(FoldConstants, LoopsAreNotRun) {
  EXPECT_IR(after_pass("fold-constants", main_text("() -> tensor<i32>", R"(
    %i0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.while(%i = %i0) : tensor<i32>
    cond {
      %n = stablehlo.constant dense<2000000000> : tensor<i32>
      %less = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %less : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j : tensor<i32>
    }
    return %0 : tensor<i32>)")),
            "CHECK: stablehlo.while");
}

TEST(Fusion, ALoopForEachElementIsOneKernel) {
  EXPECT_IR(optimized(main_text("(%x: tensor<64xf32>) -> tensor<64xf32>", R"(
    %i0 = stablehlo.constant dense<0> : tensor<i32>
    %e = stablehlo.exponential %x : tensor<64xf32>
    %0:2 = stablehlo.while(%i = %i0, %v = %e) : tensor<i32>, tensor<64xf32>
    cond {
      %n = stablehlo.constant dense<1000> : tensor<i32>
      %less = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %less : tensor<i1>
    } do {
      %half = stablehlo.constant dense<0.5> : tensor<f32>
      %h = stablehlo.broadcast_in_dim %half, dims = [] : (tensor<f32>) -> tensor<64xf32>
      %w = stablehlo.multiply %v, %h : tensor<64xf32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %w : tensor<i32>, tensor<64xf32>
    }
    return %0#1 : tensor<64xf32>)")).str(),
            R"(
    CHECK: tenon.fusion
    CHECK: stablehlo.exponential
    CHECK: stablehlo.while
    CHECK: stablehlo.multiply
    CHECK: tenon.yield
    CHECK-NOT: stablehlo.while
  )");
}

}  // namespace
}  // namespace tenon::passes
