// Values, dtypes and shapes of single operations.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "math/reduction_order.h"
#include "programs.h"
#include "tenon/error.h"

namespace tenon::evaluator {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
const float kNaN = std::nanf("");

Tensor floats(const Shape& shape, const std::vector<float>& values) { return Tensor::of(shape, values); }
Tensor ints(const Shape& shape, const std::vector<std::int32_t>& values) { return Tensor::of(shape, values); }

std::vector<float> unary(const std::string& op, const std::vector<float>& x) {
  const std::string type = "tensor<" + std::to_string(x.size()) + "xf32>";
  return to_vector<float>(run_op("(%a: " + type + ") -> " + type, "stablehlo." + op + " %a : " + type,
                                 {floats({static_cast<std::int64_t>(x.size())}, x)})[0]);
}
template <class T>
std::vector<T> binary(const std::string& op, const std::string& element, const std::vector<T>& a, const std::vector<T>& b) {
  const std::string type = "tensor<" + std::to_string(a.size()) + "x" + element + ">";
  const Shape shape{static_cast<std::int64_t>(a.size())};
  return to_vector<T>(run_op("(%a: " + type + ", %b: " + type + ") -> " + type,
                             "stablehlo." + op + " %a, %b : " + type, {Tensor::of(shape, a), Tensor::of(shape, b)})[0]);
}

TEST(Elementwise, FloatSpecialValues) {
  EXPECT_EQ(unary("exponential", {0, -kInf, kInf, -200}), (std::vector<float>{1, 0, kInf, 0}));
  EXPECT_EQ(unary("log", {1, 0, kInf}), (std::vector<float>{0, -kInf, kInf}));
  EXPECT_TRUE(std::isnan(unary("log", {-1})[0]));
  EXPECT_TRUE(std::signbit(unary("sine", {-0.0f})[0]));
  EXPECT_TRUE(std::isnan(unary("cosine", {kInf})[0]));
  EXPECT_EQ(unary("tanh", {kInf, -kInf, 100}), (std::vector<float>{1, -1, 1}));
  EXPECT_EQ(unary("floor", {-0.5f, 2.5f, 1e10f}), (std::vector<float>{-1, 2, 1e10f}));
  EXPECT_EQ(unary("ceil", {-1.5f, 2.5f}), (std::vector<float>{-1, 3}));
  EXPECT_EQ(unary("round_nearest_even", {0.5f, 1.5f, 2.5f, -0.5f}), (std::vector<float>{0, 2, 2, -0.0f}));
  EXPECT_EQ(unary("round_nearest_afz", {0.5f, -2.5f, 0.49999997f}), (std::vector<float>{1, -3, 0}));
  EXPECT_EQ(unary("sign", {-3, 0, 5}), (std::vector<float>{-1, 0, 1}));
  EXPECT_EQ(unary("rsqrt", {4, 0, -0.0f}), (std::vector<float>{0.5f, kInf, -kInf}));
}

TEST(Elementwise, MaximumMinimum) {
  EXPECT_TRUE(std::isnan(binary<float>("maximum", "f32", {kNaN}, {1})[0]));
  EXPECT_TRUE(std::isnan(binary<float>("minimum", "f32", {1}, {kNaN})[0]));
  EXPECT_FALSE(std::signbit(binary<float>("maximum", "f32", {-0.0f}, {0})[0]));
}

TEST(Elementwise, IntegersWrapAndDivideAsXla) {
  constexpr std::int32_t lowest = std::numeric_limits<std::int32_t>::lowest();
  using V = std::vector<std::int32_t>;
  EXPECT_EQ(binary<std::int32_t>("add", "i32", {2147483647}, {1}), V{lowest});
  EXPECT_EQ(binary<std::int32_t>("divide", "i32", {7, lowest, -7}, {0, -1, 2}), (V{-1, lowest, -3}));
  EXPECT_EQ(binary<std::int32_t>("remainder", "i32", {7, lowest, -7}, {0, -1, 2}), (V{7, 0, -1}));
  EXPECT_EQ(binary<std::int32_t>("shift_left", "i32", {1, 1}, {31, 32}), (V{lowest, 0}));
  EXPECT_EQ(binary<std::int32_t>("power", "i32", {3, -1}, {3, -3}), (V{27, -1}));
}

TEST(Elementwise, Booleans) {
  const Tensor a = Tensor::of<bool>({4}, {false, false, true, true}), b = Tensor::of<bool>({4}, {false, true, false, true});
  const std::string signature = "(%a: tensor<4xi1>, %b: tensor<4xi1>) -> tensor<4xi1>";
  using V = std::vector<bool>;
  EXPECT_EQ(to_vector<bool>(run_op(signature, "stablehlo.and %a, %b : tensor<4xi1>", {a, b})[0]), (V{0, 0, 0, 1}));
  EXPECT_EQ(to_vector<bool>(run_op(signature, "stablehlo.xor %a, %b : tensor<4xi1>", {a, b})[0]), (V{0, 1, 1, 0}));
  EXPECT_EQ(to_vector<bool>(run_op(signature, "stablehlo.add %a, %b : tensor<4xi1>", {a, b})[0]), (V{0, 1, 1, 1}));
}

TEST(Elementwise, SelectTakesAScalarPredicate) {
  const auto r = run_op("(%p: tensor<i1>, %a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<3xf32>",
                        "stablehlo.select %p, %a, %b : tensor<i1>, tensor<3xf32>",
                        {Tensor::of<bool>({}, {false}), floats({3}, {1, 2, 3}), floats({3}, {4, 5, 6})});
  EXPECT_EQ(to_vector<float>(r[0]), (std::vector<float>{4, 5, 6}));
}

TEST(Elementwise, CompareOrdersNaN) {
  const auto compare = [](const std::string& kind) {
    return to_vector<bool>(run_op("(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<3xi1>",
                                  "stablehlo.compare " + kind + " : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>",
                                  {floats({3}, {kNaN, -0.0f, 1}), floats({3}, {kNaN, 0, 2})})[0]);
  };
  using V = std::vector<bool>;
  EXPECT_EQ(compare("EQ, %a, %b, FLOAT"), (V{0, 1, 0}));
  EXPECT_EQ(compare("NE, %a, %b"), (V{1, 0, 1}));
  EXPECT_EQ(compare("LT, %a, %b, TOTALORDER"), (V{0, 1, 1}));
  EXPECT_EQ(compare("EQ, %a, %b, TOTALORDER"), (V{1, 0, 0}));
}

TEST(Elementwise, EmptyAndOddSizes) {
  EXPECT_TRUE(unary("exponential", {}).empty());
  for (int n : {1, 3, 7, 8, 9, 15, 16, 17, 31, 33}) {
    std::vector<float> x(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) x[static_cast<std::size_t>(i)] = 0.37f * static_cast<float>(i) - 2;
    const std::vector<float> y = unary("sine", x);
    for (int i = 0; i < n; ++i) EXPECT_EQ(y[static_cast<std::size_t>(i)], unary("sine", {x[static_cast<std::size_t>(i)]})[0]);
  }
}

TEST(Elementwise, StretchesWithAHugeArgumentAreNotDifferent) {
  std::vector<float> x = {};
  for (int i = 0; i < 300; ++i) x.push_back(0.7f * static_cast<float>(i));
  x[70] = 1e30f;
  x[299] = -kInf;
  for (const char* op : {"sine", "cosine", "tan"}) {
    const std::vector<float> y = unary(op, x);
    for (std::size_t i = 0; i < x.size(); i += i < 64 ? 7 : 1) {
      const float alone = unary(op, {x[i]})[0];
      EXPECT_TRUE(y[i] == alone || (std::isnan(y[i]) && std::isnan(alone))) << op << " " << x[i];
    }
  }
}

TEST(Elementwise, SixteenBitFloatsRoundOnce) {
  // 1 + 2^-8 in bf16 (8 bits): the sum 1 + 2^-8 + 2^-9 rounds to even.
  const auto bits = [](float value) { return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16); };
  std::vector<std::uint16_t> data{bits(1.0f), bits(0x1p-8f)};
  const Aval aval{Shape{}, DType(DType::kBFloat16)};
  const auto r = run_op("(%a: tensor<bf16>, %b: tensor<bf16>) -> tensor<bf16>", "stablehlo.add %a, %b : tensor<bf16>",
                        {Tensor(aval, &data[0]), Tensor(aval, &data[1])});
  EXPECT_EQ(r[0].dtype(), DType(DType::kBFloat16));
  EXPECT_EQ(r[0].values<std::uint16_t>()[0], bits(1.0f));
}

