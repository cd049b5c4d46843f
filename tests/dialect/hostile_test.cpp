// Malformed text, absurd sizes, deep nesting: a ParseError with the place, never a crash, nothing printed.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "dialect/module.h"
#include "support/expect_error.h"
#include "tenon/error.h"

namespace tenon {
namespace {

std::string repeat(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

TEST(HostileText, NamesFileLineColumnAndFault) {
  EXPECT_ERROR_HAS(ParseError, Module::parse("module {\n  func.func @f( {\n}", "bad.mlir"), "bad.mlir:2:");
  EXPECT_ERROR_HAS(ParseError, Module::parse("hello", "bad.mlir"), "bad.mlir:1:1: ");
  EXPECT_ERROR_HAS(ParseError, Module::parse(R"(func.func @f(%x: tensor<2xf32>) {
  %0 = stablehlo.no_such_op %x : tensor<2xf32>
  return
})", "bad.mlir"),
                   "bad.mlir:2:");
  EXPECT_ERROR_HAS(ParseError, Module::parse("\"other.op\"() : () -> ()", "bad.mlir"), "bad.mlir:1:11: ");
}

TEST(HostileText, IsRefusedWhenItNestsDeeply) {
  const std::string region = "\"stablehlo.case\"(%x) ({\n";
  EXPECT_ERROR(ParseError, Module::parse(repeat("(", 100'000), "deep.mlir"),
               "deep.mlir: brackets nest 100000 deep; at most 256 levels are read");
  EXPECT_ERROR_HAS(ParseError, Module::parse("func.func @f() { " + repeat(region, 5'000), "deep.mlir"), "brackets nest");
  EXPECT_ERROR_HAS(ParseError, Module::parse("module attributes {a = " + repeat("[", 10'000), "deep.mlir"), "brackets nest");
  // Just below the limit, the parser copes.
  EXPECT_ERROR_HAS(ParseError, Module::parse("func.func @f(%x: tensor<i32>) { " + repeat(region, 120), "deep.mlir"), "deep.mlir:");
  EXPECT_ERROR_HAS(ParseError, Module::parse("module attributes {a = " + repeat("[", 250), "deep.mlir"), "deep.mlir:");
  EXPECT_ERROR_HAS(ParseError, Module::parse("func.func private @f(" + repeat("tuple<", 250), "deep.mlir"), "deep.mlir:");
}

TEST(HostileText, WithAbsurdSizesIsRefused) {
  const auto with_type = [](const std::string& type) {
    return "func.func @f(%x: " + type + ") -> " + type + " {\n  return %x : " + type + "\n}";
  };
  EXPECT_ERROR_HAS(ParseError, Module::parse(with_type("tensor<4611686018427387904x4xf32>"), "big.mlir"),
                   "bytes do not fit in 63 bits");
  EXPECT_ERROR_HAS(ParseError, Module::parse(with_type("tensor<99999999999999999999xf32>"), "big.mlir"), "big.mlir:");
  EXPECT_ERROR_HAS(ParseError, Module::parse(with_type("tensor<-3xf32>"), "big.mlir"), "big.mlir:");
  EXPECT_ERROR_HAS(ParseError, Module::parse(with_type("tensor<2xi999>"), "big.mlir"), "of a type that is none of StableHLO's");
  EXPECT_ERROR_HAS(ParseError, Module::parse(with_type("tensor<*xf32>"), "big.mlir"), "of a type that is none of StableHLO's");
  // Large but possible sizes are the business of whoever runs it, and an empty array is small.
  Module::parse(with_type("tensor<1000000x1000000xf32>"), "big.mlir");
  Module::parse(with_type("tensor<0x4611686018427387904x4xf32>"), "big.mlir");
  EXPECT_ERROR_HAS(ParseError, Module::parse("%0 = stablehlo.constant dense<[1, 2]> : tensor<1000000000x3xi32>", "big.mlir"), "big.mlir:");
}

TEST(HostileText, ThatBreaksTheParserIsRefusedBefore) {
  EXPECT_ERROR_HAS(ParseError, Module::parse("%r = \"stablehlo.dynamic_broadcast_in_dim\"(%a, %o) { y = array< index: 0>", "x.mlir"), "array<index");
  EXPECT_ERROR_HAS(ParseError, Module::parse("%2 = stablehlo.compare LT, %0#0, %0#1000000000 : (tensor<i64>, tensor<i64>) -> tensor<i1>", "x.mlir"),
                   "more than 6 digits");
  std::string type = "tensor<";
  for (int i = 0; i < 1000; ++i) type += "1x";
  type += "f32>";
  EXPECT_ERROR_HAS(ParseError, Module::parse("func.func @f(%x: " + type + ") -> " + type + " {\n  return %x : " + type + "\n}", "x.mlir"),
                   "more than 256 dimensions");
}

TEST(HostileText, ThatIsNoText) {
  EXPECT_ERROR(ParseError, Module::parse(std::string_view("ML\xefR\x0d\x01\x00\x00\xff\xff", 10), "code.mlir"),
               "code.mlir: this is bytecode, not text");
  EXPECT_ERROR(ParseError, Module::parse(std::string_view("module {\0}", 10), "zero.mlir"),
               "zero.mlir: a NUL byte at 8; this is not text");
  EXPECT_ERROR_HAS(ParseError, Module::parse("module { \xff\xfe }", "bytes.mlir"), "bytes.mlir:");
  EXPECT_EQ(Module::parse("", "empty.mlir").str(), "module {\n}\n");
}

// Many small mutations of good text: whatever comes, it is a module or a ParseError.
TEST(HostileText, MutationsNeverCrash) {
  uint64_t state = 1;
  const auto random = [&](size_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<size_t>((state >> 33) % below);
  };
  const std::filesystem::path folder = std::filesystem::path(TENON_TEST_DATA) / "dialect" / "text";
  std::vector<std::string> lines;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) lines.push_back(line);
  }
  std::sort(lines.begin(), lines.end());
  ASSERT_GT(lines.size(), 100u);
  int good = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string text = "func.func @f(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>, %arg2: tensor<f32>, %arg3: tensor<i32>) {\n";
    for (int i = 0; i < 3; ++i) text += lines[random(lines.size())] + "\n";
    text += "  return\n}\n";
    for (size_t i = random(4); i-- > 0;) {
      const size_t at = random(text.size());
      switch (random(5)) {
        case 0: text.erase(at, 1 + random(6)); break;
        case 1: text.insert(at, text.substr(random(text.size()), random(12))); break;
        case 2: text[at] = "[](){}<>=:,%#@!\"0-9xf?"[random(22)]; break;
        case 3: text.insert(at, std::to_string(static_cast<int64_t>(state))); break;
        case 4: text[at] = static_cast<char>(random(256)); break;
      }
    }
    try {
      (void)Module::parse(text, "mutant.mlir").str();
      ++good;
    } catch (const ParseError&) {
    }
  }
  EXPECT_GT(good, 0);
}

}  // namespace
}  // namespace tenon
