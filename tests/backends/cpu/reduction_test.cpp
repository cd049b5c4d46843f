// Reductions: the canonical order on every path, with producers and epilogues fused.
#include "run_both.h"

namespace tenon::cpu {
namespace {

std::string type(const Shape& shape, const std::string& element = "f32") {
  std::string text = "tensor<";
  for (int64_t d : shape) text += std::to_string(d) + "x";
  return text + element + ">";
}

// sum of sin(x) over `dims`, and the plain reduction by `op`.
void check_reduction(const Shape& shape, const std::vector<int>& dims, const std::string& op,
                     const std::string& element = "f32") {
  Shape kept;
  std::string list;
  for (int d = 0; d < shape.ndim(); ++d) {
    if (std::find(dims.begin(), dims.end(), d) == dims.end())
      kept.push_back(shape[d]);
    else
      list += (list.empty() ? "" : ", ") + std::to_string(d);
  }
  const DType dtype = element == "i1" ? DType(DType::kBool) : DType::parse(element);
  const std::string in = type(shape, element), out = type(kept, element),
                    scalar = type({}, element);
  const std::string first =
      dtype.is_floating() ? "%0 = stablehlo.multiply %x, %x : " : "%0 = stablehlo.xor %x, %x : ";
  SCOPED_TRACE(op + " of " + in + " over [" + list + "]");
  expect_both_same(
      program("(%x: " + in + ", %i: " + scalar + ") -> (" + out + ", " + out + ")",
              first + in + "\n%1 = stablehlo.reduce(%x init: %i) applies stablehlo." + op +
                  " across dimensions = [" + list + "] : (" + in + ", " + scalar + ") -> " + out +
                  "\n%2 = stablehlo.reduce(%0 init: %i) applies stablehlo." + op +
                  " across dimensions = [" + list + "] : (" + in + ", " + scalar + ") -> " + out +
                  "\nreturn %1, %2 : " + out + ", " + out),
      {random_tensor(31, shape, dtype, -3, 3), random_tensor(32, {}, dtype)});
}

TEST(Reduction, Rows) {
  for (int64_t n : {1, 2, 3, 7, 15, 16, 17, 31, 32, 33, 100, 4095, 4096, 4097, 5000, 8200, 12305})
    check_reduction({5, n}, {1}, "add");
  for (int64_t m : {1, 3, 8, 9, 17}) check_reduction({m, 50}, {1}, "add");
}

TEST(Reduction, Columns) {
  for (int64_t n : {1, 2, 15, 16, 17, 255, 256, 257, 600, 1025})
    check_reduction({n, 37}, {0}, "add");
  for (int64_t m : {1, 7, 8, 9, 32, 33, 70}) check_reduction({40, m}, {0}, "add");
}

TEST(Reduction, AllAndSomeAxes) {
  check_reduction({7, 11}, {0, 1}, "add");
  check_reduction({100, 100}, {0, 1}, "add");
  check_reduction({3, 4, 5}, {0, 2}, "add");
  check_reduction({30, 4, 500}, {0, 2}, "add");
  check_reduction({3, 4, 5}, {1}, "add");
  check_reduction({3, 40, 5, 6}, {1, 2}, "add");
  check_reduction({3, 40, 5, 6}, {2, 3}, "add");
  check_reduction({2, 5, 9000}, {0, 2}, "add");
  check_reduction({5, 1, 3}, {0, 1}, "add");
  check_reduction({9}, {0}, "add");
}

TEST(Reduction, OtherMonoidsAndTypes) {
  for (const char* op : {"maximum", "minimum", "multiply"}) {
    check_reduction({9, 50}, {1}, op);
    check_reduction({50, 9}, {0}, op);
    check_reduction({9, 50}, {1}, op, "i32");
  }
  for (const char* element : {"i32", "f64", "i64", "i8", "bf16"}) {
    check_reduction({6, 100}, {1}, "add", element);
    check_reduction({300, 6}, {0}, "add", element);
  }
  for (const char* op : {"and", "or"}) {
    check_reduction({6, 40}, {1}, op, "i1");
    check_reduction({40, 6}, {0}, op, "i32");
  }
}

TEST(Reduction, EmptyGivesInit) {
  check_reduction({3, 0}, {1}, "add");
  check_reduction({0, 3}, {0}, "maximum");
  check_reduction({0, 3}, {1}, "add");
}

// No pass has taken it away.
TEST(Reduction, EmptyByAFunctionThatIsNoMonoidGivesInit) {
  const Module module = program("(%x: tensor<3x0xf32>, %i: tensor<f32>) -> tensor<3xf32>", R"(
      %0 = stablehlo.reduce(%x init: %i) across dimensions = [1] : (tensor<3x0xf32>, tensor<f32>) -> tensor<3xf32>
       reducer(%a: tensor<f32>, %b: tensor<f32>) {
        %s = stablehlo.subtract %a, %b : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }
      return %0 : tensor<3xf32>)");
  const Tensors arguments{random_tensor(33, {3, 0}), random_tensor(34, {})};
  passes::PipelineOptions options;
  options.disable_passes = "all";
  expect_same(execute(*compiled(module, options), arguments), run_evaluator(module, arguments));
}

TEST(Reduction, MaximumPassesNaN) {
  expect_both_same(program("(%x: tensor<9x41xf32>) -> tensor<9xf32>", R"(
      %i = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %0 = stablehlo.reduce(%x init: %i) applies stablehlo.maximum across dimensions = [1] : (tensor<9x41xf32>, tensor<f32>) -> tensor<9xf32>
      return %0 : tensor<9xf32>)"),
                   {random_tensor(33, {9, 41}, DType(DType::kFloat32), -5, 5, true)});
}

std::string pairwise(int64_t n, int64_t m, int64_t d) {
  const std::string nd = type({n, d}), md = type({m, d}), nmd = type({n, m, d}), nm = type({n, m});
  return "%z = stablehlo.constant dense<0.0> : tensor<f32>\n%0 = stablehlo.broadcast_in_dim %x, "
         "dims = [0, 2] : (" +
         nd + ") -> " + nmd + "\n%1 = stablehlo.broadcast_in_dim %y, dims = [1, 2] : (" + md +
         ") -> " + nmd + "\n%2 = stablehlo.subtract %0, %1 : " + nmd +
         "\n%3 = stablehlo.multiply %2, %2 : " + nmd +
         "\n%4 = stablehlo.reduce(%3 init: %z) applies stablehlo.add across dimensions = [2] : (" +
         nmd + ", tensor<f32>) -> " + nm + "\n%5 = stablehlo.sqrt %4 : " + nm +
         "\nreturn %5 : " + nm;
}

TEST(Reduction, PairwiseDistances) {
  for (auto [n, m, d] :
       {std::tuple{3, 5, 4}, {10, 19, 64}, {4, 33, 70}, {2, 16, 5000}, {5, 1, 20}}) {
    SCOPED_TRACE(std::to_string(n) + "," + std::to_string(m) + "," + std::to_string(d));
    expect_both_same(
        program("(%x: " + type({n, d}) + ", %y: " + type({m, d}) + ") -> " + type({n, m}),
                pairwise(n, m, d)),
        {random_tensor(34, {n, d}), random_tensor(35, {m, d})});
  }
}

TEST(Reduction, SoftmaxOfRows) {
  for (auto [n, m] : {std::pair{4, 10}, {5, 100}, {3, 1000}, {2, 5000}}) {
    SCOPED_TRACE(m);
    const std::string nm = type({n, m}), row = type({n});
    expect_both_same(program("(%x: " + nm + ") -> " + nm, R"(
      %z = stablehlo.constant dense<0.0> : tensor<f32>
      %i = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %0 = stablehlo.reduce(%x init: %i) applies stablehlo.maximum across dimensions = [1] : ()" +
                                                              nm + ", tensor<f32>) -> " + row + R"(
      %1 = stablehlo.broadcast_in_dim %0, dims = [0] : ()" + row +
                                                              ") -> " + nm + R"(
      %2 = stablehlo.subtract %x, %1 : )" + nm + R"(
      %3 = stablehlo.exponential %2 : )" + nm + R"(
      %4 = stablehlo.reduce(%3 init: %z) applies stablehlo.add across dimensions = [1] : ()" +
                                                              nm + ", tensor<f32>) -> " + row + R"(
      %5 = stablehlo.broadcast_in_dim %4, dims = [0] : ()" + row +
                                                              ") -> " + nm + R"(
      %6 = stablehlo.divide %3, %5 : )" + nm + R"(
      return %6 : )" + nm),
                     {random_tensor(36, {n, m})});
  }
}

}  // namespace
}  // namespace tenon::cpu
