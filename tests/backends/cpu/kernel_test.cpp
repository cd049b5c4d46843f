// Element loops: values, shapes around the vector width, index maps, dtypes.
#include "run_both.h"

namespace tenon::cpu {
namespace {

std::string type(const Shape& shape, const char* element = "f32") {
  std::string text = "tensor<";
  for (int64_t d : shape) text += std::to_string(d) + "x";
  return text + element + ">";
}

TEST(ElementLoop, SizesAroundTheVectorWidth) {
  for (int64_t n : {0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100, 5000}) {
    SCOPED_TRACE(n);
    const std::string t = type({n});
    expect_both_same(
        program("(%x: " + t + ", %y: " + t + ") -> " + t, R"(
      %0 = stablehlo.sine %x : )" + t + R"(
      %1 = stablehlo.multiply %0, %y : )" + t + R"(
      %2 = stablehlo.add %1, %x : )" + t + R"(
      return %2 : )" + t),
        {random_tensor(1, {n}, DType(DType::kFloat32), -10, 10), random_tensor(2, {n})});
  }
}

TEST(ElementLoop, FunctionsOnSpecialValues) {
  for (const char* element : {"f32", "f64"}) {
    const DType dtype = DType::parse(element);
    for (const char* op :
         {"sine", "cosine", "exponential", "log", "tanh", "sqrt", "rsqrt", "abs", "sign", "floor",
          "ceil", "negate", "round_nearest_even", "round_nearest_afz", "exponential_minus_one",
          "log_plus_one", "logistic", "cbrt", "tan"}) {
      SCOPED_TRACE(std::string(op) + " " + element);
      const std::string t = type({1003}, element);
      expect_both_same(program("(%x: " + t + ") -> " + t, "%0 = stablehlo." + std::string(op) +
                                                              " %x : " + t + "\nreturn %0 : " + t),
                       {random_tensor(3, {1003}, dtype, -100, 100, true)});
    }
  }
}

TEST(ElementLoop, CallsOfTwoOperands) {
  for (const char* element : {"f32", "f64", "f16", "bf16"}) {
    const DType dtype = DType::parse(element);
    for (int64_t n : {1, 3, 37}) {
      const std::string t = type({n}, element);
      SCOPED_TRACE(t);
      const std::string of = " %o, %x : " + t + ", " + t + " -> " + t + "\n";
      const std::string body = "%a = stablehlo.abs %y : " + t + "\n%o = stablehlo.round_nearest_even %a : " + t + "\n%0 = chlo.zeta" + of +
                               "%1 = chlo.polygamma" + of + "%2 = stablehlo.add %0, %1 : " + t + "\nreturn %0, %2 : " + t + ", " + t;
      expect_both_same(program("(%x: " + t + ", %y: " + t + ") -> (" + t + ", " + t + ")", body),
                       {random_tensor(5, {n}, dtype, -4, 9, true), random_tensor(6, {n}, dtype, -6, 6, true)});
    }
  }
}

TEST(ElementLoop, BinaryFunctionsOfEachType) {
  for (const char* element :
       {"f32", "f64", "i32", "i64", "i8", "ui8", "i16", "ui32", "i1", "bf16"}) {
    const DType dtype =
        element == std::string("i1")
            ? DType(DType::kBool)
            : DType::parse(element[0] == 'u' ? "u" + std::string(element + 2) : element);
    for (const char* op :
         {"add", "subtract", "multiply", "divide", "maximum", "minimum", "remainder", "power",
          "and", "or", "xor", "shift_left", "shift_right_logical", "shift_right_arithmetic"}) {
      const std::string name(op);
      const bool is_bitwise = name == "and" || name == "or" || name == "xor",
                 is_shift = name.starts_with("shift");
      if (dtype.is_floating() && (is_bitwise || is_shift)) continue;
      if (dtype.is_bool() && (is_shift || name == "subtract" || name == "divide" ||
                              name == "remainder" || name == "power"))
        continue;
      SCOPED_TRACE(name + " " + element);
      const std::string t = type({77}, element);
      expect_both_same(program("(%x: " + t + ", %y: " + t + ") -> " + t,
                               "%0 = stablehlo." + name + " %x, %y : " + t + "\nreturn %0 : " + t),
                       {random_tensor(4, {77}, dtype, -50, 50, true),
                        random_tensor(5, {77}, dtype, -3, 40, true)});
    }
  }
}

TEST(ElementLoop, IntegerDivisionCorners) {
  const int32_t low = INT32_MIN;
  expect_both_same(
      program("(%x: tensor<8xi32>, %y: tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>)", R"(
      %0 = stablehlo.divide %x, %y : tensor<8xi32>
      %1 = stablehlo.remainder %x, %y : tensor<8xi32>
      return %0, %1 : tensor<8xi32>, tensor<8xi32>)"),
      {Tensor::of<int32_t>({8}, {low, 7, -7, 0, low, 5, -5, 9}),
       Tensor::of<int32_t>({8}, {-1, 0, 0, 0, 1, -1, 3, -2})});
}

TEST(ElementLoop, ComparesSelectsConverts) {
  expect_both_same(program("(%x: tensor<5x9xf32>, %y: tensor<5x9xf32>) -> (tensor<5x9xf32>, "
                           "tensor<5x9xi1>, tensor<5x9xi32>)",
                           R"(
      %0 = stablehlo.compare LT, %x, %y : (tensor<5x9xf32>, tensor<5x9xf32>) -> tensor<5x9xi1>
      %1 = stablehlo.select %0, %x, %y : tensor<5x9xi1>, tensor<5x9xf32>
      %2 = stablehlo.convert %x : (tensor<5x9xf32>) -> tensor<5x9xi32>
      return %1, %0, %2 : tensor<5x9xf32>, tensor<5x9xi1>, tensor<5x9xi32>)"),
                   {random_tensor(6, {5, 9}, DType(DType::kFloat32), -9, 9, true),
                    random_tensor(7, {5, 9}, DType(DType::kFloat32), -9, 9, true)});
}

TEST(ElementLoop, BroadcastsAlongEachAxis) {
  expect_both_same(program("(%x: tensor<6x35xf32>, %r: tensor<35xf32>, %c: tensor<6xf32>, %s: "
                           "tensor<f32>) -> tensor<6x35xf32>",
                           R"(
      %0 = stablehlo.broadcast_in_dim %r, dims = [1] : (tensor<35xf32>) -> tensor<6x35xf32>
      %1 = stablehlo.exponential %c : tensor<6xf32>
      %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<6xf32>) -> tensor<6x35xf32>
      %3 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<6x35xf32>
      %4 = stablehlo.add %x, %0 : tensor<6x35xf32>
      %5 = stablehlo.multiply %4, %2 : tensor<6x35xf32>
      %6 = stablehlo.subtract %5, %3 : tensor<6x35xf32>
      return %6 : tensor<6x35xf32>)"),
                   {random_tensor(8, {6, 35}), random_tensor(9, {35}), random_tensor(10, {6}),
                    random_tensor(11, {})});
}

TEST(IndexMaps, TransposeWithElementWork) {
  for (auto [m, n] : {std::pair{1, 1}, {3, 5}, {8, 8}, {17, 9}, {64, 33}}) {
    SCOPED_TRACE(std::to_string(m) + "x" + std::to_string(n));
    const std::string a = type({m, n}), b = type({n, m});
    expect_both_same(program("(%x: " + a + ", %y: " + b + ") -> " + b, R"(
      %0 = stablehlo.transpose %x, dims = [1, 0] : ()" + a + ") -> " + b + R"(
      %1 = stablehlo.add %0, %y : )" + b + R"(
      return %1 : )" + b),
                     {random_tensor(12, {m, n}), random_tensor(13, {n, m})});
  }
}

TEST(IndexMaps, TransposeOfThreeAxes) {
  for (const char* dims : {"2, 0, 1", "1, 0, 2", "2, 1, 0", "0, 2, 1"}) {
    const Shape in({5, 6, 7});
    Shape out;
    for (const char* c = dims; *c; ++c) {
      if (*c >= '0' && *c <= '2') out.push_back(in[*c - '0']);
    }
    expect_both_same(program("(%x: " + type(in) + ") -> " + type(out),
                             "%0 = stablehlo.transpose %x, dims = [" + std::string(dims) + "] : (" +
                                 type(in) + ") -> " + type(out) + "\n%1 = stablehlo.negate %0 : " +
                                 type(out) + "\nreturn %1 : " + type(out)),
                     {random_tensor(14, in)});
  }
}

TEST(IndexMaps, ReshapesBetweenElementWork) {
  expect_both_same(program("(%x: tensor<4x6xf32>, %y: tensor<3x8xf32>) -> tensor<2x12xf32>", R"(
      %0 = stablehlo.sine %x : tensor<4x6xf32>
      %1 = stablehlo.reshape %0 : (tensor<4x6xf32>) -> tensor<3x8xf32>
      %2 = stablehlo.multiply %1, %y : tensor<3x8xf32>
      %3 = stablehlo.transpose %2, dims = [1, 0] : (tensor<3x8xf32>) -> tensor<8x3xf32>
      %4 = stablehlo.reshape %3 : (tensor<8x3xf32>) -> tensor<2x12xf32>
      return %4 : tensor<2x12xf32>)"),
                   {random_tensor(15, {4, 6}), random_tensor(16, {3, 8})});
}

TEST(IndexMaps, SlicesReversesConcatenates) {
  expect_both_same(program("(%x: tensor<9x20xf32>, %y: tensor<3x20xf32>) -> (tensor<8x10xf32>, "
                           "tensor<12x20xf32>, tensor<9x30xf32>)",
                           R"(
      %0 = stablehlo.slice %x [1:9, 0:20:2] : (tensor<9x20xf32>) -> tensor<8x10xf32>
      %1 = stablehlo.reverse %0, dims = [0, 1] : tensor<8x10xf32>
      %2 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<9x20xf32>, tensor<3x20xf32>) -> tensor<12x20xf32>
      %3 = stablehlo.slice %x [0:9, 3:13] : (tensor<9x20xf32>) -> tensor<9x10xf32>
      %4 = stablehlo.concatenate %3, %x, dim = 1 : (tensor<9x10xf32>, tensor<9x20xf32>) -> tensor<9x30xf32>
      %5 = stablehlo.tanh %4 : tensor<9x30xf32>
      return %1, %2, %5 : tensor<8x10xf32>, tensor<12x20xf32>, tensor<9x30xf32>)"),
                   {random_tensor(17, {9, 20}), random_tensor(18, {3, 20})});
}

