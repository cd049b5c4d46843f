#include "ir_text.h"

namespace tenon::passes {
namespace {

std::string assigned(std::string_view signature, std::string_view body, PipelineOptions options = {}) {
  options.disable_passes = "fusion";
  return optimized(main_text(signature, body), options).str();
}

TEST(AssignBuffers, IntermediatesLiveInTheResult) {
  EXPECT_IR(assigned("(%arg0: tensor<64xf32>) -> tensor<64xf32>", R"(
    %0 = stablehlo.log %arg0 : tensor<64xf32>
    %1 = stablehlo.sine %0 : tensor<64xf32>
    %2 = stablehlo.exponential %1 : tensor<64xf32>
    return %2 : tensor<64xf32>)"),
            R"(
    CHECK: tenon.temp_size_bytes = 0 : i64
    CHECK-COUNT-3: #tenon.buffer<output, 0, 0>
    CHECK: return
  )");
}

TEST(AssignBuffers, ATransposeDoesNotOverwriteWhatItReads) {
  EXPECT_IR(assigned("(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32>", R"(
    %0 = stablehlo.log %arg0 : tensor<8x8xf32>
    %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
    return %1 : tensor<8x8xf32>)"),
            R"(
    CHECK: tenon.temp_size_bytes = 256 : i64
    CHECK: #tenon.buffer<temp, 0, 0>
    CHECK: #tenon.buffer<output, 0, 0>
  )");
}

TEST(AssignBuffers, AValueReadLaterIsKept) {  // %0 is read after %1 is written
  EXPECT_IR(assigned("(%arg0: tensor<64xf32>) -> tensor<64xf32>", R"(
    %0 = stablehlo.log %arg0 : tensor<64xf32>
    %1 = stablehlo.sine %0 : tensor<64xf32>
    %2 = stablehlo.add %0, %1 : tensor<64xf32>
    return %2 : tensor<64xf32>)"),
            "CHECK: tenon.temp_size_bytes = 256 : i64");
}

TEST(AssignBuffers, TheArenaIsUsedAgain) {
  EXPECT_IR(assigned("(%arg0: tensor<8x8xf32>) -> tensor<f32>", R"(
    %cst = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %1 = stablehlo.reverse %0, dims = [0] : tensor<8x8xf32>
    %2 = stablehlo.reverse %1, dims = [1] : tensor<8x8xf32>
    %3 = stablehlo.transpose %2, dims = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %4 = stablehlo.sine %3 : tensor<8x8xf32>
    %5 = stablehlo.reduce(%4 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x8xf32>, tensor<f32>) -> tensor<f32>
    return %5 : tensor<f32>)"),
            "CHECK: tenon.temp_size_bytes = 512 : i64");
}

TEST(AssignBuffers, TheLargestTemporaryGetsTheResultsBuffer) {  // not the small one that comes first
  EXPECT_IR(assigned("(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32>", R"(
    %cst = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<8xf32>) -> tensor<8x8xf32>
    %2 = stablehlo.subtract %arg0, %1 : tensor<8x8xf32>
    %3 = stablehlo.exponential %2 : tensor<8x8xf32>
    return %3 : tensor<8x8xf32>)"),
            R"(
    CHECK: tenon.temp_size_bytes = 32 : i64
    CHECK: wrapped_reduce{{.*}}#tenon.buffer<temp, 0, 0>
    CHECK: wrapped_broadcast{{.*}}#tenon.buffer<output, 0, 0>
    CHECK: wrapped_subtract{{.*}}#tenon.buffer<output, 0, 0>
  )");
}

TEST(AssignBuffers, ADonatedArgumentBecomesTheResult) {
  PipelineOptions options;
  options.donated = {true};
  EXPECT_IR(assigned("(%arg0: tensor<64xf32>) -> tensor<64xf32>", R"(
    %0 = stablehlo.sine %arg0 : tensor<64xf32>
    return %0 : tensor<64xf32>)",
                     options),
            "CHECK: #tenon.buffer<argument, 0, 0>");
}

