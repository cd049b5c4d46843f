// Running programs: counters, memory, donation, errors, texts.
#include "run_both.h"
#include "runtime/allocator.h"
#include "runtime/counters.h"
#include "runtime/dispatcher.h"
#include "tenon/error.h"

namespace tenon::cpu {
namespace {

Module sine_plus(int64_t n) {
  const std::string t = "tensor<" + std::to_string(n) + "xf32>";
  return program("(%x: " + t + ", %y: " + t + ") -> " + t,
                 "%0 = stablehlo.sine %x : " + t + "\n%1 = stablehlo.add %0, %y : " + t +
                     "\nreturn %1 : " + t);
}

TEST(Execute, CountsKernelsAndTheArena) {
  const Module module = program("(%x: tensor<64x64xf32>) -> tensor<64x64xf32>", R"(
      %0 = stablehlo.log %x : tensor<64x64xf32>
      %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<64x64xf32>) -> tensor<64x64xf32>
      return %1 : tensor<64x64xf32>)");
  passes::PipelineOptions options;
  options.disable_passes = "fusion";
  const Tensors arguments{random_tensor(1, {64, 64}, DType(DType::kFloat32), 0.5, 2)};
  for (bool is_fused : {false, true}) {
    const ExecutableRef executable =
        compiled(module, is_fused ? passes::PipelineOptions{} : options);
    const runtime::RunCounts before = runtime::run_counts();
    execute(*executable, arguments);
    const runtime::RunCounts counts = runtime::run_counts() - before;
    EXPECT_EQ(counts.kernels_launched, is_fused ? 1 : 2);
    EXPECT_EQ(counts.temp_bytes_allocated, is_fused ? 0 : 64 * 64 * 4);
    EXPECT_EQ(counts.programs_run, 1);
  }
}

TEST(Execute, DotsOfEveryForm) {
  for (auto [lhs, rhs, left, right] : {std::tuple{"5x7", "7x9", 1, 0},
                                       {"7x5", "7x9", 0, 0},
                                       {"5x7", "9x7", 1, 1},
                                       {"7x5", "9x7", 0, 1}}) {
    const std::string a = "tensor<" + std::string(lhs) + "xf32>",
                      b = "tensor<" + std::string(rhs) + "xf32>";
    const Module module =
        program("(%x: " + a + ", %y: " + b + ") -> tensor<5x9xf32>",
                "%0 = stablehlo.dot_general %x, %y, contracting_dims = [" + std::to_string(left) +
                    "] x [" + std::to_string(right) + "] : (" + a + ", " + b +
                    ") -> tensor<5x9xf32>\n%1 = stablehlo.negate %0 : tensor<5x9xf32>\nreturn %1 : "
                    "tensor<5x9xf32>");
    const Shape l = lhs[0] == '5' ? Shape{5, 7} : Shape{7, 5},
                r = rhs[0] == '7' ? Shape{7, 9} : Shape{9, 7};
    const Tensors arguments{random_tensor(2, l), random_tensor(3, r)};
    const Tensors got = execute(*compiled(module), arguments),
                  want = run_evaluator(module, arguments);
    for (int i = 0; i < 45; ++i)
      EXPECT_NEAR(got[0].values<float>()[i], want[0].values<float>()[i], 1e-5);
  }
}

// A product that is only reduced is made inside of the kernel: the same bits, no arena.
TEST(Execute, AProductInsideAKernel) {
  const char* kSumOfAll = R"(
      %r = stablehlo.reduce(%p init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<SHAPE>, tensor<f32>) -> tensor<f32>)";
  const char* kSquaresOfRows = R"(
      %s = stablehlo.multiply %p, %p : tensor<SHAPE>
      %r = stablehlo.reduce(%s init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<SHAPE>, tensor<f32>) -> tensor<ROWSxf32>)";
  const char* kMaximaOfColumns = R"(
      %e = stablehlo.exponential %p : tensor<SHAPE>
      %r = stablehlo.reduce(%e init: %zero) applies stablehlo.maximum across dimensions = [0] : (tensor<SHAPE>, tensor<f32>) -> tensor<COLUMNSxf32>)";
  for (auto [m, n, k] : {std::tuple{1, 1, 1}, {5, 9, 7}, {128, 128, 128}, {3, 0, 4}, {3, 4, 0}, {200, 300, 2}}) {
    for (const char* rest : {kSumOfAll, kSquaresOfRows, kMaximaOfColumns}) {
      const auto f32 = [](int rows, int columns) { return std::to_string(rows) + "x" + std::to_string(columns) + "xf32"; };
      std::string code = rest;
      for (auto [name, value] : {std::pair<std::string, std::string>{"SHAPE", f32(m, n)},
                                 {"ROWS", std::to_string(m)},
                                 {"COLUMNS", std::to_string(n)}}) {
        for (size_t at; (at = code.find(name)) != std::string::npos;) code.replace(at, name.size(), value);
      }
      const std::string result = rest == kSumOfAll ? "f32" : std::to_string(rest == kSquaresOfRows ? m : n) + "xf32";
      const std::string a = "tensor<" + f32(m, k) + ">", b = "tensor<" + f32(k, n) + ">";
      const Module module = program("(%x: " + a + ", %y: " + b + ") -> tensor<" + result + ">",
                                    "%zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
                                    "%p = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (" +
                                        a + ", " + b + ") -> tensor<" + f32(m, n) + ">" + code +
                                        "\nreturn %r : tensor<" + result + ">");
      passes::PipelineOptions options;
      options.fuse_products = true;
      const ExecutableRef inside = compiled(module, options), apart = compiled(module);
      const Tensors arguments{random_tensor(4, {m, k}), random_tensor(5, {k, n})};
      const runtime::RunCounts before = runtime::run_counts();
      const Tensors got = execute(*inside, arguments);
      const runtime::RunCounts counts = runtime::run_counts() - before;
      SCOPED_TRACE(module.str());
      expect_same(got, execute(*apart, arguments));
      if (m * n * k == 0 || m * n == 1) continue;  // folded or copied; nothing to reduce
      EXPECT_EQ(counts.kernels_launched, 1);
      EXPECT_EQ(counts.temp_bytes_allocated, 0);
      EXPECT_GE(inside->scratch_size_bytes(), m * n * 4);
    }
  }
}

