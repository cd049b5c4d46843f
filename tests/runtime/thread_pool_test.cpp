#include "runtime/thread_pool.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "runtime/float_mode.h"
#include "support/fork.h"
#include "tenon/config.h"
#include "tenon/error.h"

namespace tenon::runtime {
using testing::exit_code_of_child;

namespace {

TEST(ThreadPool, RunsEachUnitOnce) {
  for (int threads : {1, 2, 3, 8}) {
    PoolSizeScope size(threads);
    for (int64_t units : {0, 1, 2, 7, 64, 1000}) {
      for (int64_t grain : {1, 3, 64, 2000}) {
        std::vector<std::atomic<int>> hits(units);
        parallel_for(units, grain, [&](int64_t begin, int64_t end) {
          EXPECT_EQ(begin % grain, 0);
          EXPECT_LE(end - begin, grain);
          for (int64_t i = begin; i < end; ++i) hits[i].fetch_add(1);
        });
        for (auto& hit : hits) EXPECT_EQ(hit.load(), 1);
      }
    }
  }
}

TEST(ThreadPool, SizeFollowsScopeAndOption) {
  {
    config::Scope scope({{"num_threads", 3}});
    EXPECT_EQ(ThreadPool::get().size(), 3);
    PoolSizeScope size(5);
    EXPECT_EQ(ThreadPool::get().size(), 5);
  }
  EXPECT_GE(ThreadPool::get().size(), 1);
}

TEST(ThreadPool, UsesOtherThreads) {
  PoolSizeScope size(2);
  // Both chunks must be inside at once: needs a second thread, so this would hang without one.
  std::atomic<int> arrived{0};
  parallel_for(2, 1, [&](int64_t, int64_t) {
    arrived.fetch_add(1);
    while (arrived.load() < 2) std::this_thread::yield();
  });
  EXPECT_EQ(arrived.load(), 2);
}

TEST(ThreadPool, NestedCallsRunInline) {
  PoolSizeScope size(4);
  std::atomic<int64_t> sum{0};
  parallel_for(16, 1, [&](int64_t i, int64_t) {
    const auto thread = std::this_thread::get_id();
    EXPECT_TRUE(ThreadPool::inside_region());
    parallel_for(10, 1, [&](int64_t j, int64_t) {
      EXPECT_EQ(std::this_thread::get_id(), thread);
      sum += i * 10 + j;
    });
  });
  EXPECT_FALSE(ThreadPool::inside_region());
  EXPECT_EQ(sum.load(), 160 * 159 / 2);
}

TEST(ThreadPool, ThrowsTheErrorOfTheLowestChunk) {
  for (int threads : {1, 2, 8}) {
    PoolSizeScope size(threads);
    for (int round = 0; round < 100; ++round) {
      std::atomic<int> ran{0};
      try {
        parallel_for(100, 1, [&](int64_t i, int64_t) {
          ran.fetch_add(1);
          if (i >= 5 && i % 2 == 1) throw std::runtime_error(std::to_string(i));
        });
        FAIL();
      } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "5");
      }
      EXPECT_LT(ran.load(), 100);
    }
  }
  parallel_for(10, 1, [](int64_t, int64_t) {});  // works as before
}

TEST(ThreadPool, ManyCallersAtOnce) {
  PoolSizeScope size(4);
  std::vector<std::thread> callers;
  std::atomic<int64_t> total{0};
  for (int c = 0; c < 8; ++c) {
    callers.emplace_back([&] {
      PoolSizeScope size(4);
      for (int round = 0; round < 200; ++round) {
        int64_t mine = 0;
        std::vector<int64_t> parts(32);
        parallel_for(32, 1, [&](int64_t i, int64_t) { parts[i] = i; });
        for (int64_t part : parts) mine += part;
        EXPECT_EQ(mine, 32 * 31 / 2);
        total += mine;
      }
    });
  }
  for (auto& caller : callers) caller.join();
  EXPECT_EQ(total.load(), 8 * 200 * 32 * 31 / 2);
}

