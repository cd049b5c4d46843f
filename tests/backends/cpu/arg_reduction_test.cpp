// argmax and argmin: the first of equals and the first NaN, along rows and columns of every length.
#include "run_both.h"

namespace tenon::cpu {
namespace {

struct ArgCase {
  Shape in;
  int dim;
  bool is_maximum = true;
  std::string value = "f32", index = "i32";
};

std::string tensor(const Shape& shape, const std::string& element) {
  std::string text = "tensor<";
  for (int64_t d : shape) text += std::to_string(d) + "x";
  return text + element + ">";
}

std::string worst(const ArgCase& c) {
  if (c.value == "i32") return c.is_maximum ? "-2147483648" : "2147483647";
  if (c.value == "f64") return c.is_maximum ? "0xFFF0000000000000" : "0x7FF0000000000000";
  return c.is_maximum ? "0xFF800000" : "0x7F800000";
}

// As JAX lowers it; returns the index, and the value when asked.
Module arg_program(const ArgCase& c, bool with_value) {
  Shape out;
  for (int d = 0; d < c.in.ndim(); ++d) {
    if (d != c.dim) out.push_back(c.in[d]);
  }
  const bool is_float = c.value[0] == 'f';
  const std::pair<std::string, std::string> words[] = {
      {"$X", tensor(c.in, c.value)},   {"$I", tensor(c.in, c.index)},
      {"$R", tensor(out, c.value)},    {"$J", tensor(out, c.index)},
      {"$v", tensor({}, c.value)},     {"$i", tensor({}, c.index)},
      {"$D", std::to_string(c.dim)},   {"$W", worst(c)},
      {"$G", c.is_maximum ? "GT" : "LT"}, {"$F", is_float ? "FLOAT" : "SIGNED"},
      {"$U", c.index[0] == 'u' ? "UNSIGNED" : "SIGNED"},
      {"$N", is_float ? "%2 = stablehlo.compare NE, %a, %a, FLOAT : (" + tensor({}, c.value) + ", " + tensor({}, c.value) +
                            ") -> tensor<i1>\n        %3 = stablehlo.or %1, %2 : tensor<i1>"
                      : ""},
      {"$P", is_float ? "%3" : "%1"},
  };
  std::string text = R"(
      %v = stablehlo.constant dense<$W> : $v
      %n = stablehlo.constant dense<0> : $i
      %iota = stablehlo.iota dim = $D : $I
      %0:2 = stablehlo.reduce(%x init: %v), (%iota init: %n) across dimensions = [$D] : ($X, $I, $v, $i) -> ($R, $J)
      reducer(%a: $v, %c: $v) (%b: $i, %d: $i) {
        %1 = stablehlo.compare $G, %a, %c, $F : ($v, $v) -> tensor<i1>
        $N
        %4 = stablehlo.compare EQ, %a, %c, $F : ($v, $v) -> tensor<i1>
        %5 = stablehlo.compare LT, %b, %d, $U : ($i, $i) -> tensor<i1>
        %6 = stablehlo.and %4, %5 : tensor<i1>
        %7 = stablehlo.or $P, %6 : tensor<i1>
        %8 = stablehlo.select $P, %a, %c : tensor<i1>, $v
        %9 = stablehlo.select %7, %b, %d : tensor<i1>, $i
        stablehlo.return %8, %9 : $v, $i
      }
      return )";
  text += with_value ? "%0#0, %0#1 : $R, $J" : "%0#1 : $J";
  std::string signature = with_value ? "(%x: $X) -> ($R, $J)" : "(%x: $X) -> $J";
  for (std::string* part : {&text, &signature}) {
    for (size_t at = part->find('$'); at != std::string::npos; at = part->find('$')) {
      const auto word = std::ranges::find(words, part->substr(at, 2), &std::pair<std::string, std::string>::first);
      part->replace(at, 2, word->second);
    }
  }
  return program(signature, text);
}

// With equal values, NaN, infinities and zeros of both signs.
void check(const ArgCase& c) {
  SCOPED_TRACE(tensor(c.in, c.value) + " axis " + std::to_string(c.dim) + (c.is_maximum ? " max" : " min") + " index " + c.index);
  const DType dtype = DType::parse(c.value);
  expect_both_same(arg_program(c, false), {random_tensor(38, c.in, dtype, -4, 4, true)});
}

TEST(ArgReduction, AlongRowsAndColumns) {
  for (auto [n, m] : {std::pair{1, 1}, {3, 5}, {17, 16}, {4, 40}, {40, 70}, {2, 5000}, {700, 70}}) {
    for (int dim : {0, 1}) check({{n, m}, dim, (n + dim) % 2 == 0});
  }
  check({{9000}, 0});
  check({{3, 40, 5}, 1});
  check({{3, 4, 50}, 2});
}

TEST(ArgReduction, OtherTypes) {
  for (int dim : {0, 1}) {
    check({{40, 70}, dim, true, "f64"});
    check({{40, 70}, dim, false, "i32"});
    check({{40, 70}, dim, true, "f32", "ui32"});
    check({{40, 70}, dim, true, "f32", "i64"});
    check({{40, 70}, dim, true, "f32", "ui8"});
  }
}

// Of equals the value is the last: a zero of either sign.
TEST(ArgReduction, WithTheValue) {
  for (int dim : {0, 1}) {
    for (const char* value : {"f32", "i32"}) {
      expect_both_same(arg_program({{60, 70}, dim, true, value}, true), {random_tensor(38, {60, 70}, DType::parse(value), -4, 0, true)});
    }
  }
}

// Nothing is better than what an accumulator starts with.
TEST(ArgReduction, OfTheWorstValueOnly) {
  for (const char* index : {"i32", "ui32"}) {
    for (auto [n, m] : {std::pair{1, 7}, {40, 70}, {2, 5000}, {300, 70}}) {
      for (int dim : {0, 1}) {
        SCOPED_TRACE(std::to_string(n) + "x" + std::to_string(m) + " axis " + std::to_string(dim) + " index " + index);
        Tensor x(Aval{{n, m}, DType(DType::kFloat32)});
        auto* values = static_cast<float*>(x.mutable_data());
        std::fill(values, values + n * m, -INFINITY);
        expect_both_same(arg_program({{n, m}, dim, true, "f32", index}, false), {x});
      }
    }
  }
}

}  // namespace
}  // namespace tenon::cpu
