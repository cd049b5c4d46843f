// What runs between kernels: running totals, sorts, scatters, products of every dtype. The same bits as
// the evaluator, on every instruction set and with any number of threads.
#include "run_both.h"

namespace tenon::cpu {
namespace {

std::string text(const Shape& shape, const std::string& element) {
  std::string out = "tensor<";
  for (int64_t size : shape) out += std::to_string(size) + "x";
  return out + element + ">";
}

// A running total of f32 by `body` (of %a and %b, defining %r).
Module running_total(const Shape& shape, size_t axis, bool reverse, const std::string& init, const std::string& body) {
  const std::string type = text(shape, "f32");
  std::string window, ones, rows;
  for (size_t d = 0; d < shape.size(); ++d) {
    const std::string comma = d > 0 ? ", " : "", beyond = std::to_string(d == axis ? shape[d] - 1 : 0);
    window += comma + std::to_string(d == axis ? shape[d] : 1);
    ones += comma + "1";
    rows += comma + (reverse ? "[0, " + beyond + "]" : "[" + beyond + ", 0]");
  }
  const std::string rank = std::to_string(shape.size());
  return program("(%x: " + type + ") -> " + type,
                 "%i = stablehlo.constant dense<" + init + "> : tensor<f32>\n"
                 "%0 = \"stablehlo.reduce_window\"(%x, %i) <{padding = dense<[" + rows + "]> : tensor<" + rank + "x2xi64>, "
                 "window_dimensions = array<i64: " + window + ">, window_strides = array<i64: " + ones + ">}> ({\n"
                 "^bb0(%a: tensor<f32>, %b: tensor<f32>):\n" + body + "\nstablehlo.return %r : tensor<f32>\n"
                 "}) : (" + type + ", tensor<f32>) -> " + type + "\nreturn %0 : " + type);
}

constexpr const char* kAdd = "%r = stablehlo.add %a, %b : tensor<f32>";
constexpr const char* kMax = "%r = stablehlo.maximum %a, %b : tensor<f32>";
constexpr const char* kLogAddExp = R"(
  %m = stablehlo.maximum %a, %b : tensor<f32>
  %d = stablehlo.subtract %a, %b : tensor<f32>
  %p = stablehlo.abs %d : tensor<f32>
  %n = stablehlo.negate %p : tensor<f32>
  %e = stablehlo.exponential %n : tensor<f32>
  %l = stablehlo.log_plus_one %e : tensor<f32>
  %r = stablehlo.add %m, %l : tensor<f32>)";

TEST(Scan, TotalsAlongAnyAxis) {
  for (const Shape& shape : {Shape{1}, {63}, {64}, {65}, {1000}, {40, 300}, {300, 7}, {3, 70, 5}, {2, 66, 1}})
    for (size_t axis = 0; axis < shape.size(); ++axis)
      for (bool reverse : {false, true}) {
        SCOPED_TRACE(shape.str() + " axis " + std::to_string(axis) + (reverse ? " reverse" : ""));
        expect_both_same(running_total(shape, axis, reverse, "0.0", kAdd), {random_tensor(1, shape)});
      }
}
TEST(Scan, NaNStays) { expect_both_same(running_total({5, 200}, 1, false, "0xFF800000", kMax), {random_tensor(2, {5, 200}, DType(DType::kFloat32), -2, 2, true)}); }
TEST(Scan, OneLongLineOnSeveralThreads) {
  for (int64_t n : {(1 << 17) - 1, 1 << 17, 200001})
    for (bool reverse : {false, true}) {
      SCOPED_TRACE(std::to_string(n) + (reverse ? " reverse" : ""));
      expect_both_same(running_total({n}, 0, reverse, "0.0", kAdd), {random_tensor(4, {n})});
      expect_both_same(running_total({2, n}, 1, reverse, "0xFF800000", kMax), {random_tensor(5, {2, n}, DType(DType::kFloat32), -2, 2, true)});
    }
}
TEST(Scan, ByAFunction) {
  for (bool reverse : {false, true})
    for (size_t axis : {0, 1}) expect_both_same(running_total({30, 90}, axis, reverse, "0xFF800000", kLogAddExp), {random_tensor(3, {30, 90})});
}
TEST(Scan, OverwritesItsOperand) {
  Module module = running_total({1000}, 0, false, "0.0", kAdd);
  const std::string before = module.str();
  EXPECT_NE(before.find("reduce_window"), std::string::npos);
  passes::PipelineOptions options;
  options.donated = {true};
  const std::string optimized = passes::optimize(module, options).str();
  EXPECT_NE(optimized.find("#tenon.buffer<argument, 0, 0>"), std::string::npos) << optimized;
}

Module sort_by(const Shape& shape, int64_t dimension, const std::string& comparator) {
  const std::string x = text(shape, "f32"), y = text(shape, "i32");
  return program("(%x: " + x + ", %y: " + y + ") -> (" + x + ", " + y + ")",
                 "%0:2 = \"stablehlo.sort\"(%x, %y) <{dimension = " + std::to_string(dimension) + " : i64, is_stable = true}> ({\n"
                 "^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):\n" + comparator +
                 "\nstablehlo.return %r : tensor<i1>\n}) : (" + x + ", " + y + ") -> (" + x + ", " + y + ")\n"
                 "return %0#0, %0#1 : " + x + ", " + y);
}
Tensors sort_inputs(const Shape& shape) {
  return {random_tensor(4, shape, DType(DType::kFloat32), -2, 2, true), random_tensor(5, shape, DType(DType::kInt32), -3, 3)};
}

TEST(Sort, ByKeys) {
  const std::string comparators[] = {
      "%r = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>",
      "%r = stablehlo.compare GT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>",
      "%r = stablehlo.compare LT, %d, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>",
      R"(%0 = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
         %1 = stablehlo.compare GT, %c, %d, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
         %2 = stablehlo.compare EQ, %c, %d, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
         %3 = stablehlo.and %2, %0 : tensor<i1>
         %r = stablehlo.or %1, %3 : tensor<i1>)",
  };
  for (const std::string& comparator : comparators)
    for (const Shape& shape : {Shape{1}, {15}, {17}, {511}, {3000}, {20, 30}, {30, 20}})
      for (int64_t dimension = 0; dimension < shape.ndim(); ++dimension) {
        SCOPED_TRACE(comparator + shape.str());
        expect_both_same(sort_by(shape, dimension, comparator), sort_inputs(shape));
      }
}
TEST(Sort, ByAFunction) {  // by magnitude, where NaN is never before
  const std::string comparator = R"(%0 = stablehlo.abs %a : tensor<f32>
      %1 = stablehlo.abs %b : tensor<f32>
      %r = stablehlo.compare LT, %0, %1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>)";
  Tensors inputs = {random_tensor(6, {40, 33}), random_tensor(7, {40, 33}, DType(DType::kInt32), -3, 3)};
  for (int64_t dimension : {0, 1}) expect_both_same(sort_by({40, 33}, dimension, comparator), inputs);
}