// A host that calls late, on a thread of its own, or not at all.
class LateExecutor : public Executor {
 public:
  explicit LateExecutor(bool calls) : calls_(calls) {}
  ~LateExecutor() override {
    for (auto& thread : threads_) thread.join();
  }
  int concurrency() const noexcept override { return 4; }
  void request(int count, void (*help)(void*) noexcept, void* context) noexcept override {
    requests += count;
    if (!calls_) return;
    threads_.emplace_back([=] {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      help(context);
    });
  }
  int requests = 0;

 private:
  bool calls_;
  std::vector<std::thread> threads_;
};

TEST(ThreadPool, HostExecutorMayBeLateOrSilent) {
  for (bool calls : {false, true}) {
    LateExecutor executor(calls);
    ThreadPool::get().set_executor(&executor);
    EXPECT_EQ(ThreadPool::get().size(), 4);
    for (int round = 0; round < 20; ++round) {
      std::atomic<int> count{0};
      parallel_for(50, 1, [&](int64_t, int64_t) { count.fetch_add(1); });
      EXPECT_EQ(count.load(), 50);
    }
    ThreadPool::get().set_executor(nullptr);
    EXPECT_EQ(executor.requests, 20 * 3);
  }
}

#if defined(__x86_64__)
TEST(ThreadPool, WorkersKeepSubnormals) {
  _mm_setcsr(_mm_getcsr() | 0x8040);  // what -ffast-math does to a host: DAZ and FTZ
  PoolSizeScope size(3);
  std::atomic<int> flushed{0};
  parallel_for(64, 1, [&](int64_t, int64_t) {
    FloatModeScope scope;
    volatile float tiny = 1e-40f;
    if (tiny * 0.5f == 0) flushed.fetch_add(1);
  });
  EXPECT_EQ(flushed.load(), 0);
  volatile float tiny = 1e-40f;
  EXPECT_EQ(tiny * 0.5f, 0.0f);  // the host's mode is as it was
  _mm_setcsr(_mm_getcsr() & ~0x8040u);
}
#endif

TEST(ThreadPoolFork, ChildStartsItsOwnThreads) {
  SKIP_WITHOUT_FORK();
  PoolSizeScope size(2);
  parallel_for(4, 1, [](int64_t, int64_t) {});
  EXPECT_EQ(exit_code_of_child([] {
              std::atomic<int> count{0};
              parallel_for(100, 1, [&](int64_t, int64_t) { count.fetch_add(1); });
              return count.load() == 100 ? 0 : 1;
            }),
            0);
}

TEST(ThreadPoolFork, InsideARegionIsAnErrorInTheChild) {
  SKIP_WITHOUT_FORK();
  PoolSizeScope size(2);
  const auto caller = std::this_thread::get_id();
  for (bool by_caller : {true, false}) {
    pid_t child = -1;
    std::atomic<int> arrived{0};
    try {
      parallel_for(2, 1, [&](int64_t, int64_t) {
        arrived.fetch_add(1);
        while (arrived.load() < 2) std::this_thread::yield();
        if ((std::this_thread::get_id() == caller) == by_caller) child = fork();
      });
    } catch (const RuntimeError&) {
      _exit(child == 0 ? 7 : 8);
    }
    if (child == 0) _exit(9);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), by_caller ? 7 : 0);  // a child that is a worker just ends
  }
}

TEST(ThreadPoolExit, WithWorkInFlight) {
  SKIP_WITHOUT_FORK();
  for (int round = 0; round < 20; ++round) {
    EXPECT_EQ(exit_code_of_child([&] {
                static std::atomic<bool> began{false};
                std::thread([] {
                  PoolSizeScope size(2);
                  parallel_for(1000000, 1, [](int64_t, int64_t) { began = true; });
                }).detach();
                while (!began) std::this_thread::yield();
                std::exit(0);
                return 1;
              }),
              0);
  }
}

}  // namespace
}  // namespace tenon::runtime