TEST(Convert, SaturatesAndRounds) {
  const auto to_int = run_op("(%a: tensor<4xf32>) -> tensor<4xi32>",
                             "stablehlo.convert %a : (tensor<4xf32>) -> tensor<4xi32>",
                             {floats({4}, {3e9f, -3e9f, kNaN, -1.7f})});
  EXPECT_EQ(to_vector<std::int32_t>(to_int[0]),
            (std::vector<std::int32_t>{2147483647, std::numeric_limits<std::int32_t>::lowest(), 0, -1}));
  const auto to_bool = run_op("(%a: tensor<3xf32>) -> tensor<3xi1>",
                              "stablehlo.convert %a : (tensor<3xf32>) -> tensor<3xi1>", {floats({3}, {0, kNaN, 0.1f})});
  EXPECT_EQ(to_vector<bool>(to_bool[0]), (std::vector<bool>{0, 1, 1}));
  // 1 + 2^-11 + 2^-40 is above the middle between two halves; by way of float it would fall on it.
  const auto to_half = run_op("(%a: tensor<f64>) -> tensor<f16>", "stablehlo.convert %a : (tensor<f64>) -> tensor<f16>",
                              {Tensor::of<double>({}, {1 + 0x1p-11 + 0x1p-40})});
  EXPECT_EQ(to_half[0].values<std::uint16_t>()[0], 0x3c01);
}