// Two inputs at once; elements have several updates.
TEST(Scatter, OfSeveralInputs) {
  Module module = program("(%x: tensor<10x4xf32>, %y: tensor<10x4xi32>, %i: tensor<50x1xi32>, %u: tensor<50x4xf32>, %v: tensor<50x4xi32>) "
                          "-> (tensor<10x4xf32>, tensor<10x4xi32>)",
                          R"(%0:2 = "stablehlo.scatter"(%x, %y, %i, %u, %v) <{indices_are_sorted = false, unique_indices = false,
      scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<i32>, %c: tensor<f32>, %d: tensor<i32>):
      %1 = stablehlo.multiply %a, %c : tensor<f32>
      %2 = stablehlo.subtract %d, %b : tensor<i32>
      stablehlo.return %1, %2 : tensor<f32>, tensor<i32>
    }) : (tensor<10x4xf32>, tensor<10x4xi32>, tensor<50x1xi32>, tensor<50x4xf32>, tensor<50x4xi32>) -> (tensor<10x4xf32>, tensor<10x4xi32>)
    return %0#0, %0#1 : tensor<10x4xf32>, tensor<10x4xi32>)");
  expect_both_same(module, {random_tensor(8, {10, 4}), random_tensor(9, {10, 4}, DType(DType::kInt32), -9, 9),
                            random_tensor(10, {50, 1}, DType(DType::kInt32), -2, 12), random_tensor(11, {50, 4}),
                            random_tensor(12, {50, 4}, DType(DType::kInt32), -9, 9)});
}

