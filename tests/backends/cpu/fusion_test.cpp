// Fusions written by hand: what passes make of programs changes, what a kernel means does not.
#include "run_both.h"

namespace tenon::cpu {
namespace {

std::string type(const Shape& shape, const char* element = "f32") {
  std::string text = "tensor<";
  for (int64_t d : shape) text += std::to_string(d) + "x";
  return text + element + ">";
}

/// The body as one fusion, against the evaluator on the same body.
void expect_one_kernel(const std::string& kind, const std::vector<Shape>& in,
                       const std::string& results, int count, const std::string& body,
                       const Tensors& arguments) {
  std::string parameters, operands, types, returned;
  for (size_t k = 0; k < in.size(); ++k) {
    const std::string n = std::to_string(k), comma = k ? ", " : "";
    parameters += comma + "%arg" + n + ": " + type(in[k]);
    operands += comma + "%p" + n + " = %arg" + n;
    types += comma + type(in[k]);
  }
  std::string buffers;
  for (int k = 0; k < count; ++k) {
    buffers += std::string(k ? ", " : "") + "#tenon.buffer<output, " + std::to_string(k) + ", 0>";
    returned += std::string(k ? ", " : "") + (count == 1 ? "%f" : "%f#" + std::to_string(k));
  }
  const std::string name = count == 1 ? "%f" : "%f:" + std::to_string(count);
  const Module fused = Module::parse(
      "module attributes {tenon.temp_size_bytes = 0 : i64} {\nfunc.func public @main(" +
      parameters + ") -> (" + results + ") {\n" + name + " = tenon.fusion " + kind +
      " \"kernel\"(" + operands + ") : (" + types + ") -> (" + results +
      ") attributes {tenon.buffers = [" + buffers + "]} {\n" + body + "\n}\nreturn " + returned +
      " : " + results + "\n}\n}");
  std::string plain = body;
  plain.replace(plain.find("tenon.yield"), 11, "return");
  for (size_t k = 0; k < in.size(); ++k) {
    const std::string from = "%p" + std::to_string(k), to = "%arg" + std::to_string(k);
    for (size_t at = plain.find(from); at != std::string::npos; at = plain.find(from, at + 1))
      plain.replace(at, from.size(), to);
  }
  const Tensors want =
      run_evaluator(program("(" + parameters + ") -> (" + results + ")", plain), arguments);
  for (const char* target : {"baseline", "avx2"}) {
    config::Scope scope({{"cpu_target", target}});
    const ExecutableRef executable = client().compile(fused);
    for (int threads : {1, 2}) {
      runtime::PoolSizeScope pool(threads);
      expect_same(execute(*executable, arguments), want);
    }
  }
}

std::string softmax_body(const Shape& shape) {
  const std::string nm = type(shape), row = type({shape[0]});
  return R"(%z = stablehlo.constant dense<0.0> : tensor<f32>
      %i = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %0 = stablehlo.reduce(%p0 init: %i) applies stablehlo.maximum across dimensions = [1] : ()" +
         nm + ", tensor<f32>) -> " + row + R"(
      %1 = stablehlo.broadcast_in_dim %0, dims = [0] : ()" +
         row + ") -> " + nm + R"(
      %2 = stablehlo.subtract %p0, %1 : )" +
         nm + R"(
      %3 = stablehlo.exponential %2 : )" +
         nm + R"(
      %4 = stablehlo.reduce(%3 init: %z) applies stablehlo.add across dimensions = [1] : ()" +
         nm + ", tensor<f32>) -> " + row + R"(
      %5 = stablehlo.broadcast_in_dim %4, dims = [0] : ()" +
         row + ") -> " + nm + R"(
      %6 = stablehlo.divide %3, %5 : )" +
         nm + R"(
      tenon.yield %6 : )" +
         nm;
}