TEST(IndexMaps, PadsInEveryWay) {
  expect_both_same(
      program("(%x: tensor<5x7xf32>, %p: tensor<f32>) -> (tensor<8x23xf32>, tensor<3x7xf32>)", R"(
      %0 = stablehlo.pad %x, %p, low = [1, 3], high = [2, 1], interior = [0, 2] : (tensor<5x7xf32>, tensor<f32>) -> tensor<8x23xf32>
      %1 = stablehlo.exponential %0 : tensor<8x23xf32>
      %2 = stablehlo.pad %x, %p, low = [-1, 2], high = [-1, -2], interior = [0, 0] : (tensor<5x7xf32>, tensor<f32>) -> tensor<3x7xf32>
      return %1, %2 : tensor<8x23xf32>, tensor<3x7xf32>)"),
      {random_tensor(19, {5, 7}), random_tensor(20, {})});
}

TEST(IndexMaps, IotaOfEachKind) {
  expect_both_same(program("(%x: tensor<4x19xf32>) -> (tensor<4x19xf32>, tensor<4x19xi32>)", R"(
      %0 = stablehlo.iota dim = 1 : tensor<4x19xf32>
      %1 = stablehlo.add %0, %x : tensor<4x19xf32>
      %2 = stablehlo.iota dim = 0 : tensor<4x19xi32>
      %3 = stablehlo.iota dim = 1 : tensor<4x19xi32>
      %4 = stablehlo.multiply %2, %3 : tensor<4x19xi32>
      return %1, %4 : tensor<4x19xf32>, tensor<4x19xi32>)"),
                   {random_tensor(21, {4, 19})});
}

