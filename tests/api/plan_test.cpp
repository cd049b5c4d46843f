// Plans: runs that allocate nothing. tests/package/realtime.cpp has the same judged by RealtimeSanitizer.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "runtime/allocator.h"
#include "runtime/counters.h"
#include "support/random_array.h"
#include "tenon/testkit.h"

// Counts what this thread asks of the C++ heap.
static thread_local bool t_counts = false;
static thread_local int t_news = 0;
void* operator new(std::size_t size) {
  if (t_counts) ++t_news;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace tenon {
namespace {

using test::normal;

/// Memory for elements of a type, `offset` bytes behind an aligned address.
struct Memory {
  explicit Memory(const Aval& aval, size_t offset = 0) : bytes(static_cast<size_t>(aval.nbytes()) + 128) {
    const auto address = reinterpret_cast<uintptr_t>(bytes.data());
    data = bytes.data() + (64 - address % 64) + offset;
  }
  std::vector<char> bytes;
  char* data;
};

template <class F, class... A>
void expect_planned(const char* name, F f, const A&... args) {
  SCOPED_TRACE(name);
  const auto compiled = jit(f).lower(args...).compile({.config = {{"disable_passes", "stream-rows"}}});
  const auto expected = tree::leaves(block_until_ready(compiled(args...)));
  Plan plan = compiled.plan();
  std::vector<const void*> in;
  for (const Array& x : tree::leaves(std::tuple<A...>(args...))) in.push_back(x.block_until_ready().unsafe_buffer_pointer());
  for (size_t offset : {size_t{0}, size_t{4}}) {
    std::vector<Memory> out;
    std::vector<void*> results;
    for (const Aval& aval : compiled.out_avals()) out.emplace_back(aval, offset);
    for (Memory& memory : out) results.push_back(memory.data);
    for (int round = 0; round < 3; ++round) {
      const int64_t live = runtime::Allocator::get().stats().live_bytes;
      runtime::Allocator::get().reset_peak();
      t_news = 0;
      t_counts = true;
      const bool ran = plan.run(in, results);
      t_counts = false;
      EXPECT_TRUE(ran);
      EXPECT_EQ(t_news, 0);
      EXPECT_EQ(runtime::Allocator::get().stats().peak_bytes, live);
      for (size_t k = 0; k < expected.size(); ++k)
        EXPECT_EQ(std::memcmp(results[k], expected[k].unsafe_buffer_pointer(), static_cast<size_t>(expected[k].nbytes())), 0) << "result " << k;
    }
  }
}

TEST(Plan, RunsProgramsOfManyKinds) {
  const Array x = normal(1, {64, 48}), y = normal(2, {48, 80}), large = normal(3, {300, 1000});
  expect_planned("elements", [](Array a) { return jnp::sin(a) * 2.0f; }, large);
  expect_planned("softmax", [](Array a) { return nn::softmax(a); }, large);
  expect_planned("columns", [](Array a) { return std::pair{jnp::sum(a, {.axis = 0}), jnp::max(a)}; }, large);
  expect_planned("product", [](Array a, Array b) { return jnp::tanh(jnp::matmul(a, b)) + 1.0f; }, x, y);
  expect_planned("large product", [](Array a) { return jnp::matmul(a, a.T()); }, large);
  expect_planned("half product", [](Array a, Array b) { return jnp::matmul(a, b); }, x.astype(jnp::bfloat16), y.astype(jnp::bfloat16));
  expect_planned("complex product", [](Array a, Array b) { return jnp::matmul(a, b); }, x.astype(jnp::complex64), y.astype(jnp::complex64));
  expect_planned("vector", [](Array a, Array b) { return jnp::matmul(a, b); }, large, normal(4, {1000}));
  expect_planned("loop", [](Array a) { return lax::fori_loop(0, 5, [](Array, Array t) { return jnp::matmul(t, t.T()) * 0.01f; }, a); }, normal(5, {32, 32}));
  expect_planned("until", [](Array a) { return lax::while_loop([](Array t) { return jnp::sum(t) < 1e6f; }, [](Array t) { return t * t + 2.0f; }, a); }, x);
  expect_planned("branch", [](Array a) { return lax::cond(jnp::sum(a) > 0.0f, [](Array t) { return jnp::matmul(t, t.T()); }, [](Array t) { return jnp::matmul(t, t.T()) * 2.0f; }, a); }, x);
  expect_planned("update", [](Array a) { return lax::fori_loop(0, 8, [](Array i, Array t) { 
    return lax::dynamic_update_slice(t, jnp::ones({1, 48}) * i.astype(jnp::float32), {i, Array(0)});
  }, a); }, x);
  expect_planned("an argument as a result", [](Array a, Array) { return std::pair{a, a + 1.0f}; }, x, y);
  const auto layers = [](Array a) {
    for (int i = 0; i < 6; ++i) a = jnp::tanh(jnp::matmul(a, a.T())).reshape({64, 64});
    return a;
  };
  expect_planned("layers", layers, x);
}

TEST(Plan, ResultsMayLieOnArguments) {
  const auto f = [](Array a) { return jnp::flip(a) + 1.0f; };
  const Array x = jnp::arange(1000, jnp::float32);
  const auto compiled = jit(f).lower(x).compile();
  Plan plan = compiled.plan();
  Memory memory(x.aval());
  std::memcpy(memory.data, x.unsafe_buffer_pointer(), static_cast<size_t>(x.nbytes()));
  EXPECT_TRUE(plan.run({memory.data}, {memory.data}));
  EXPECT_EQ(std::memcmp(memory.data, f(x).block_until_ready().unsafe_buffer_pointer(), static_cast<size_t>(x.nbytes())), 0);
}

TEST(Plan, OfDonatedArgumentsKeepsThem) {
  const Array x = normal(1, {100});
  const auto compiled = jit([](Array a) { return a * 2.0f; }, {.donate_argnums = {0}}).lower(x).compile();
  Memory in(x.aval()), out(x.aval());
  std::memcpy(in.data, x.unsafe_buffer_pointer(), static_cast<size_t>(x.nbytes()));
  Plan plan = compiled.plan();
  EXPECT_TRUE(plan.run({in.data}, {out.data}));
  EXPECT_EQ(std::memcmp(in.data, x.unsafe_buffer_pointer(), static_cast<size_t>(x.nbytes())), 0);
  EXPECT_EQ(std::memcmp(out.data, (x * 2.0f).block_until_ready().unsafe_buffer_pointer(), static_cast<size_t>(x.nbytes())), 0);
}

TEST(Plan, WithWrongPointersDoesNothing) {
  const Array x = normal(1, {10});
  Plan plan = jit([](Array a) { return a * 2.0f; }).lower(x).compile().plan(), empty;
  Memory out(x.aval());
  const void* in = x.unsafe_buffer_pointer();
  EXPECT_FALSE(plan.run({}, {out.data}));
  EXPECT_FALSE(plan.run({in}, {}));
  EXPECT_FALSE(plan.run({in, in}, {out.data}));
  EXPECT_FALSE(plan.run({nullptr}, {out.data}));
  EXPECT_FALSE(plan.run({in}, {nullptr}));
  EXPECT_FALSE(empty.run({in}, {out.data}));
  EXPECT_TRUE(plan.run({in}, {out.data}));
}

TEST(Plan, OfProgramsThatAllocateIsRefused) {
  const Array x = normal(1, {64, 64});
  EXPECT_THROW(jit([](Array a) { return a.at(jnp::array({1, 2})).set(0.0f); }).lower(x).compile().plan(), UnimplementedError);
  EXPECT_THROW(jit([](Array a) { return jnp::sort(a); }).lower(x).compile().plan(), UnimplementedError);
  EXPECT_THROW(jit([](Array a) { return lax::host_call([](Array t) -> Array { return t; }, a.aval(), a); }).lower(x).compile().plan(), UnimplementedError);
  EXPECT_THROW(jit([](Array a) { return a + 1.0f; }, {.backend = "reference"}).lower(x).compile().plan(), UnimplementedError);
  EXPECT_THROW(Compiled().plan(), ValueError);
}

}  // namespace
}  // namespace tenon