TEST(AssignBuffers, ADonatedArgumentThatIsReadElsewhereIsLeftAlone) {
  PipelineOptions options;
  options.donated = {true};
  EXPECT_IR(assigned("(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32>", R"(
    %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
    return %0 : tensor<8x8xf32>)",
                     options),
            "CHECK: #tenon.buffer<output, 0, 0>");
}

// Each number of values: places stand in a map, which moves when it grows.
// Both histories begin with zeros: one where these are, the other with a copy of them.
TEST(AssignBuffers, OfCarriedValuesThatBeginAlikeOneIsNotCopied) {
  EXPECT_IR(assigned("(%n: tensor<i32>, %x: tensor<4xf32>) -> tensor<f32>", R"(
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %cst = stablehlo.constant dense<0.0> : tensor<f32>
    %x1 = stablehlo.reshape %x : (tensor<4xf32>) -> tensor<1x4xf32>
    %y1 = stablehlo.sine %x1 : tensor<1x4xf32>
    %zeros = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<100x4xf32>
    %r:3 = stablehlo.while(%i = %n, %a = %zeros, %b = %zeros) : tensor<i32>, tensor<100x4xf32>, tensor<100x4xf32> cond {
      %go = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %next = stablehlo.subtract %i, %one : tensor<i32>
      %a1 = stablehlo.dynamic_update_slice %a, %x1, %next, %zero : (tensor<100x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<100x4xf32>
      %b1 = stablehlo.dynamic_update_slice %b, %y1, %next, %zero : (tensor<100x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<100x4xf32>
      stablehlo.return %next, %a1, %b1 : tensor<i32>, tensor<100x4xf32>, tensor<100x4xf32>
    }
    %s = stablehlo.dot_general %r#1, %r#2, contracting_dims = [0, 1] x [0, 1] : (tensor<100x4xf32>, tensor<100x4xf32>) -> tensor<f32>
    return %s : tensor<f32>)"),
            R"(
    CHECK: tenon.temp_size_bytes = {{3[2-9][0-9][0-9]}} : i64
  )");
}

TEST(AssignBuffers, CarriedValuesOfAnyNumberKeepTheirPlaces) {
  PipelineOptions no_passes;
  no_passes.disable_passes = "all";
  for (int count = 1; count <= 70; ++count) {
    const auto list = [&](const char* text) {
      std::string all;
      for (int i = 0; i < count; ++i) {
        std::string one = text;
        for (size_t at; (at = one.find('#')) != std::string::npos;) one.replace(at, 1, std::to_string(i));
        all += (i > 0 ? ", " : "") + one;
      }
      return all;
    };
    std::string body;
    for (int i = 0; i < count; ++i) {
      const std::string k = std::to_string(i);
      body += "      %s" + k + " = stablehlo.sine %c" + k + " : tensor<3xf32>\n";
    }
    const Module module = optimized(main_text("(%n: tensor<i32>, " + list("%a#: tensor<3xf32>") + ") -> tensor<3xf32>",
                                              "    %r:" + std::to_string(count + 1) + " = stablehlo.while(%i = %n, " + list("%c# = %a#") + ") : tensor<i32>, " +
                                                  list("tensor<3xf32>") + R"(
    cond {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %more = stablehlo.compare GT, %i, %zero, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %next = stablehlo.subtract %i, %one : tensor<i32>
)" + body + "      stablehlo.return %next, " + list("%s#") + " : tensor<i32>, " + list("tensor<3xf32>") +
                                                  "\n    }\n    return %r#" + std::to_string(count) + " : tensor<3xf32>"),
                                   no_passes);
    const std::string text = module.str();
    const size_t at = text.find("tenon.temp_size_bytes = ");
    ASSERT_NE(at, std::string::npos);
    // At most the carried values, what a round makes, and the counter.
    EXPECT_LE(std::stoll(text.substr(at + 24)), 64 * (2 * count + 4)) << count;
  }
}

}  // namespace
}  // namespace tenon::passes