TEST(RowKernel, Softmax) {
  for (Shape shape : {Shape{3, 5}, Shape{4, 17}, Shape{5, 100}, Shape{3, 1000}, Shape{2, 4100},
                      Shape{2, 20000}}) {
    SCOPED_TRACE(shape.str());
    expect_one_kernel("input", {shape}, type(shape), 1, softmax_body(shape),
                      {random_tensor(1, shape)});
  }
}

TEST(RowKernel, LayerNormReadsMeanAndVariance) {
  for (int64_t m : {7, 64, 130, 5000}) {
    const Shape shape{6, m};
    const std::string nm = type(shape), row = type({6}), vec = type({m});
    expect_one_kernel("input", {shape, {m}}, nm, 1,
                      R"(%z = stablehlo.constant dense<0.0> : tensor<f32>
      %n = stablehlo.constant dense<100.0> : )" +
                          row + R"(
      %0 = stablehlo.reduce(%p0 init: %z) applies stablehlo.add across dimensions = [1] : ()" +
                          nm + ", tensor<f32>) -> " + row + R"(
      %1 = stablehlo.divide %0, %n : )" +
                          row + R"(
      %2 = stablehlo.broadcast_in_dim %1, dims = [0] : ()" +
                          row + ") -> " + nm + R"(
      %3 = stablehlo.subtract %p0, %2 : )" +
                          nm + R"(
      %4 = stablehlo.multiply %3, %3 : )" +
                          nm + R"(
      %5 = stablehlo.reduce(%4 init: %z) applies stablehlo.add across dimensions = [1] : ()" +
                          nm + ", tensor<f32>) -> " + row + R"(
      %6 = stablehlo.rsqrt %5 : )" +
                          row + R"(
      %7 = stablehlo.broadcast_in_dim %6, dims = [0] : ()" +
                          row + ") -> " + nm + R"(
      %8 = stablehlo.multiply %3, %7 : )" +
                          nm + R"(
      %9 = stablehlo.broadcast_in_dim %p1, dims = [1] : ()" +
                          vec + ") -> " + nm + R"(
      %10 = stablehlo.multiply %8, %9 : )" +
                          nm + R"(
      tenon.yield %10 : )" +
                          nm,
                      {random_tensor(2, shape), random_tensor(3, {m})});
  }
}

TEST(ColumnKernel, VarianceOfColumnsAndItsUse) {
  for (auto [n, m] : {std::pair{20, 64}, {300, 100}, {1000, 513}, {40, 1100}, {17, 70}}) {
    SCOPED_TRACE(std::to_string(n) + "x" + std::to_string(m));
    const Shape shape{n, m};
    const std::string nm = type(shape), col = type({m});
    expect_one_kernel("input", {shape}, col, 1,
                      R"(%z = stablehlo.constant dense<0.5> : tensor<f32>
      %0 = stablehlo.reduce(%p0 init: %z) applies stablehlo.add across dimensions = [0] : ()" +
                          nm + ", tensor<f32>) -> " + col + R"(
      %2 = stablehlo.broadcast_in_dim %0, dims = [1] : ()" +
                          col + ") -> " + nm + R"(
      %3 = stablehlo.subtract %p0, %2 : )" +
                          nm + R"(
      %4 = stablehlo.multiply %3, %3 : )" +
                          nm + R"(
      %5 = stablehlo.reduce(%4 init: %z) applies stablehlo.add across dimensions = [0] : ()" +
                          nm + ", tensor<f32>) -> " + col + R"(
      %6 = stablehlo.sqrt %5 : )" +
                          col + R"(
      tenon.yield %6 : )" +
                          col,
                      {random_tensor(4, shape)});
  }
}

TEST(SeveralResults, OfDifferentShapes) {
  const std::string nm = type({30, 50}), col = type({50}), row = type({30});
  expect_one_kernel("input", {{30, 50}}, nm + ", " + col + ", " + row + ", " + nm, 4,
                    R"(%z = stablehlo.constant dense<0.0> : tensor<f32>
      %0 = stablehlo.sine %p0 : )" +
                        nm + R"(
      %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [0] : ()" +
                        nm + ", tensor<f32>) -> " + col + R"(
      %2 = stablehlo.reduce(%0 init: %z) applies stablehlo.maximum across dimensions = [1] : ()" +
                        nm + ", tensor<f32>) -> " + row + R"(
      %3 = stablehlo.negate %0 : )" +
                        nm + R"(
      tenon.yield %0, %1, %2, %3 : )" +
                        nm + ", " + col + ", " + row + ", " + nm,
                    {random_tensor(5, {30, 50})});
}

