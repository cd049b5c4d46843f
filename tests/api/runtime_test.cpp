// What a host may set and ask: memory by its places, limits, a source of its own, threads, errors that nobody waits for.
#include "tenon/runtime.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <thread>

#include "runtime/allocator.h"
#include "runtime/dispatcher.h"
#include "support/expect_error.h"
#include "support/fork.h"
#include "tenon/tenon.h"

namespace tenon {
namespace {

MemorySite site(const std::string& label) {
  const std::vector<MemorySite> sites = memory_sites();
  const auto at = std::ranges::find(sites, label, &MemorySite::label);
  return at == sites.end() ? MemorySite{} : *at;
}

TEST(Memory, IsCountedByItsPlaces) {
  const int64_t before = memory_stats().live_bytes;
  double k = 2;
  const auto f = jit([k](Array x) { return jnp::sort(jnp::matmul(x, x) * k); }, {.name = "counted"});
  const Array x = jnp::ones({256, 256});
  {
    const Array y = f(x).block_until_ready();
    runtime::Dispatcher::get().wait_idle();
    EXPECT_GE(site("results of jit_counted").live_bytes, 256 * 256 * 4);
    EXPECT_GE(site("temporaries of jit_counted").peak_bytes, 256 * 256 * 4);
    EXPECT_EQ(site("temporaries of jit_counted").live_bytes, 0);
    EXPECT_EQ(site("results of jit_counted").allocations, 1);
  }
  EXPECT_EQ(site("results of jit_counted").live_bytes, 0);
  const std::vector<float> data(1 << 16);
  const int64_t copies = site("copies of host data").live_bytes;
  {
    const Array copy = device_put(std::span(data));
    EXPECT_GE(site("copies of host data").live_bytes - copies, 1 << 18);
  }
  EXPECT_EQ(site("copies of host data").live_bytes, copies);
  const std::vector<MemorySite> sites = memory_sites();
  EXPECT_TRUE(std::ranges::is_sorted(sites, std::greater(), &MemorySite::live_bytes));
  static_cast<void>(before);
}

TEST(Memory, HasALimitAPeakAndIsReleased) {
  reset_memory_peak();
  const MemoryStats before = memory_stats();
  { const Array x = jnp::ones({1 << 20}).block_until_ready(); }
  runtime::Dispatcher::get().wait_idle();
  const MemoryStats after = memory_stats();
  EXPECT_GE(after.peak_bytes - before.live_bytes, 4 << 20);
  EXPECT_GE(after.cached_bytes, 4 << 20);
  EXPECT_GE(release_memory(), 4 << 20);
  EXPECT_EQ(memory_stats().cached_bytes, 0);
  const int64_t limit = set_memory_limit(memory_stats().live_bytes + (1 << 20));
  EXPECT_ERROR_HAS(OutOfMemoryError, device_put(HostView(std::vector<float>(1 << 20).data(), {1 << 20})), "out of memory");
  set_memory_limit(limit);
  EXPECT_EQ(memory_stats().limit_bytes, limit);
}

class Counting final : public MemorySource {
 public:
  void* allocate(size_t size_bytes, size_t alignment) noexcept override {
    ++allocated;
    return std::aligned_alloc(alignment, size_bytes);
  }
  void deallocate(void* memory, size_t) noexcept override {
    ++freed;
    std::free(memory);
  }
  std::atomic<int> allocated{0}, freed{0};
};

TEST(Memory, ComesFromTheHostsSource) {
  Counting source;
  {
    runtime::Allocator allocator;
    allocator.set_source(&source);
    {
      runtime::Allocation small(100, nullptr, allocator), large(5 << 20, nullptr, allocator);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(small.data()) % 64, 0u);
      EXPECT_EQ(source.allocated, 2);
      EXPECT_ERROR_HAS(RuntimeError, allocator.set_source(nullptr), "set the source before the first array");
    }
    allocator.release_cached();
    EXPECT_EQ(source.freed, 2);
    allocator.set_source(nullptr);
    runtime::Allocation own(100, nullptr, allocator);
    EXPECT_EQ(source.allocated, 2);
  }
  EXPECT_EQ(source.freed, 2);
  const Array held = jnp::ones({8}) + 1.0;
  EXPECT_ERROR_HAS(RuntimeError, set_memory_source(&source), "of the source before are in use");
}

// ---- errors that nobody waits for

std::atomic<int> g_seen{0};
std::string g_message;
void hear(const std::exception_ptr& error) noexcept {
  ++g_seen;
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& e) {
    g_message = e.what();
  }
}

Array failing(Array x) {
  return lax::host_call([](Array) -> Array { throw std::runtime_error("sensor 7 is gone"); }, x.aval(), x);
}

