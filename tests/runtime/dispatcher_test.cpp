#include "runtime/dispatcher.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "runtime/host_buffer.h"
#include "runtime/thread_pool.h"
#include "support/fork.h"
#include "tenon/config.h"
#include "tenon/error.h"

namespace tenon::runtime {

using testing::exit_code_of_child;

namespace {

Dispatcher& dispatcher() { return Dispatcher::get(); }

using Dependencies = std::vector<Ref<Completion>>;

void wait(const Ref<Completion>& completion) {
  if (completion) completion->wait();
}

TEST(Dispatcher, SmallWorkRunsOnTheCaller) {
  std::thread::id where;
  auto completion = dispatcher().dispatch(DispatchMode::inline_if_ready, {},
                                          [&] { where = std::this_thread::get_id(); });
  EXPECT_FALSE(completion);
  EXPECT_EQ(where, std::this_thread::get_id());
}

TEST(Dispatcher, LargeWorkRunsElsewhere) {
  std::atomic<bool> go{false};
  std::thread::id where;
  auto completion = dispatcher().dispatch(DispatchMode::queued, {}, [&] {
    while (!go) std::this_thread::yield();
    where = std::this_thread::get_id();
  });
  ASSERT_TRUE(completion);
  EXPECT_FALSE(completion->is_done());
  EXPECT_FALSE(dispatcher().is_idle());
  // Small work that depends on it waits in the queue, other small work does not.
  std::atomic<bool> dependent_ran{false};
  auto dependent = dispatcher().dispatch(DispatchMode::inline_if_ready, Dependencies{completion},
                                         [&] { dependent_ran = true; });
  EXPECT_TRUE(dependent);
  EXPECT_FALSE(dependent_ran);
  EXPECT_FALSE(dispatcher().dispatch(DispatchMode::inline_if_ready, Dependencies{{}}, [] {}));
  go = true;
  dependent->wait();
  EXPECT_TRUE(dependent_ran);
  EXPECT_TRUE(completion->is_done());
  EXPECT_NE(where, std::this_thread::get_id());
  dispatcher().wait_idle();
  EXPECT_TRUE(dispatcher().is_idle());
}

TEST(Dispatcher, SynchronousAndSwitchedOff) {
  auto slow = dispatcher().dispatch(
      DispatchMode::queued, {}, [] { std::this_thread::sleep_for(std::chrono::milliseconds(5)); });
  bool ran = false;
  EXPECT_FALSE(
      dispatcher().dispatch(DispatchMode::synchronous, Dependencies{slow}, [&] { ran = true; }));
  EXPECT_TRUE(ran && slow->is_done());
  config::Scope scope({{"cpu_enable_async_dispatch", false}});
  EXPECT_FALSE(dispatcher().dispatch(DispatchMode::queued, {}, [&] { ran = false; }));
  EXPECT_FALSE(ran);
}

TEST(Dispatcher, RunsInOrder) {
  std::vector<int> order;
  Ref<Completion> last;
  for (int i = 0; i < 100; ++i) {
    last = dispatcher().dispatch(DispatchMode::queued, {}, [&order, i] { order.push_back(i); });
  }
  last->wait();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(order[i], i);
}

TEST(Dispatcher, ErrorsTravelAndLeaveTheRestAlone) {
  for (DispatchMode mode :
       {DispatchMode::queued, DispatchMode::inline_if_ready, DispatchMode::synchronous}) {
    auto bad =
        dispatcher().dispatch(mode, {}, [] { throw RuntimeError("host_call: sensor 7 is gone"); });
    ASSERT_TRUE(bad);
    bool ran = false;
    auto after = dispatcher().dispatch(mode, Dependencies{bad}, [&] { ran = true; });
    auto later = dispatcher().dispatch(mode, Dependencies{{}, after}, [&] { ran = true; });
    auto good = dispatcher().dispatch(mode, {}, [] {});
    for (int i = 0; i < 2; ++i) {
      for (const auto& failed : {bad, after, later}) {
        try {
          failed->wait();
          FAIL();
        } catch (const RuntimeError& error) {
          EXPECT_STREQ(error.what(), "host_call: sensor 7 is gone");
        }
      }
    }
    EXPECT_FALSE(ran);
    EXPECT_NO_THROW(wait(good));
  }
}

TEST(Dispatcher, BackPressureBoundsTheQueue) {
  std::atomic<bool> go{false};
  std::atomic<int> submitted{0}, ran{0};
  std::thread producer([&] {
    for (int i = 0; i < 3 * Dispatcher::kMaxInFlight; ++i) {
      dispatcher().dispatch(DispatchMode::queued, {}, [&] {
        while (!go) std::this_thread::yield();
        ++ran;
      });
      ++submitted;
    }
  });
  while (submitted < Dispatcher::kMaxInFlight) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_LE(submitted, Dispatcher::kMaxInFlight + 1);  // one runs, the queue is full
  go = true;
  producer.join();
  dispatcher().wait_idle();
  EXPECT_EQ(ran, 3 * Dispatcher::kMaxInFlight);
}

TEST(Dispatcher, CodeCalledByAProgramMayWait) {
  // A host call inside a queued program waits for a program queued behind it.
  std::atomic<bool> go{false};
  Ref<Completion> behind;
  bool nested_ran = false;
  auto outer = dispatcher().dispatch(DispatchMode::queued, {}, [&] {
    while (!go) std::this_thread::yield();
    behind->wait();
    EXPECT_FALSE(dispatcher().dispatch(DispatchMode::queued, {}, [&] { nested_ran = true; }));
  });
  behind = dispatcher().dispatch(DispatchMode::queued, {}, [] {});
  go = true;
  outer->wait();
  EXPECT_TRUE(nested_ran);
}

TEST(Dispatcher, ManyThreadsAtOnce) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([t] {
      auto value = std::make_shared<int>(0);
      Ref<Completion> last;
      for (int i = 0; i < 100; ++i) {
        const auto mode = (i + t) % 3 ? DispatchMode::queued : DispatchMode::inline_if_ready;
        last = dispatcher().dispatch(mode, Dependencies{last}, [value] { ++*value; });
      }
      wait(last);
      EXPECT_EQ(*value, 100);
    });
  }
  for (auto& thread : threads) thread.join();
}