TEST(IndexMaps, GathersRowsAndElements) {
  expect_both_same(
      program("(%t: tensor<10x13xf32>, %i: tensor<6x1xi32>) -> tensor<6x13xf32>", R"(
      %0 = "stablehlo.gather"(%t, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
           slice_sizes = array<i64: 1, 13>} : (tensor<10x13xf32>, tensor<6x1xi32>) -> tensor<6x13xf32>
      %1 = stablehlo.sine %0 : tensor<6x13xf32>
      return %1 : tensor<6x13xf32>)"),
      {random_tensor(22, {10, 13}), Tensor::of<int32_t>({6, 1}, {0, 9, 3, -5, 100, 3})});
  expect_both_same(
      program("(%t: tensor<50xf32>, %i: tensor<37x1xi32>) -> tensor<37xf32>", R"(
      %0 = "stablehlo.gather"(%t, %i) {dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
           slice_sizes = array<i64: 1>} : (tensor<50xf32>, tensor<37x1xi32>) -> tensor<37xf32>
      return %0 : tensor<37xf32>)"),
      {random_tensor(23, {50}), random_tensor(24, {37, 1}, DType(DType::kInt32), -10, 60)});
}

TEST(IndexMaps, GathersAtGatheredIndices) {
  expect_both_same(
      program("(%t: tensor<50xf32>, %i: tensor<37xi32>) -> tensor<37xf32>", R"(
      %0 = stablehlo.reshape %i : (tensor<37xi32>) -> tensor<37x1xi32>
      %1 = "stablehlo.gather"(%i, %0) {dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
           slice_sizes = array<i64: 1>} : (tensor<37xi32>, tensor<37x1xi32>) -> tensor<37xi32>
      %2 = stablehlo.reshape %1 : (tensor<37xi32>) -> tensor<37x1xi32>
      %3 = "stablehlo.gather"(%t, %2) {dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
           slice_sizes = array<i64: 1>} : (tensor<50xf32>, tensor<37x1xi32>) -> tensor<37xf32>
      return %3 : tensor<37xf32>)"),
      {random_tensor(23, {50}), random_tensor(24, {37}, DType(DType::kInt32), -10, 60)});
}

