// Runs with effects: waited for, whoever holds their results; the first failure is thrown once.
#include "runtime/effects.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "runtime/dispatcher.h"

namespace tenon::runtime {
namespace {

template <class F>
void run_queued(F body) {
  follow_effects(Dispatcher::get().dispatch(DispatchMode::queued, {}, body));
}

TEST(Effects, AreWaitedFor) {
  std::atomic<int> ran{0};
  for (int i = 0; i < 3; ++i) {
    run_queued([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      ++ran;
    });
  }
  wait_for_effects();
  EXPECT_EQ(ran, 3);
  follow_effects({});  // has run well
  wait_for_effects();
}

TEST(Effects, TheFirstFailureIsThrownOnce) {
  std::atomic<int> ran{0};
  run_queued([&] { ++ran; });
  run_queued([] { throw std::runtime_error("one"); });
  run_queued([] { throw std::runtime_error("two"); });
  run_queued([&] { ++ran; });
  try {
    wait_for_effects();
    ADD_FAILURE() << "nothing thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "one");
  }
  EXPECT_EQ(ran, 2);
  EXPECT_NO_THROW(wait_for_effects());
}

TEST(Effects, AreWaitedForByEachThread) {
  std::atomic<bool> done{false};
  run_queued([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    done = true;
  });
  auto wait = [&] {
    wait_for_effects();
    EXPECT_TRUE(done);
  };
  std::thread one(wait), two(wait);
  one.join();
  two.join();
}

TEST(Effects, ARunDoesNotWaitForItself) {
  run_queued([] { wait_for_effects(); });
  wait_for_effects();
}

}  // namespace
}  // namespace tenon::runtime