TEST(Nested, NBodyAccelerations) {
  for (int64_t n : {5, 20, 100, 300}) {
    SCOPED_TRACE(n);
    const std::string n3 = type({n, 3}), nn3 = type({n, n, 3}), nn = type({n, n});
    expect_one_kernel("input", {{n, 3}, {n}}, n3, 1,
                      R"(%z = stablehlo.constant dense<0.0> : tensor<f32>
      %e = stablehlo.constant dense<0.01> : )" +
                          nn + R"(
      %0 = stablehlo.broadcast_in_dim %p0, dims = [0, 2] : ()" +
                          n3 + ") -> " + nn3 + R"(
      %1 = stablehlo.broadcast_in_dim %p0, dims = [1, 2] : ()" +
                          n3 + ") -> " + nn3 + R"(
      %2 = stablehlo.subtract %1, %0 : )" +
                          nn3 + R"(
      %3 = stablehlo.multiply %2, %2 : )" +
                          nn3 + R"(
      %4 = stablehlo.reduce(%3 init: %z) applies stablehlo.add across dimensions = [2] : ()" +
                          nn3 + ", tensor<f32>) -> " + nn + R"(
      %5 = stablehlo.add %4, %e : )" +
                          nn + R"(
      %6 = stablehlo.rsqrt %5 : )" +
                          nn + R"(
      %7 = stablehlo.broadcast_in_dim %p1, dims = [1] : ()" +
                          type({n}) + ") -> " + nn + R"(
      %8 = stablehlo.multiply %6, %7 : )" +
                          nn + R"(
      %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : ()" +
                          nn + ") -> " + nn3 + R"(
      %10 = stablehlo.multiply %2, %9 : )" +
                          nn3 + R"(
      %11 = stablehlo.reduce(%10 init: %z) applies stablehlo.add across dimensions = [1] : ()" +
                          nn3 + ", tensor<f32>) -> " + n3 + R"(
      tenon.yield %11 : )" +
                          n3,
                      {random_tensor(6, {n, 3}), random_tensor(7, {n})});
  }
}

TEST(Tiles, TransposedOperandsOfManySizes) {
  for (auto [m, n] : {std::pair{16, 16}, {65, 129}, {100, 64}, {130, 17}, {64, 200}}) {
    SCOPED_TRACE(std::to_string(m) + "x" + std::to_string(n));
    const std::string a = type({m, n}), b = type({n, m});
    expect_one_kernel(
        "loop", {{m, n}, {n, m}, {m, n}}, b + ", " + b, 2,
        R"(%0 = stablehlo.transpose %p0, dims = [1, 0] : ()" + a + ") -> " + b + R"(
      %1 = stablehlo.transpose %p2, dims = [1, 0] : ()" +
            a + ") -> " + b + R"(
      %2 = stablehlo.sine %0 : )" +
            b + R"(
      %3 = stablehlo.multiply %2, %p1 : )" +
            b + R"(
      %4 = stablehlo.add %3, %1 : )" +
            b + R"(
      tenon.yield %4, %0 : )" +
            b + ", " + b,
        {random_tensor(8, {m, n}), random_tensor(9, {n, m}), random_tensor(10, {m, n})});
  }
}