TEST(IndexMaps, DynamicSlicesClamp) {
  for (int start : {0, 3, 100, -4}) {
    expect_both_same(program("(%x: tensor<6x20xf32>, %u: tensor<2x9xf32>, %i: tensor<i32>, %j: "
                             "tensor<i32>) -> (tensor<3x11xf32>, tensor<6x20xf32>)",
                             R"(
      %0 = stablehlo.dynamic_slice %x, %i, %j, sizes = [3, 11] : (tensor<6x20xf32>, tensor<i32>, tensor<i32>) -> tensor<3x11xf32>
      %1 = stablehlo.negate %0 : tensor<3x11xf32>
      %2 = stablehlo.dynamic_update_slice %x, %u, %i, %j : (tensor<6x20xf32>, tensor<2x9xf32>, tensor<i32>, tensor<i32>) -> tensor<6x20xf32>
      return %1, %2 : tensor<3x11xf32>, tensor<6x20xf32>)"),
                     {random_tensor(25, {6, 20}), random_tensor(26, {2, 9}),
                      Tensor::of<int32_t>({}, {start}), Tensor::of<int32_t>({}, {start + 2})});
  }
}

TEST(Constants, SplatsAndTables) {
  expect_both_same(program("(%x: tensor<3x4xf32>) -> tensor<3x4xf32>", R"(
      %0 = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
      %1 = stablehlo.constant dense<0.5> : tensor<3x4xf32>
      %2 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<4xf32>) -> tensor<3x4xf32>
      %3 = stablehlo.multiply %x, %2 : tensor<3x4xf32>
      %4 = stablehlo.add %3, %1 : tensor<3x4xf32>
      return %4 : tensor<3x4xf32>)"),
                   {random_tensor(27, {3, 4})});
}

TEST(Programs, LongChainsCompile) {
  std::string body;
  for (int k = 0; k < 500; ++k) {
    const std::string before = k == 0 ? "%x" : "%" + std::to_string(k - 1);
    body += "%" + std::to_string(k) + " = stablehlo." +
            (k % 3 == 0   ? "add "
             : k % 3 == 1 ? "multiply "
                          : "subtract ") +
            before + ", %y : tensor<100xf32>\n";
  }
  config::Scope scope({{"cpu_target", "native"}});
  const Module module = program("(%x: tensor<100xf32>, %y: tensor<100xf32>) -> tensor<100xf32>",
                                body + "return %499 : tensor<100xf32>");
  const Tensors arguments{random_tensor(28, {100}),
                          random_tensor(29, {100}, DType(DType::kFloat32), 0.5, 1)};
  expect_same(execute(*compiled(module), arguments), run_evaluator(module, arguments));
}

}  // namespace
}  // namespace tenon::cpu