TEST(UnobservedError, ReachesTheHookOnce) {
  g_seen = 0;
  const UnobservedErrorHook before = set_unobserved_error_hook(hear);
  const auto f = jit([](Array x) { return std::pair{failing(x), failing(x) * 2.0}; });
  const auto next = jit([](Array x) { return x * 3.0; });
  {
    const auto results = f(jnp::ones({8}));  // two arrays,
    const Array more = next(results.first);  // and one that depends on them
  }
  runtime::Dispatcher::get().wait_idle();
  EXPECT_EQ(g_seen, 1);
  EXPECT_THAT(g_message, ::testing::HasSubstr("sensor 7 is gone"));
  {
    const auto results = f(jnp::ones({8}));
    const Array more = next(results.second), unrelated = jnp::ones({4}) + 1.0;
    EXPECT_ERROR_HAS(RuntimeError, more.block_until_ready(), "sensor 7 is gone");
    EXPECT_ERROR_HAS(RuntimeError, results.first.to_vector<float>(), "sensor 7 is gone");  // at each wait
    EXPECT_EQ(unrelated.to_vector<float>(), std::vector<float>(4, 2));
  }
  runtime::Dispatcher::get().wait_idle();
  EXPECT_EQ(g_seen, 1);  // somebody saw it
  set_unobserved_error_hook(before);
  EXPECT_EQ(set_unobserved_error_hook(before), before);
}

TEST(UnobservedError, OfLargeWorkReachesItToo) {
  g_seen = 0;
  const UnobservedErrorHook before = set_unobserved_error_hook(hear);
  double k = 2;
  const auto f = jit([k](Array x) { return failing(jnp::sort(x)) * k; });
  f(jnp::ones({1 << 18}));
  runtime::Dispatcher::get().wait_idle();
  EXPECT_EQ(g_seen, 1);
  set_unobserved_error_hook(before);
}

// ---- threads of the host

class HostThreads final : public Executor {
 public:
  int concurrency() const noexcept override { return 2; }
  void request(int count, void (*help)(void*) noexcept, void* context) noexcept override {
    requests += count;
    std::thread(help, context).detach();
  }
  std::atomic<int> requests{0};
};

TEST(HostExecutor, HelpsWithLargeWork) {
  static HostThreads threads;  // outlives all
  const Array x = jnp::ones({1 << 21});
  const float want = jnp::sum(jnp::sin(x)).item<float>();
  set_executor(&threads);
  EXPECT_EQ(jit([](Array a) { return jnp::sum(jnp::sin(a)); })(x).item<float>(), want);
  set_executor(nullptr);
  EXPECT_GT(threads.requests, 0);
}

// ---- fork

TEST(Fork, AChildHearsThatItsParentComputes) {
  SKIP_WITHOUT_FORK();
  double k = 3;
  const auto f = jit([k](Array x) {
    return lax::host_call([](Array v) {
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      return v;
    }, x.aval(), jnp::sort(x)) * k;
  });
  const Array x = jnp::ones({1 << 18}).block_until_ready();
  const Array pending = f(x);
  ASSERT_FALSE(pending.is_ready());
  EXPECT_EQ(testing::exit_code_of_child([&] {
    try {
      pending.block_until_ready();
    } catch (const RuntimeError& error) {
      if (std::string(error.what()).find("forked") == std::string::npos) return 1;
      return jnp::sum(jnp::ones({4})).item() == 4 ? 7 : 2;  // new work is done
    }
    return 3;
  }), 7);
  EXPECT_EQ(pending.to_vector<float>()[0], 3);
}

// Locks of other threads are free in the child.
TEST(Fork, WhileOtherThreadsCall) {
  SKIP_WITHOUT_FORK();
  double k = 3;
  const auto f = jit([k](Array x) { return x * k; });
  const Array mine = jnp::ones({8}), theirs = jnp::ones({8});
  f(mine).block_until_ready();
  std::atomic<bool> stop{false};
  std::thread caller([&] {
    while (!stop) f(theirs);
  });
  for (int i = 0; i < 60; ++i) {
    const int code = testing::exit_code_of_child([&] {
      const bool is_right = f(mine).to_vector<float>() == std::vector<float>(8, 3);
      return is_right && (mine + 1.0).to_vector<float>()[7] == 2 ? 7 : 1;
    });
    ASSERT_EQ(code, 7) << i;
  }
  stop = true;
  caller.join();
}

// ---- the queue

TEST(Queue, IsBounded) {
  std::atomic<bool> open{false};
  std::atomic<int> called{0};
  const auto f = jit([&](Array x) {
    return lax::host_call([&](Array v) {
      ++called;
      while (!open) std::this_thread::yield();
      return v;
    }, x.aval(), jnp::sort(x));
  });
  const Array x = jnp::ones({1 << 18}).block_until_ready();
  f.lower(x).compile();
  std::atomic<int> submitted{0};
  constexpr int kCalls = 2 * runtime::Dispatcher::kMaxInFlight;
  std::vector<Array> results(kCalls);
  std::thread caller([&] {
    for (int i = 0; i < kCalls; ++i) {
      results[static_cast<size_t>(i)] = f(x);
      ++submitted;
    }
  });
  while (called == 0) std::this_thread::yield();
  for (int before = -1; before != submitted; std::this_thread::sleep_for(std::chrono::milliseconds(200))) before = submitted;
  EXPECT_GE(submitted, runtime::Dispatcher::kMaxInFlight);
  EXPECT_LE(submitted, runtime::Dispatcher::kMaxInFlight + 2);  // one runs, and one may be at the door
  open = true;
  caller.join();
  for (const Array& y : results) EXPECT_EQ(y.to_vector<float>()[5], 1);
}

}  // namespace
}  // namespace tenon
