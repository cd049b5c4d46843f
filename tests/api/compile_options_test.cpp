// Options of one compilation: over those in force, and for it alone.
#include <gtest/gtest.h>

#include <filesystem>

#include "runtime/allocator.h"
#include "runtime/dispatcher.h"
#include "support/random_array.h"
#include "tenon/testkit.h"

namespace tenon {
namespace {

using test::normal;

const auto kTwoSums = [](Array x) { return jnp::sum(jnp::sin(x)) + jnp::sum(jnp::cos(x)); };

TEST(CompileOptions, HoldForOneCompilation) {
  const auto lowered = jit(kTwoSums).lower(normal(1, {100}));
  EXPECT_EQ(testkit::fusions(lowered.compile()), 1);
  EXPECT_GT(testkit::fusions(lowered.compile({.config = {{"disable_passes", "fusion"}}})), 1);
  EXPECT_EQ(testkit::fusions(lowered.compile()), 1);
}

TEST(CompileOptions, OfJit) {
  const Array x = normal(1, {100});
  const auto plain = jit(kTwoSums, {.compile_options = {.config = {{"disable_passes", "fusion"}}}});
  EXPECT_FLOAT_EQ(plain(x).item<float>(), jit(kTwoSums)(x).item<float>());
  const std::filesystem::path directory = std::filesystem::temp_directory_path() / "tenon_compile_options_test";
  std::filesystem::remove_all(directory);
  jit(kTwoSums, {.compile_options = {.config = {{"dump_to", directory.string()}}}})(x);
  EXPECT_FALSE(std::filesystem::is_empty(directory));
  std::filesystem::remove_all(directory);
}

TEST(CompileOptions, OthersAreRefused) {
  const auto lowered = jit(kTwoSums).lower(normal(1, {100}));
  try {
    lowered.compile({.config = {{"enable_x64", true}}});
    FAIL();
  } catch (const ValueError& error) {
    EXPECT_STREQ(error.what(),
                 "compile: compilations do not read an option 'enable_x64'; they read: cpu_target, disable_passes, stream_min_bytes, max_bytes, "
                 "bisect_limit, verify_passes, dump_to, dump_hlo_as_text, reproducer, kernel_tools, timing, log_compiles");
  }
  EXPECT_THROW(lowered.compile({.config = {{"bisect_limit", "all"}}}), TypeError);
  EXPECT_THROW(lowered.compile({.max_bytes = -1}), ValueError);
  EXPECT_THROW(jit(kTwoSums, {.compile_options = {.max_bytes = -1}}), ValueError);
}

// ---- max_bytes

/// A chain of layers whose values the second half, in the other order, reads again.
Array there_and_back(const Array& x, int layers) {
  Arrays values{x};
  for (int i = 0; i < layers; ++i) values.push_back(jnp::cumsum(jnp::sin(values.back()), {.axis = 0}) * 0.1f);
  Array back = values.back();
  for (int i = layers; i-- > 0;) back = jnp::cumsum(back * values[static_cast<size_t>(i)], {.axis = 1}) * 0.1f;
  return back;
}

int64_t peak_of(const Compiled& compiled) { return compiled.memory_analysis().peak_memory_in_bytes; }

template <class F, class... A>
void expect_fits(F f, double part, const A&... args) {
  const auto free = jit(f).lower(args...).compile();
  const MemoryAnalysis memory = free.memory_analysis();
  const int64_t fixed = memory.peak_memory_in_bytes - memory.temp_size_in_bytes;
  const int64_t limit = fixed + static_cast<int64_t>(part * static_cast<double>(memory.temp_size_in_bytes));
  const auto limited = jit(f).lower(args...).compile({.max_bytes = limit});
  EXPECT_LE(peak_of(limited), limit);
  const auto expected = tree::leaves(free(args...)), got = tree::leaves(limited(args...));
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_TRUE(jnp::array_equal(got[i], expected[i]).template item<bool>());
}

TEST(MaxBytes, ValuesAreMadeAgain) {
  const Array x = normal(1, {256, 256});
  for (double part : {0.9, 0.75, 0.6, 0.5}) {
    SCOPED_TRACE(part);
    expect_fits([](Array t) { return there_and_back(t, 16); }, part, x);
  }
}

TEST(MaxBytes, OfATrainingStep) {
  const auto loss = [](Arrays weights, Array x) {
    for (const Array& w : weights) x = jnp::tanh(jnp::matmul(x, w));
    return jnp::sum(x * x);
  };
  Arrays weights;
  for (unsigned i = 0; i < 12; ++i) weights.push_back(normal(i, {64, 64}, 0.1));
  expect_fits(grad(loss), 0.6, weights, normal(20, {2048, 64}));
}

TEST(MaxBytes, InsideOfLoops) {
  const Array x = normal(1, {128, 128});
  expect_fits([](Array t) { return lax::fori_loop(0, 3, [](Array, Array y) { return there_and_back(y, 12); }, t); }, 0.6, x);
}

TEST(MaxBytes, IsWhatARunTakes) {
  const Array x = normal(1, {256, 256});
  const auto f = [](Array t) { return there_and_back(t, 16); };
  const MemoryAnalysis free = jit(f).lower(x).compile().memory_analysis();
  const int64_t limit = free.peak_memory_in_bytes - free.temp_size_in_bytes * 2 / 5;
  const config::Scope pool{{"num_threads", 1}};
  const auto compiled = jit(f).lower(x).compile({.max_bytes = limit});
  runtime::Allocator& allocator = runtime::Allocator::get();
  runtime::Dispatcher::get().wait_idle();
  const int64_t before = allocator.stats().live_bytes;
  allocator.reset_peak();
  compiled(x).block_until_ready();
  EXPECT_LE(allocator.stats().peak_bytes - before, limit - x.nbytes());
}

// Sums of many sorted arrays: one kernel reads them all, several do not.
TEST(MaxBytes, SplitsKernelsThatReadTooMuch) {
  const auto f = [](Array t) {
    Array y = t * 0.0f;
    for (int i = 0; i < 20; ++i) y = y + jnp::sort(t * static_cast<float>(i + 1), {.axis = i % 2});
    return y;
  };
  expect_fits(f, 0.4, normal(1, {64, 64}));
}

TEST(MaxBytes, NamesBuffersInsideOfLoops) {
  const Array x = normal(1, {64, 64});
  const auto lowered = jit([](Array t) { return lax::fori_loop(0, 3, [](Array, Array y) { return there_and_back(y, 12); }, t); }).lower(x);
  try {
    lowered.compile({.max_bytes = 2 * x.nbytes() + 1000});
    FAIL();
  } catch (const CompileError& error) {
    const std::string text = error.what();
    const std::string line = "\n  f32[64,64], 16384 bytes, ";
    EXPECT_NE(text.find(line, text.find(line) + 1), std::string::npos) << text;
  }
}

TEST(MaxBytes, FailsWithTheLargestBuffers) {
  const Array x = normal(1, {256, 256});
  const auto lowered = jit([](Array t) { return jnp::cumsum(jnp::sin(t), {.axis = 0}); }, {.name = "f"}).lower(x);
  const int64_t least = peak_of(lowered.compile());
  EXPECT_EQ(peak_of(lowered.compile({.max_bytes = least})), least);
  try {
    lowered.compile({.max_bytes = x.nbytes()});
    FAIL();
  } catch (const CompileError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("max_bytes is 262144; a run needs "), std::string::npos) << text;
    EXPECT_NE(text.find("argument 0: f32[256,256], 262144 bytes"), std::string::npos) << text;
    EXPECT_NE(text.find("compile_options_test.cpp:"), std::string::npos) << text;
  }
  EXPECT_THROW(lowered.compile({.config = {{"max_bytes", -5}}}), ValueError);
  EXPECT_THROW(lowered.compile({.max_bytes = x.nbytes(), .config = {{"disable_passes", "rematerialize"}}}), CompileError);
}

}  // namespace
}  // namespace tenon