Module scatter_windows(const std::string& op) {
  return program("(%x: tensor<20x30xf32>, %i: tensor<2x40xi64>, %u: tensor<5x40x3xf32>) -> tensor<20x30xf32>",
                 R"(%0 = "stablehlo.scatter"(%x, %i, %u) <{indices_are_sorted = false, unique_indices = false,
      scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 2], scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 0>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      )" + op + R"(
      stablehlo.return %r : tensor<f32>
    }) : (tensor<20x30xf32>, tensor<2x40xi64>, tensor<5x40x3xf32>) -> tensor<20x30xf32>
    return %0 : tensor<20x30xf32>)");
}
TEST(Scatter, OfWindows) {  // some of which reach out and are dropped
  const Tensors inputs = {random_tensor(13, {20, 30}), random_tensor(14, {2, 40}, DType(DType::kInt64), -3, 30), random_tensor(15, {5, 40, 3})};
  for (const char* op : {"add", "subtract", "multiply", "maximum", "minimum", "power"}) {
    SCOPED_TRACE(op);
    expect_both_same(scatter_windows(std::string("%r = stablehlo.") + op + " %a, %b : tensor<f32>"), inputs);
  }
}
TEST(Scatter, OverwritesWhatDies) {
  Module module = program("(%x: tensor<1000xf32>, %i: tensor<3x1xi32>, %u: tensor<3xf32>) -> tensor<1000xf32>", R"(
    %0 = stablehlo.sine %x : tensor<1000xf32>
    %1 = "stablehlo.scatter"(%0, %i, %u) <{indices_are_sorted = false, unique_indices = false,
      scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      stablehlo.return %b : tensor<f32>
    }) : (tensor<1000xf32>, tensor<3x1xi32>, tensor<3xf32>) -> tensor<1000xf32>
    return %1 : tensor<1000xf32>)");
  EXPECT_NE(passes::optimize(module).str().find("tenon.temp_size_bytes = 0 : i64"), std::string::npos);
  expect_both_same(module, {random_tensor(16, {1000}), random_tensor(17, {3, 1}, DType(DType::kInt32), 0, 999), random_tensor(18, {3})});
}
TEST(Scatter, KeepsWhatIsReadLater) {
  Module module = program("(%x: tensor<100xf32>, %i: tensor<3x1xi32>, %u: tensor<3xf32>) -> tensor<100xf32>", R"(
    %0 = stablehlo.sine %x : tensor<100xf32>
    %1 = "stablehlo.scatter"(%0, %i, %u) <{indices_are_sorted = false, unique_indices = false,
      scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %2 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<100xf32>, tensor<3x1xi32>, tensor<3xf32>) -> tensor<100xf32>
    %3 = stablehlo.multiply %1, %0 : tensor<100xf32>
    return %3 : tensor<100xf32>)");
  expect_both_same(module, {random_tensor(16, {100}), random_tensor(17, {3, 1}, DType(DType::kInt32), 0, 99), random_tensor(18, {3})});
}

// Bits of f32 and f64 products are those of the evaluator wherever there is FMA.
TEST(Dot, HasTheEvaluatorsBits) {
  const std::pair<const char*, DType::Code> types[] = {
      {"f32", DType::kFloat32}, {"f64", DType::kFloat64}, {"bf16", DType::kBFloat16}, {"i64", DType::kInt64}, {"i8", DType::kInt8}};
  for (const auto& [element, code] : types)
    for (const auto& [m, k, n] : {std::tuple<int64_t, int64_t, int64_t>{1, 1, 1}, {7, 33, 5}, {16, 600, 9}, {1, 1100, 3}, {5, 1100, 1}}) {
      const Shape left{m, k}, right{k, n}, result{m, n};
      const std::string x = text(left, element), y = text(right, element), z = text(result, element);
      const DType dtype(code);
      Module module = program("(%x: " + x + ", %y: " + y + ") -> " + z, "%0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (" +
                                                                            x + ", " + y + ") -> " + z + "\nreturn %0 : " + z);
      SCOPED_TRACE(x + " " + y);
      const Tensors inputs = {random_tensor(19, left, dtype, -100, 100), random_tensor(20, right, dtype, -100, 100)};
      for (const char* target : {"avx2", "avx512"}) {
        config::Scope scope({{"cpu_target", target}});
        expect_same(execute(*compiled(module), inputs), run_evaluator(module, inputs));
      }
    }
}

}  // namespace
}  // namespace tenon::cpu