TEST(Dispatcher, QueuedWorkKeepsTheCallersPoolSize) {
  PoolSizeScope size(3);
  int seen = 0;
  auto done =
      dispatcher().dispatch(DispatchMode::queued, {}, [&] { seen = ThreadPool::get().size(); });
  done->wait();
  EXPECT_EQ(seen, 3);
}

TEST(DispatcherFork, ChildWorksAndOldResultsAreErrors) {
  SKIP_WITHOUT_FORK();
  std::atomic<bool> go{false};
  auto pending = dispatcher().dispatch(DispatchMode::queued, {}, [&] {
    while (!go) std::this_thread::yield();
  });
  EXPECT_EQ(exit_code_of_child([&] {
              try {
                pending->wait();
                return 1;
              } catch (const RuntimeError&) {
              }
              bool ran = false;
              auto fresh = dispatcher().dispatch(DispatchMode::queued, {}, [&] { ran = true; });
              wait(fresh);
              auto dependent =
                  dispatcher().dispatch(DispatchMode::queued, Dependencies{pending}, [] {});
              try {
                wait(dependent);
                return 2;
              } catch (const RuntimeError&) {
              }
              return ran ? 0 : 3;
            }),
            0);
  go = true;
  pending->wait();
}

TEST(DispatcherExit, FinishesQueuedWork) {
  SKIP_WITHOUT_FORK();
  for (int round = 0; round < 20; ++round) {
    int pipe_ends[2];
    ASSERT_EQ(pipe(pipe_ends), 0);
    EXPECT_EQ(exit_code_of_child([&] {
                for (int i = 0; i < 10; ++i) {
                  dispatcher().dispatch(DispatchMode::queued, {}, [&] {
                    std::this_thread::sleep_for(std::chrono::microseconds(100));
                    if (write(pipe_ends[1], "x", 1) != 1) _exit(9);
                  });
                }
                std::exit(0);
                return 1;
              }),
              0);
    close(pipe_ends[1]);
    char text[16];
    int count = 0;
    for (ssize_t n; (n = read(pipe_ends[0], text, sizeof text)) > 0;) count += n;
    EXPECT_EQ(count, 10);
    close(pipe_ends[0]);
  }
}

TEST(DispatcherExit, CalledByQueuedWork) {
  SKIP_WITHOUT_FORK();
  EXPECT_EQ(exit_code_of_child([&] {
              auto done = dispatcher().dispatch(DispatchMode::queued, {}, [] { std::exit(5); });
              wait(done);
              return 1;
            }),
            5);
}

}  // namespace
}  // namespace tenon::runtime
