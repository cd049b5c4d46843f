#include "profiler/recorder.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

namespace tenon::profiler {
namespace {

constexpr int64_t kMany = int64_t{1} << 26;

std::vector<std::string> names(const TakenThread& thread) {
  std::vector<std::string> all;
  for (const TakenEvent& event : thread.events) all.push_back(event.name ? event.name : event.text);
  return all;
}

TEST(Recorder, RecordsNothingUnlessATraceRuns) {
  { Span span(EventKind::wait, "before"); }
  ASSERT_TRUE(start_recording(kMany));
  EXPECT_FALSE(start_recording(kMany));
  { Span span(EventKind::wait, "inside"); }
  const TakenTrace trace = stop_recording();
  { Span span(EventKind::wait, "after"); }
  ASSERT_EQ(trace.threads.size(), 1u);
  EXPECT_EQ(names(trace.threads[0]), std::vector<std::string>{"inside"});
  EXPECT_EQ(trace.threads[0].dropped, 0);
  ASSERT_TRUE(start_recording(kMany));
  EXPECT_TRUE(stop_recording().threads.empty());
}

TEST(Recorder, WhatIsOpenAtTheBeginningOrTheEndIsNoEvent) {
  auto* before = new Span(EventKind::wait, "before");
  start_recording(kMany);
  delete before;
  auto* open = new Span(EventKind::wait, "open");
  TakenTrace trace = stop_recording();
  EXPECT_TRUE(trace.threads.empty());
  start_recording(kMany);
  delete open;  // of the trace before
  EXPECT_TRUE(stop_recording().threads.empty());
}

TEST(Recorder, OrdersByBeginOuterFirst) {
  start_recording(kMany);
  {
    Span a(EventKind::wait, "a");
    { Span b(EventKind::wait, "b"); }
    Span c(EventKind::pass, nullptr, "c");
    Span d(EventKind::wait, "d");
  }
  const int64_t now = now_ns();
  record({EventKind::wait, now, 0, "inner"});  // of no length, both
  record({EventKind::wait, now, 0, "outer"});
  const TakenTrace trace = stop_recording();
  EXPECT_EQ(names(trace.threads[0]), (std::vector<std::string>{"a", "b", "c", "d", "outer", "inner"}));
  const auto& events = trace.threads[0].events;
  for (size_t i = 1; i < 4; ++i) EXPECT_LE(events[i].end_ns(), events[0].end_ns());
  EXPECT_GE(events[0].begin_ns, trace.begin_ns);
  EXPECT_LE(events[0].end_ns(), trace.end_ns);
}

TEST(Recorder, KeepsTheYoungestAndCountsTheRest) {
  constexpr int64_t kEvents = 100'000;
  start_recording(int64_t{1} << 20);
  for (int64_t i = 0; i < kEvents; ++i) record({EventKind::wait, now_ns(), 0, "e", nullptr, i}, "some text");
  const TakenTrace trace = stop_recording();
  const TakenThread& thread = trace.threads.at(0);
  const auto kept = static_cast<int64_t>(thread.events.size());
  EXPECT_EQ(kept + thread.dropped, kEvents);
  EXPECT_GT(kept, 5'000);
  EXPECT_LT(kept, 15'000);  // 72 bytes and the text each
  int64_t lowest = kEvents, highest = 0;
  for (const Event& event : thread.events) lowest = std::min(lowest, event.index), highest = std::max(highest, event.index);
  EXPECT_EQ(highest, kEvents - 1);
  EXPECT_EQ(lowest, thread.dropped);
}

TEST(Recorder, LongTextsAreCutAndWholeBlocksAreNotNeeded) {
  start_recording(1);
  const std::string text(1 << 20, 'x');
  for (int i = 0; i < 100; ++i) record({EventKind::annotation, now_ns(), 0}, text);
  const TakenTrace trace = stop_recording();
  ASSERT_FALSE(trace.threads.at(0).events.empty());
  EXPECT_EQ(trace.threads[0].events[0].text, text.substr(0, 4096));
  EXPECT_EQ(trace.threads[0].events.size() + static_cast<size_t>(trace.threads[0].dropped), 100u);
}

TEST(Recorder, EachThreadHasItsOwnAndMemoryIsShared) {
  constexpr int kThreads = 6, kEach = 20'000;
  constexpr int64_t kBytes = int64_t{1} << 20;
  start_recording(kBytes);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([] {
      for (int i = 0; i < kEach; ++i) Span span(EventKind::wait, "e");
    });
  for (std::thread& thread : threads) thread.join();
  const TakenTrace trace = stop_recording();
  ASSERT_EQ(trace.threads.size(), static_cast<size_t>(kThreads));
  size_t kept = 0;
  for (const TakenThread& thread : trace.threads) {
    EXPECT_FALSE(thread.events.empty());
    EXPECT_EQ(static_cast<int64_t>(thread.events.size()) + thread.dropped, kEach);
    kept += thread.events.size();
  }
  EXPECT_LT(kept * sizeof(Event), static_cast<size_t>(kBytes) + kThreads * (size_t{64} << 10));
}

TEST(Recorder, TracesBeginAndEndWhileThreadsWrite) {
  std::atomic<bool> is_over{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&] {
      while (!is_over.load()) {
        Span outer(EventKind::wait, "outer");
        Span inner(EventKind::wait, "inner");
      }
    });
  for (int i = 0; i < 200; ++i) {
    start_recording(1 << 18);
    if (i % 20 == 0) usleep(1000);
    const TakenTrace trace = stop_recording();
    for (const TakenThread& thread : trace.threads)
      for (const TakenEvent& event : thread.events) {
        ASSERT_GE(event.begin_ns, trace.begin_ns);
        ASSERT_TRUE(std::string_view(event.name) == "outer" || std::string_view(event.name) == "inner");
      }
  }
  is_over = true;
  for (std::thread& thread : threads) thread.join();
}

TEST(Recorder, AChildOfForkRecordsNothingAndCanBegin) {
  start_recording(kMany);
  { Span span(EventKind::wait, "parent"); }
  const pid_t child = fork();
  if (child == 0) {
    if (is_recording()) _exit(1);
    if (!start_recording(kMany)) _exit(2);
    { Span span(EventKind::wait, "child"); }
    const TakenTrace trace = stop_recording();
    _exit(trace.threads.size() == 1 && names(trace.threads[0]) == std::vector<std::string>{"child"} ? 0 : 3);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(names(stop_recording().threads.at(0)), std::vector<std::string>{"parent"});
}

}  // namespace
}  // namespace tenon::profiler