// A kernel of several functions next to one with the name that a function of it could have.
TEST(Symbols, DoNotCollide) {
  std::string body = "%z = stablehlo.constant dense<0.0> : tensor<f32>\n%m = stablehlo.constant dense<0xFF800000> : tensor<f32>\n";
  for (auto [name, init, op] : {std::tuple{"0", "%m", "maximum"}, {"1", "%z", "add"}, {"2", "%z", "multiply"}}) {
    body += std::string("%") + name + " = stablehlo.reduce(%x init: " + init + ") applies stablehlo." + op +
            " across dimensions = [0] : (tensor<99297xf32>, tensor<f32>) -> tensor<f32>\n";
  }
  const Module module = program("(%x: tensor<99297xf32>) -> (tensor<f32>, tensor<f32>, tensor<f32>)",
                                body + "return %0, %1, %2 : tensor<f32>, tensor<f32>, tensor<f32>");
  const Tensors arguments{random_tensor(1, {99297})};
  for (const char* target : {"native", "avx2", "baseline"}) {
    const config::Scope scope({{"cpu_target", target}});
    expect_same(execute(*compiled(module), arguments), run_evaluator(module, arguments));
  }
}

// One number, two axes of different room: clamped for each apart.
TEST(DynamicSlice, TwoAxesByOneIndex) {
  const Module module = program("(%x: tensor<31x31xf32>, %i: tensor<i32>) -> tensor<1x21xf32>", R"(
      %0 = stablehlo.dynamic_slice %x, %i, %i, sizes = [1, 21] : (tensor<31x31xf32>, tensor<i32>, tensor<i32>) -> tensor<1x21xf32>
      return %0 : tensor<1x21xf32>)");
  for (int start : {-1, 0, 7, 10, 11, 30, 100}) {
    Tensor index(Aval{Shape{}, DType(DType::kInt32)});
    std::memcpy(index.mutable_data(), &start, sizeof start);
    const Tensors arguments{random_tensor(1, {31, 31}), index};
    expect_same(execute(*compiled(module), arguments), run_evaluator(module, arguments));
  }
}

TEST(Empty, ReshapesInsideAKernel) {
  const Module module = program("(%x: tensor<7x3x0xf32>) -> tensor<0x7xf32>", R"(
      %0 = stablehlo.negate %x : tensor<7x3x0xf32>
      %1 = stablehlo.reshape %0 : (tensor<7x3x0xf32>) -> tensor<7x0xf32>
      %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<7x0xf32>) -> tensor<0x7xf32>
      return %2 : tensor<0x7xf32>)");
  EXPECT_EQ(execute(*compiled(module), {random_tensor(1, {7, 3, 0})})[0].nbytes(), 0);
}

TEST(Large, ResultsPastTheCaches) {
  const Shape in{3000, 3008}, out{3008, 3000};
  expect_one_kernel("loop", {in, out}, type(out) + ", " + type(out), 2,
                    R"(%0 = stablehlo.transpose %p0, dims = [1, 0] : ()" + type(in) + ") -> " +
                        type(out) + R"(
      %1 = stablehlo.add %0, %p1 : )" +
                        type(out) + R"(
      %2 = stablehlo.multiply %p1, %p1 : )" +
                        type(out) + R"(
      tenon.yield %1, %2 : )" +
                        type(out) + ", " + type(out),
                    {random_tensor(11, in), random_tensor(12, out)});
}

TEST(Split, SumsOfAllElements) {
  for (Shape shape : {Shape{500, 500}, Shape{3, 700000}, Shape{1 << 20}, Shape{70000, 5}}) {
    SCOPED_TRACE(shape.str());
    const std::string t = type(shape);
    expect_one_kernel("input", {shape}, "tensor<f32>", 1,
                      R"(%z = stablehlo.constant dense<1.5> : tensor<f32>
      %0 = stablehlo.multiply %p0, %p0 : )" +
                          t + R"(
      %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = )" +
                          (shape.ndim() == 1 ? "[0]" : "[0, 1]") + " : (" + t +
                          R"(, tensor<f32>) -> tensor<f32>
      %2 = stablehlo.sqrt %1 : tensor<f32>
      tenon.yield %2 : tensor<f32>)",
                      {random_tensor(13, shape)});
  }
}

}  // namespace
}  // namespace tenon::cpu