TEST(Execute, LargeWorkIsQueuedAndWaitedFor) {
  const int64_t n = 3 << 20;
  const Module module = sine_plus(n);
  const ExecutableRef executable = compiled(module);
  const Tensors arguments{random_tensor(4, {n}), random_tensor(5, {n})};
  BufferRefs buffers;
  for (const Tensor& t : arguments)
    buffers.push_back(client().copy_from_host(t.data(), t.nbytes(), 0));
  BufferRefs first = executable->execute(buffers, {});
  BufferRefs second =
      executable->execute({first[0], buffers[1]}, {});  // depends on a pending result
  const ExecutableRef small = compiled(sine_plus(8));
  const float x[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  const BufferRef eight = client().copy_from_host(x, sizeof x, 0);
  EXPECT_TRUE(small->execute({eight, eight}, {})[0]->is_ready());
  Tensor got(second.size() ? executable->result_avals()[0] : Aval{});
  second[0]->copy_to_host(got.mutable_data());
  Tensors once = run_evaluator(module, arguments);
  expect_same({got}, run_evaluator(module, {once[0], arguments[1]}));
}

TEST(Execute, DonatedMemoryBecomesTheResult) {
  passes::PipelineOptions options;
  options.donated = {true, false};
  const Module module = sine_plus(100);
  const ExecutableRef executable = compiled(module, options);
  const Tensors arguments{random_tensor(6, {100}), random_tensor(7, {100})};
  const Tensors want = run_evaluator(module, arguments);
  const std::vector<bool> donated{true, false};
  const ExecuteOptions with{.donated = &donated};

  const BufferRef x = client().copy_from_host(arguments[0].data(), 400, 0),
                  y = client().copy_from_host(arguments[1].data(), 400, 0);
  const void* address = x->unsafe_pointer();
  BufferRefs results = executable->execute({x, y}, with);
  EXPECT_TRUE(x->is_deleted());
  EXPECT_EQ(results[0]->unsafe_pointer(), address);
  EXPECT_EQ(std::memcmp(results[0]->host_data(), want[0].data(), 400), 0);

  // Without the caller's leave, and where both arguments are one array, nothing is lost.
  const BufferRef z = client().copy_from_host(arguments[0].data(), 400, 0);
  results = executable->execute({z, y}, {});
  EXPECT_FALSE(z->is_deleted());
  EXPECT_EQ(std::memcmp(results[0]->host_data(), want[0].data(), 400), 0);
  EXPECT_EQ(std::memcmp(z->host_data(), arguments[0].data(), 400), 0);
  results = executable->execute({z, z}, with);
  const Tensors twice = run_evaluator(module, {arguments[0], arguments[0]});
  EXPECT_EQ(std::memcmp(results[0]->host_data(), twice[0].data(), 400), 0);
}

TEST(Execute, ResultsOfAFailedRunThrow) {
  const Module module = program("(%x: tensor<8x8xf32>) -> tensor<8x8xf32>", R"(
      %0 = stablehlo.log %x : tensor<8x8xf32>
      %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
      return %1 : tensor<8x8xf32>)");
  passes::PipelineOptions options;
  options.disable_passes = "fusion";  // so that there is an arena
  const ExecutableRef executable = compiled(module, options);
  const Tensor x = random_tensor(8, {8, 8});
  const BufferRef buffer = client().copy_from_host(x.data(), x.nbytes(), 0);
  runtime::Allocator::get().fail_nth(2);  // the first is the result's
  const BufferRefs results = executable->execute({buffer}, {});
  runtime::Allocator::get().fail_nth(0);
  EXPECT_THROW(results[0]->wait(), OutOfMemoryError);
  EXPECT_THROW(executable->execute(results, {})[0]->wait(), OutOfMemoryError);
}

TEST(Execute, WrongArgumentsAreNamed) {
  const ExecutableRef executable = compiled(sine_plus(4));
  const float x[2] = {1, 2};
  const BufferRef two = client().copy_from_host(x, sizeof x, 0);
  EXPECT_THROW(executable->execute({two}, {}), ValueError);
  EXPECT_THROW(executable->execute({two, two}, {}), ValueError);
}

TEST(Compile, TextsShowTheKernels) {
  const ExecutableRef executable = compiled(sine_plus(1000));
  EXPECT_NE(executable->generated_code("llvm").find("define void @"), std::string::npos);
  EXPECT_NE(executable->generated_code("llvm").find("llvm.fma"), std::string::npos);
  EXPECT_NE(executable->generated_code("asm").find("ret"), std::string::npos);
  EXPECT_EQ(executable->generated_code("mlir"), "");
  EXPECT_GT(executable->generated_code_size_bytes(), 100);
}

TEST(Compile, WhatHasNoCodeIsNamed) {
  const Module module = program(
      "(%x: tensor<4xf8E4M3FN>) -> tensor<4xf8E4M3FN>",
      "%0 = stablehlo.add %x, %x : tensor<4xf8E4M3FN>\nreturn %0 : tensor<4xf8E4M3FN>");
  try {
    compiled(module);
    FAIL();
  } catch (const UnimplementedError& error) {
    EXPECT_NE(std::string(error.what()).find("float8_e4m3fn"), std::string::npos) << error.what();
  }
}

TEST(Compile, CodeIsFreedAndMadeAgain) {
  for (int k = 0; k < 20; ++k) {
    const Module module = sine_plus(16 + k);
    const Tensors arguments{random_tensor(9, {16 + k}), random_tensor(10, {16 + k})};
    expect_same(execute(*compiled(module), arguments), run_evaluator(module, arguments));
  }
}

TEST(Client, AdoptsAndCopies) {
  EXPECT_EQ(&find_client("cpu"), &client());
  EXPECT_EQ(client().platform(), "cpu");
  float x[4] = {1, 2, 3, 4};
  static bool is_released;
  is_released = false;
  {
    const BufferRef buffer =
        client().adopt(x, sizeof x, 0, {nullptr, [](void*) { is_released = true; }});
    EXPECT_EQ(buffer->unsafe_pointer(), x);
    EXPECT_FALSE(is_released);
  }
  EXPECT_TRUE(is_released);
}

}  // namespace
}  // namespace tenon::cpu
