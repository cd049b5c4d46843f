// The compile cache in memory: what it counts, what it forgets, and what lives on.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "support/expect_error.h"
#include "support/leaking_compiles.h"
#include "tenon/testkit.h"

namespace tenon {
namespace {

CacheStats difference(const CacheStats& now, const CacheStats& before) {
  return {now.hits - before.hits, now.misses - before.misses, now.evictions - before.evictions, now.bytes - before.bytes, now.entries - before.entries};
}

TEST(ProgramCache, CountsHitsMissesAndBytes) {
  clear_caches();
  const Array x = jnp::ones({3}), y = jnp::ones({4});
  const CacheStats before = program_cache_stats();
  {
    double k = 3;
    auto f = jit([k](Array a) { return a * k; });
    f(x);
    f(x);
    f(y);
    f(x);
    const CacheStats d = difference(program_cache_stats(), before);
    EXPECT_EQ(d.misses, 2);
    EXPECT_EQ(d.hits, 2);
    EXPECT_EQ(d.entries, 2);
    EXPECT_EQ(d.evictions, 0);
    EXPECT_GT(d.bytes, 1000);
    EXPECT_EQ(f.cache_size(), 2);
  }
  const CacheStats after = difference(program_cache_stats(), before);  // the function is gone
  EXPECT_EQ(after.entries, 0);
  EXPECT_EQ(after.bytes, 0);
  EXPECT_EQ(after.hits, 2);
}

TEST(ProgramCache, CountsOptionsThatMakeAnotherProgram) {
  double k = 3;
  auto f = jit([k](Array a) { return jnp::sin(a) * k; });
  const Array x = jnp::ones({3});
  f(x);
  const CacheStats before = program_cache_stats();
  {
    const config::Scope same{{"log_compiles", false}};
    f(x);
  }
  EXPECT_EQ(difference(program_cache_stats(), before).misses, 0);
  {
    const config::Scope other{{"disable_passes", "fusion"}};
    f(x);
  }
  const CacheStats d = difference(program_cache_stats(), before);
  EXPECT_EQ(d.misses, 1);
  EXPECT_EQ(d.entries, 0);  // in the place of the first
}

// f and g fit the limit, a third does not: what was not used for longest goes.
TEST(ProgramCache, ForgetsWhatWasNotUsedForLongest) {
  const Array x = jnp::ones({3});
  clear_caches();
  int traced[3] = {};
  const auto make = [&](int i) {
    return jit([i, &traced](Array a) {
      ++traced[i];
      return a * static_cast<double>(i + 2);
    });
  };
  auto f = make(0), g = make(1), h = make(2);
  f(x);
  const config::Scope limit{{"program_cache_max_bytes", program_cache_stats().bytes * 5 / 2}};
  g(x);
  f(x);
  EXPECT_EQ(program_cache_stats().evictions, 0);
  EXPECT_EQ(h(x).to_vector<float>(), std::vector<float>(3, 4));  // g goes
  EXPECT_EQ(program_cache_stats().evictions, 1);
  EXPECT_EQ(g.cache_size(), 0);
  EXPECT_EQ(f.cache_size(), 1);
  f(x);
  h(x);
  EXPECT_EQ(traced[0], 1);
  EXPECT_EQ(traced[1], 1);
  EXPECT_EQ(traced[2], 1);
  EXPECT_EQ(g(x).to_vector<float>(), std::vector<float>(3, 3));  // f goes
  EXPECT_EQ(traced[1], 2);
  EXPECT_EQ(f.cache_size(), 0);
  EXPECT_EQ(h.cache_size(), 1);
}

TEST(ProgramCache, KeepsTheLastWhateverItsSize) {
  const config::Scope limit{{"program_cache_max_bytes", 0}};
  const Array x = jnp::ones({2});
  double k = 5;
  int traced = 0;
  auto f = jit([k, &traced](Array a) {
    ++traced;
    return a * k;
  });
  for (int i = 0; i < 3; ++i) EXPECT_EQ(f(x).to_vector<float>(), std::vector<float>(2, 5));
  EXPECT_EQ(traced, 1);
  EXPECT_EQ(f.cache_size(), 1);
  EXPECT_EQ(program_cache_stats().entries, 1);
}

// They are the function's, which holds them longer than any program.
TEST(ProgramCache, CapturedArraysDoNotCount) {
  const Array large = jnp::ones({1 << 20});
  auto f = jit([large](Array a) { return jnp::sum(large * a); });
  const int64_t before = program_cache_stats().bytes;
  f(2.0);
  EXPECT_GT(program_cache_stats().bytes, before);
  EXPECT_LT(program_cache_stats().bytes - before, 1 << 20);
}

TEST(ProgramCache, ClearedProgramsThatAreHeldLiveOn) {
  const Array x = jnp::ones({1 << 20});
  double k = 3;
  auto f = jit([k](Array a) { return jnp::exp(a) * k; });
  const auto compiled = f.lower(x).compile();
  Plan plan = compiled.plan();
  const Array queued = f(x);  // perhaps not done yet
  clear_caches();
  EXPECT_EQ(f.cache_size(), 0);
  EXPECT_EQ(program_cache_stats().entries, 0);
  const std::vector<float> want = queued.to_vector<float>();
  EXPECT_NEAR(want[7], 3 * std::exp(1.0), 1e-5);
  EXPECT_EQ(compiled(x).to_vector<float>(), want);
  std::vector<float> out(want.size());
  ASSERT_TRUE(plan.run({ArrayView<float>(x).data()}, {out.data()}));
  EXPECT_EQ(out, want);
  EXPECT_EQ(f(x).to_vector<float>(), want);
}

TEST(ProgramCache, EagerOperationsAreCountedAndForgotten) {
  clear_caches();
  const Array x = jnp::ones({1 << 17});
  jnp::sin(x).block_until_ready();
  const CacheStats first = program_cache_stats();
  EXPECT_GE(first.misses, 1);
  EXPECT_GE(first.entries, 1);
  jnp::sin(x).block_until_ready();
  EXPECT_EQ(program_cache_stats().misses, first.misses);
  EXPECT_GT(program_cache_stats().hits, first.hits);
  clear_caches();
  EXPECT_EQ(program_cache_stats().entries, 0);
  EXPECT_FLOAT_EQ(jnp::sin(x).to_vector<float>()[5], std::sin(1.0f));
}

TEST(ProgramCache, ThreadsCallWhileOthersClear) {
  const Array x = jnp::ones({16});
  double k = 7;
  auto f = jit([k](Array a) { return a * k + 1.0; });
  std::atomic<bool> stop{false};
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&] {
      while (!stop) wrong += f(x).to_vector<float>() != std::vector<float>(16, 8);
    });
  for (int i = 0; i < 20; ++i) {
    clear_caches();
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    static_cast<void>(program_cache_stats());
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(f.cache_size(), 1);  // threads that trace at once keep one program
}

TEST(ProgramCache, CompiledCodeIsFreed) { test::expect_nothing_stays(200, 1 << 20); }

}  // namespace
}  // namespace tenon