TEST(Constant, OfNoElementsMayNameAnElement) {
  EXPECT_EQ(run_op("() -> tensor<0x2xf32>", "stablehlo.constant dense<1.0> : tensor<0x2xf32>", {})[0].size(), 0);
  EXPECT_EQ(run_op("() -> tensor<0xi1>", "stablehlo.constant dense<true> : tensor<0xi1>", {})[0].size(), 0);
}

TEST(Movement, BroadcastTransposeSliceReverse) {
  const Tensor x = ints({2, 3}, {0, 1, 2, 3, 4, 5});
  using V = std::vector<std::int32_t>;
  EXPECT_EQ(to_vector<std::int32_t>(run_op("(%a: tensor<2x3xi32>) -> tensor<3x2xi32>",
      "stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xi32>) -> tensor<3x2xi32>", {x})[0]), (V{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(to_vector<std::int32_t>(run_op("(%a: tensor<2x3xi32>) -> tensor<2x2xi32>",
      "stablehlo.slice %a [0:2, 0:3:2] : (tensor<2x3xi32>) -> tensor<2x2xi32>", {x})[0]), (V{0, 2, 3, 5}));
  EXPECT_EQ(to_vector<std::int32_t>(run_op("(%a: tensor<2x3xi32>) -> tensor<2x3xi32>",
      "stablehlo.reverse %a, dims = [0, 1] : tensor<2x3xi32>", {x})[0]), (V{5, 4, 3, 2, 1, 0}));
  EXPECT_EQ(to_vector<std::int32_t>(run_op("(%a: tensor<2x1xi32>) -> tensor<2x2x3xi32>",
      "stablehlo.broadcast_in_dim %a, dims = [1, 2] : (tensor<2x1xi32>) -> tensor<2x2x3xi32>", {ints({2, 1}, {7, 8})})[0]),
      (V{7, 7, 7, 8, 8, 8, 7, 7, 7, 8, 8, 8}));
  EXPECT_EQ(to_vector<std::int32_t>(run_op("(%a: tensor<2x3xi32>) -> tensor<6xi32>",
      "stablehlo.reshape %a : (tensor<2x3xi32>) -> tensor<6xi32>", {x})[0]), (V{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(run_op("(%a: tensor<2x0xi32>) -> tensor<0x2xi32>",
      "stablehlo.transpose %a, dims = [1, 0] : (tensor<2x0xi32>) -> tensor<0x2xi32>", {ints({2, 0}, {})})[0].size(), 0);
}

TEST(Movement, ConcatenatePadIota) {
  using V = std::vector<std::int32_t>;
  EXPECT_EQ(to_vector<std::int32_t>(run_op("(%a: tensor<2x1xi32>, %b: tensor<2x2xi32>) -> tensor<2x3xi32>",
      "stablehlo.concatenate %a, %b, dim = 1 : (tensor<2x1xi32>, tensor<2x2xi32>) -> tensor<2x3xi32>",
      {ints({2, 1}, {1, 2}), ints({2, 2}, {3, 4, 5, 6})})[0]), (V{1, 3, 4, 2, 5, 6}));
  EXPECT_EQ(to_vector<std::int32_t>(run_op("(%a: tensor<3xi32>, %p: tensor<i32>) -> tensor<6xi32>",
      "stablehlo.pad %a, %p, low = [2], high = [-1], interior = [1] : (tensor<3xi32>, tensor<i32>) -> tensor<6xi32>",
      {ints({3}, {1, 2, 3}), ints({}, {9})})[0]), (V{9, 9, 1, 9, 2, 9}));
  EXPECT_EQ(to_vector<std::int32_t>(run_op("() -> tensor<2x3xi32>", "stablehlo.iota dim = 1 : tensor<2x3xi32>")[0]),
            (V{0, 1, 2, 0, 1, 2}));
}

TEST(Movement, DynamicSlicesClamp) {
  using V = std::vector<std::int32_t>;
  EXPECT_EQ(to_vector<std::int32_t>(run_op("(%a: tensor<4xi32>, %i: tensor<i32>) -> tensor<2xi32>",
      "stablehlo.dynamic_slice %a, %i, sizes = [2] : (tensor<4xi32>, tensor<i32>) -> tensor<2xi32>",
      {ints({4}, {1, 2, 3, 4}), ints({}, {9})})[0]), (V{3, 4}));
  EXPECT_EQ(to_vector<std::int32_t>(run_op("(%a: tensor<4xi32>, %u: tensor<2xi32>, %i: tensor<i32>) -> tensor<4xi32>",
      "stablehlo.dynamic_update_slice %a, %u, %i : (tensor<4xi32>, tensor<2xi32>, tensor<i32>) -> tensor<4xi32>",
      {ints({4}, {1, 2, 3, 4}), ints({2}, {8, 9}), ints({}, {-5})})[0]), (V{8, 9, 3, 4}));
}

TEST(Movement, GatherTakesRows) {
  const auto r = run_op("(%a: tensor<3x2xf32>, %i: tensor<2x1xi32>) -> tensor<2x2xf32>",
      R"("stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0],
         start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 2>}>
         : (tensor<3x2xf32>, tensor<2x1xi32>) -> tensor<2x2xf32>)",
      {floats({3, 2}, {1, 2, 3, 4, 5, 6}), ints({2, 1}, {2, 7})});
  EXPECT_EQ(to_vector<float>(r[0]), (std::vector<float>{5, 6, 5, 6}));  // 7 clamps
}

// ---- reductions

std::vector<float> reduce_sum(const Shape& shape, const std::string& dims, const std::string& result,
                              const std::vector<float>& x, float init = 0) {
  std::string type = "tensor<";
  for (std::int64_t size : shape) type += std::to_string(size) + "x";
  type += "f32>";
  return to_vector<float>(run_op("(%a: " + type + ", %i: tensor<f32>) -> " + result,
      "stablehlo.reduce(%a init: %i) applies stablehlo.add across dimensions = " + dims + " : (" + type +
          ", tensor<f32>) -> " + result,
      {floats(shape, x), floats({}, {init})})[0]);
}

std::vector<float> some_floats(std::size_t count) {
  std::vector<float> x(count);
  std::uint32_t state = 1;
  for (float& v : x) {
    state = state * 1664525 + 1013904223;
    v = static_cast<float>(static_cast<std::int32_t>(state)) * 0x1p-20f;
  }
  return x;
}

TEST(Reduce, FollowsTheCanonicalOrder) {
  const auto add = [](float a, float b) { return a + b; };
  for (std::int64_t n : {1, 2, 15, 16, 17, 100, 4096, 4097, 9000}) {
    const std::vector<float> x = some_floats(static_cast<std::size_t>(n));
    const std::int64_t row_shape[] = {n}, column_shape[] = {n, 3};
    const bool row_reduced[] = {true}, column_reduced[] = {true, false};
    const float row = math::reduce_in_order<float>(
        math::reduction_order(row_shape, row_reduced), 1, -0.0f,
        [&](std::int64_t p) { return x[static_cast<std::size_t>(p)]; }, add);
    EXPECT_EQ(reduce_sum({n}, "[0]", "tensor<f32>", x, 1)[0], row) << n;
    const std::vector<float> m = some_floats(static_cast<std::size_t>(3 * n));
    const std::vector<float> sums = reduce_sum({n, 3}, "[0]", "tensor<3xf32>", m, 1);
    for (std::int64_t k = 0; k < 3; ++k) {
      EXPECT_EQ(sums[static_cast<std::size_t>(k)],
                math::reduce_in_order<float>(
                    math::reduction_order(column_shape, column_reduced), 1, -0.0f,
                    [&](std::int64_t p) { return m[static_cast<std::size_t>(3 * p + k)]; }, add)) << n;
    }
  }
}

TEST(Reduce, MiddleAndSeveralDimensions) {
  std::vector<float> x(2 * 3 * 4);
  std::iota(x.begin(), x.end(), 0.0f);
  EXPECT_EQ(reduce_sum({2, 3, 4}, "[1]", "tensor<2x4xf32>", x), (std::vector<float>{12, 15, 18, 21, 48, 51, 54, 57}));
  EXPECT_EQ(reduce_sum({2, 3, 4}, "[0, 2]", "tensor<3xf32>", x), (std::vector<float>{60, 92, 124}));
  EXPECT_EQ(reduce_sum({2, 3, 4}, "[0, 1, 2]", "tensor<f32>", x), (std::vector<float>{276}));
  EXPECT_EQ(reduce_sum({2, 0}, "[1]", "tensor<2xf32>", {}, 5), (std::vector<float>{5, 5}));
  EXPECT_EQ(reduce_sum({0, 2}, "[0]", "tensor<2xf32>", {}, 5), (std::vector<float>{5, 5}));
  EXPECT_EQ(reduce_sum({2, 0}, "[0]", "tensor<0xf32>", {}), (std::vector<float>{}));
}

TEST(Reduce, KeepsNegativeZero) {
  EXPECT_TRUE(std::signbit(reduce_sum({3}, "[0]", "tensor<f32>", {-0.0f, -0.0f, -0.0f}, -0.0f)[0]));
}

TEST(Reduce, ArgmaxByItsBody) {
  const auto r = run_text(R"(
func.func @main(%x: tensor<2x3xf32>) -> (tensor<2xf32>, tensor<2xi32>) {
  %i = stablehlo.iota dim = 1 : tensor<2x3xi32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.reduce(%x init: %low), (%i init: %zero) across dimensions = [1]
      : (tensor<2x3xf32>, tensor<2x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%ia: tensor<i32>, %ib: tensor<i32>) {
    %greater = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %m = stablehlo.select %greater, %a, %b : tensor<i1>, tensor<f32>
    %mi = stablehlo.select %greater, %ia, %ib : tensor<i1>, tensor<i32>
    stablehlo.return %m, %mi : tensor<f32>, tensor<i32>
  }
  return %r#0, %r#1 : tensor<2xf32>, tensor<2xi32>
})", {floats({2, 3}, {1, 5, 2, 9, 3, 4})});
  EXPECT_EQ(to_vector<float>(r[0]), (std::vector<float>{5, 9}));
  EXPECT_EQ(to_vector<std::int32_t>(r[1]), (std::vector<std::int32_t>{1, 0}));
}

// ---- contractions

TEST(Dot, BatchesAndTransposes) {
  const auto r = run_op("(%a: tensor<2x2x3xf32>, %b: tensor<2x2x3xf32>) -> tensor<2x2x2xf32>",
      "stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [2] "
      ": (tensor<2x2x3xf32>, tensor<2x2x3xf32>) -> tensor<2x2x2xf32>",
      {floats({2, 2, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}), floats({2, 2, 3}, {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1})});
  EXPECT_EQ(to_vector<float>(r[0]), (std::vector<float>{1, 2, 4, 5, 9, 24, 12, 33}));
}

TEST(Dot, OfNothingIsZero) {
  const auto r = run_op("(%a: tensor<2x0xf32>, %b: tensor<0x2xf32>) -> tensor<2x2xf32>",
      "stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x0xf32>, tensor<0x2xf32>) -> tensor<2x2xf32>",
      {floats({2, 0}, {}), floats({0, 2}, {})});
  EXPECT_EQ(to_vector<float>(r[0]), (std::vector<float>{0, 0, 0, 0}));
}

TEST(Dot, IntegersWrap) {
  const auto r = run_op("(%a: tensor<2xi32>, %b: tensor<2xi32>) -> tensor<i32>",
      "stablehlo.dot_general %a, %b, contracting_dims = [0] x [0] : (tensor<2xi32>, tensor<2xi32>) -> tensor<i32>",
      {ints({2}, {2147483647, 1}), ints({2}, {2, -3})});
  EXPECT_EQ(to_vector<std::int32_t>(r[0]), (std::vector<std::int32_t>{-5}));
}

// ---- programs

TEST(Program, CallsLoopsAndBranches) {
  const auto r = run_text(R"(
module @jit_f {
  func.func public @main(%n: tensor<i32>) -> (tensor<i32>, tensor<f32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %sum:2 = stablehlo.while(%i = %zero, %s = %zero) : tensor<i32>, tensor<i32>
      cond {
      %c = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %next = stablehlo.add %i, %one : tensor<i32>
      %s1 = func.call @add(%s, %next) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      stablehlo.return %next, %s1 : tensor<i32>, tensor<i32>
    }
    %r = "stablehlo.case"(%one) ({
      %a = stablehlo.constant dense<1.0> : tensor<f32>
      stablehlo.return %a : tensor<f32>
    }, {
      %b = stablehlo.convert %sum#1 : (tensor<i32>) -> tensor<f32>
      stablehlo.return %b : tensor<f32>
    }) : (tensor<i32>) -> tensor<f32>
    return %sum#1, %r : tensor<i32>, tensor<f32>
  }
  func.func private @add(%a: tensor<i32>, %b: tensor<i32>) -> tensor<i32> {
    %r = stablehlo.add %a, %b : tensor<i32>
    return %r : tensor<i32>
  }
})", {ints({}, {100})});
  EXPECT_EQ(to_vector<std::int32_t>(r[0]), (std::vector<std::int32_t>{5050}));
  EXPECT_EQ(to_vector<float>(r[1]), (std::vector<float>{5050}));
}

TEST(Program, ResultsMayBeArgumentsConstantsAndEachOther) {
  const auto r = run_text(R"(
func.func @main(%a: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<3xi32>, tensor<1x2xf32>, tensor<2xf32>) {
  %c = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %n = stablehlo.negate %a : tensor<2xf32>
  %s = stablehlo.reshape %n : (tensor<2xf32>) -> tensor<1x2xf32>
  return %a, %n, %c, %s, %n : tensor<2xf32>, tensor<2xf32>, tensor<3xi32>, tensor<1x2xf32>, tensor<2xf32>
})", {floats({2}, {1, -2})});
  EXPECT_EQ(to_vector<float>(r[0]), (std::vector<float>{1, -2}));
  EXPECT_EQ(to_vector<float>(r[1]), (std::vector<float>{-1, 2}));
  EXPECT_EQ(to_vector<std::int32_t>(r[2]), (std::vector<std::int32_t>{1, 2, 3}));
  EXPECT_EQ(r[3].shape(), (Shape{1, 2}));
  EXPECT_EQ(to_vector<float>(r[4]), (std::vector<float>{-1, 2}));
}

TEST(Program, ReusesItsArena) {
  std::string text = "func.func @main(%v0: tensor<1000xf32>) -> tensor<1000xf32> {\n";
  for (int i = 0; i < 100; ++i)
    text += "  %v" + std::to_string(i + 1) + " = stablehlo.negate %v" + std::to_string(i) + " : tensor<1000xf32>\n";
  text += "  return %v100 : tensor<1000xf32>\n}";
  const ProgramRef program = prepare(Module::parse(text));
  EXPECT_EQ(program->step_count(), 100);
  EXPECT_LE(program->arena_bytes(), 2 * 4032);
}

TEST(Program, RefusesOtherArguments) {
  const ProgramRef program = prepare(Module::parse("func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> { return %a : tensor<2xf32> }"));
  EXPECT_THROW(run(*program, {}), TypeError);
  EXPECT_THROW(run(*program, std::vector{ints({2}, {1, 2})}), TypeError);
  EXPECT_THROW(run(*program, std::vector{floats({3}, {1, 2, 3})}), ShapeError);
}

TEST(Program, AbsurdSizesAreRefused) {
  EXPECT_THROW(run_text("func.func @main() -> tensor<i32> {\n"
                        "  %a = stablehlo.iota dim = 0 : tensor<1099511627776x1024xf32>\n"
                        "  %i = stablehlo.constant dense<0> : tensor<i32>\n  return %i : tensor<i32>\n}"),
               OutOfMemoryError);
  EXPECT_THROW(run_text("func.func @main() -> tensor<4611686018427387904x4xf32> {\n"
                        "  %a = stablehlo.iota dim = 0 : tensor<4611686018427387904x4xf32>\n"
                        "  return %a : tensor<4611686018427387904x4xf32>\n}"), Error);
}

TEST(Program, NamesTheMissingOperation) {
  EXPECT_THROW(run_op("(%a: tensor<2x2xf32>) -> tensor<2x2xf32>", "stablehlo.cholesky %a : tensor<2x2xf32>",
                      {Tensor(Aval{Shape{2, 2}, DType(DType::kFloat32)})}), UnimplementedError);
}

}  // namespace
}  // namespace tenon::evaluator
