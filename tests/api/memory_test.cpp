// What memory_analysis() says that a run takes is what it takes.
#include <gtest/gtest.h>

#include "runtime/allocator.h"
#include "runtime/dispatcher.h"
#include "support/random_array.h"
#include "tenon/tenon.h"

namespace tenon {
namespace {

using test::normal;

// The most that the allocator has out during a run, besides what was out before: results, temp and scratch.
template <class F, class... A>
void expect_peak(const char* name, F f, A... args) {
  for (int threads : {1, 2}) {
    SCOPED_TRACE(std::string(name) + " on " + std::to_string(threads) + " threads");
    const config::Scope pool{{"num_threads", threads}};
    const auto compiled = jit(f).lower(args...).compile();
    const MemoryAnalysis memory = compiled.memory_analysis();
    EXPECT_EQ(memory.peak_memory_in_bytes, memory.argument_size_in_bytes + memory.output_size_in_bytes + memory.temp_size_in_bytes -
                                               memory.alias_size_in_bytes + memory.scratch_size_in_bytes);
    runtime::Allocator& allocator = runtime::Allocator::get();
    runtime::Dispatcher::get().wait_idle();  // what made the arguments has let go of its memory
    const int64_t before = allocator.stats().live_bytes;
    allocator.reset_peak();
    {
      const auto result = compiled(args...);
      for (const Array& x : tree::leaves(result)) x.block_until_ready();
    }
    const int64_t predicted = memory.peak_memory_in_bytes - memory.argument_size_in_bytes, got = allocator.stats().peak_bytes - before;
    SCOPED_TRACE("results " + std::to_string(memory.output_size_in_bytes) + ", temp " + std::to_string(memory.temp_size_in_bytes) + ", scratch " +
                 std::to_string(memory.scratch_size_in_bytes));
    EXPECT_LE(static_cast<double>(got), 1.05 * static_cast<double>(predicted));
    // A thread that comes late takes nothing.
    const int64_t sure = threads == 1 ? predicted : memory.output_size_in_bytes + memory.temp_size_in_bytes;
    EXPECT_GE(static_cast<double>(got), 0.95 * static_cast<double>(sure));
  }
}

TEST(MemoryAnalysis, OfRowsKeptInAKernel) {
  const Array x = normal(1, {512, 4096});
  expect_peak("softmax", [](Array t) { return nn::softmax(t); }, x);
  expect_peak("layernorm", [](Array t) {
    const Array centered = t - jnp::mean(t, {.axis = -1, .keepdims = true});
    return centered / jnp::sqrt(jnp::mean(centered * centered, {.axis = -1, .keepdims = true}) + 1e-5);
  }, x);
  const config::Scope pool{{"num_threads", 2}};
  EXPECT_EQ(jit([](Array t) { return nn::softmax(t); }).lower(x).compile().memory_analysis().temp_size_in_bytes, 0);
}

TEST(MemoryAnalysis, OfProducts) {
  const Array a = normal(2, {1024, 1024}), b = normal(3, {1024, 1024});
  expect_peak("matmul", [](Array x, Array y) { return jnp::matmul(x, y); }, a, b);
  expect_peak("transposed", [](Array x, Array y) { return jnp::matmul(x.T(), y.T()); }, a, b);
  expect_peak("bfloat16", [](Array x, Array y) { return jnp::matmul(x, y); }, a.astype(jnp::bfloat16), b.astype(jnp::bfloat16));
  expect_peak("complex", [](Array x, Array y) { return jnp::matmul(x, y); }, a.astype(jnp::complex64), b.astype(jnp::complex64));
  expect_peak("batched", [](Array x, Array y) { return jnp::matmul(x, y); }, a.reshape({64, 128, 128}), b.reshape({64, 128, 128}));
  expect_peak("two layers", [](Array x, Array y) { return jnp::tanh(jnp::matmul(jnp::tanh(jnp::matmul(x, y)), y)); }, a, b);
}

TEST(MemoryAnalysis, OfSortsAndTransforms) {
  const Array x = normal(4, {1 << 18});
  expect_peak("sort", [](Array t) { return jnp::sort(t); }, x);
  expect_peak("argsort", [](Array t) { return jnp::argsort(t); }, x);
  expect_peak("sort of rows", [](Array t) { return jnp::sort(t); }, x.reshape({64, 4096}));
  expect_peak("fft", [](Array t) { return jnp::fft::fft(t); }, x.astype(jnp::complex64));
  expect_peak("irfft2", [](Array t) { return jnp::fft::irfft2(t); }, x.reshape({512, 512}).astype(jnp::complex64));
}

TEST(MemoryAnalysis, OfReductionsAndLoops) {
  const Array x = normal(5, {1024, 1024});
  expect_peak("sums", [](Array t) { return Arrays{t * 2.0, jnp::sum(t), jnp::sum(t, {.axis = 0}), jnp::max(t, {.axis = 1})}; }, x);
  expect_peak("cumsum", [](Array t) { return lax::cumsum(t, 0); }, x);
  expect_peak("scan", [](Array t) {
    return lax::scan([](Array carry, Array row) { return std::pair{jnp::tanh(carry + row), carry * row}; }, t(0), t).second;
  }, x);
  expect_peak("loop of products", [](Array t) {
    return lax::fori_loop(0, 3, [&](Array, Array y) { return jnp::tanh(jnp::matmul(t, y)); }, t);
  }, x);
}

}  // namespace
}  // namespace tenon
