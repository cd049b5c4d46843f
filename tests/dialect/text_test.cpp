// Text: each operation prints as the original prints it, and reads back.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "dialect/module.h"

namespace tenon {
namespace {

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

const std::filesystem::path kFolder = std::filesystem::path(TENON_TEST_DATA) / "dialect" / "text";

// text/NAME.generic.mlir is written by hand; text/NAME.mlir is what the original makes of it
// (tests/oracle/dialect_text.py checks that it still does).
class Text : public ::testing::TestWithParam<const char*> {
 protected:
  const std::string generic = read_file(kFolder / (GetParam() + std::string(".generic.mlir")));
  std::string pretty = read_file(kFolder / (GetParam() + std::string(".mlir")));
};

TEST_P(Text, PrintsAsTheOriginal) {
  ASSERT_FALSE(generic.empty());
  const Module module = Module::parse(generic, GetParam());
  module.verify();
  EXPECT_EQ(module.str(), pretty);
}

TEST_P(Text, ReadsBackWhatItPrints) {
  const Module module = Module::parse(pretty, GetParam());
  EXPECT_EQ(module.str(), pretty);
  EXPECT_EQ(module.clone().str(), pretty);
}

TEST_P(Text, ReadsBackItsGenericForm) {
  const std::string text = Module::parse(pretty, GetParam()).str({.generic = true});
  const Module again = Module::parse(text, GetParam());
  EXPECT_EQ(again.str(), pretty);
  EXPECT_EQ(again.str({.generic = true}), text);
}

TEST_P(Text, KeepsLocations) {
  const std::string text = Module::parse(pretty, GetParam()).str({.debug_info = true});
  EXPECT_EQ(Module::parse(text, "other").str({.debug_info = true}), text);
}

INSTANTIATE_TEST_SUITE_P(Files, Text,
                         ::testing::Values("elementwise_and_data", "control_and_collectives", "reduce", "remaining"),
                         [](const auto& info) { return std::string(info.param); });

TEST(Text, OfOurDialect) {
  const std::string text = R"(module @jit_f attributes {tenon.temp_size_bytes = 0 : i64} {
  func.func public @main(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>) -> tensor<2xf32> {
    %0:2 = tenon.fusion input "add_reduce_fusion"(%p = %arg0, %p_0 = %arg1) : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<2xf32>) attributes {tenon.buffers = [#tenon.buffer<temp, 0, 128>, #tenon.buffer<output, 0, 0>]} {
      %2 = stablehlo.broadcast_in_dim %p_0, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
      %3 = stablehlo.add %p, %2 : tensor<2x3xf32>
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %4 = stablehlo.reduce(%3 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
      tenon.yield %3, %4 : tensor<2x3xf32>, tensor<2xf32>
    }
    %1 = tenon.copy %0#0 : (tensor<2x3xf32>) -> tensor<2x3xf32, #tenon.layout<minor_to_major = [0, 1]>>
    return %0#1 : tensor<2xf32>
  }
}
)";
  const Module module = Module::parse(text, "ours");
  module.verify();
  EXPECT_EQ(module.str(), text);
  EXPECT_EQ(module.name(), "jit_f");
  EXPECT_EQ(Module::parse(module.str({.generic = true}), "ours").str(), text);
}

TEST(Text, OfQuantizedValues) {
  const std::string text = R"(module {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.uniform_quantize %arg0 : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 5.000000e-01:-128>>
    %1 = stablehlo.constant() <{value = dense<1> : tensor<4xi8>}> : () -> tensor<4x!quant.uniform<i8:f32, 5.000000e-01:-128>>
    %2 = stablehlo.add %0, %1 : tensor<4x!quant.uniform<i8:f32, 5.000000e-01:-128>>
    %3 = stablehlo.uniform_dequantize %2 : (tensor<4x!quant.uniform<i8:f32, 5.000000e-01:-128>>) -> tensor<4xf32>
    return %3 : tensor<4xf32>
  }
}
)";
  const Module module = Module::parse(text, "quantized");
  EXPECT_EQ(Module::parse(module.str(), "quantized").str(), module.str());
}

// The original writes a byte for each bool of a large constant, MLIR 22 a bit; both are read, bytes are written.
TEST(Text, OfLargeBoolConstants) {
  std::string bytes, bits;
  for (int i = 0; i < 120; ++i) bytes += i % 3 == 0 ? "01" : "00";
  for (int i = 0; i < 15; ++i) bits += (const char*[]){"49", "92", "24"}[i % 3];
  const auto text = [](const std::string& digits) {
    return "module {\n  func.func @main() -> tensor<3x40xi1> {\n    %c = stablehlo.constant dense<\"0x" + digits +
           "\"> : tensor<3x40xi1>\n    return %c : tensor<3x40xi1>\n  }\n}\n";
  };
  EXPECT_EQ(Module::parse(text(bytes)).str(), text(bytes));
  EXPECT_EQ(Module::parse(text(bits)).str(), text(bytes));
}

// Element types, one each.
TEST(Text, OfEveryElementType) {
  for (const char* type : {"i1", "i2", "i4", "i8", "i16", "i32", "i64", "ui2", "ui4", "ui8", "ui16", "ui32", "ui64",
                           "f4E2M1FN", "f6E2M3FN", "f6E3M2FN", "f8E3M4", "f8E4M3", "f8E4M3FN", "f8E4M3FNUZ",
                           "f8E4M3B11FNUZ", "f8E5M2", "f8E5M2FNUZ", "f8E8M0FNU", "bf16", "f16", "f32", "f64",
                           "complex<f32>", "complex<f64>"}) {
    const std::string text = std::string("module {\n  func.func @main(%arg0: tensor<2x") + type + ">) -> tensor<2x" +
                             type + "> {\n    %0 = stablehlo.add %arg0, %arg0 : tensor<2x" + type +
                             ">\n    return %0 : tensor<2x" + type + ">\n  }\n}\n";
    EXPECT_EQ(Module::parse(text, type).str(), text);
  }
}

}  // namespace
}  // namespace tenon
