// Listeners of one thread beside the hook of the process.
#include "runtime/trace_hook.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace tenon::runtime {
namespace {

struct Recorder final : TraceListener {
  void on_event(const TraceEvent& event, bool is_begin) noexcept override { events.push_back((is_begin ? "+" : "-") + std::string(event.name)); }
  std::vector<std::string> events;
};
using Events = std::vector<std::string>;

TEST(TraceListener, HearsItsOwnThreadWhileItsScopeLives) {
  Recorder outer, inner;
  { TraceSpan before(TraceEventKind::kernel, "before"); }
  {
    const TraceListenerScope scope(outer);
    TraceSpan a(TraceEventKind::kernel, "a");
    std::thread([] { TraceSpan other(TraceEventKind::kernel, "other"); }).join();
    {
      const TraceListenerScope nested(inner);
      TraceSpan b(TraceEventKind::copy, "b");
    }
    TraceSpan c(TraceEventKind::kernel, "c");
  }
  { TraceSpan after(TraceEventKind::kernel, "after"); }
  EXPECT_EQ(outer.events, (Events{"+a", "+c", "-c", "-a"}));
  EXPECT_EQ(inner.events, (Events{"+b", "-b"}));
}

std::vector<int> hooked;
int64_t hook(const TraceEvent& event, int64_t begun) noexcept {
  hooked.push_back(static_cast<int>(begun == 0 ? event.index : -begun));
  return event.index;
}

TEST(TraceListener, AndTheHookHearBoth) {
  Recorder listener;
  hooked.clear();
  const TraceHook before = set_trace_hook(hook);
  {
    const TraceListenerScope scope(listener);
    TraceSpan a(TraceEventKind::kernel, "a", nullptr, 7);
    set_trace_hook(nullptr);  // the end goes to the hook of the beginning
  }
  { TraceSpan b(TraceEventKind::kernel, "b", nullptr, 8); }
  set_trace_hook(before);
  EXPECT_EQ(hooked, (std::vector<int>{7, -7}));
  EXPECT_EQ(listener.events, (Events{"+a", "-a"}));
}

std::vector<TraceEventKind> kinds;
int64_t note_kind(const TraceEvent& event, int64_t begun) noexcept {
  if (begun == 0) kinds.push_back(event.kind);
  return 1;
}

TEST(TraceHook, HearsOfPartsOnOtherThreadsAndListenersDoNot) {
  const int executable = 0;
  Recorder listener;
  kinds.clear();
  EXPECT_EQ(current_trace_event(), nullptr);
  EXPECT_EQ(next_trace_launch(), 0);
  const TraceHook before = set_trace_hook(note_kind);
  {
    const TraceListenerScope scope(listener);
    TraceSpan kernel(TraceEventKind::kernel, "kernel", &executable, 3);
    TraceSpan inner(TraceEventKind::gemm, "gemm");  // of no executable
    const TraceEvent* event = current_trace_event();
    ASSERT_NE(event, nullptr);
    EXPECT_EQ(event->index, 3);
    TraceSpan part(event);
    TraceSpan nothing(nullptr);
  }
  EXPECT_EQ(current_trace_event(), nullptr);
  const int64_t launch = next_trace_launch();
  EXPECT_GT(launch, 0);
  EXPECT_EQ(next_trace_launch(), launch + 1);
  set_trace_hook(before);
  EXPECT_EQ(kinds, (std::vector{TraceEventKind::kernel, TraceEventKind::gemm, TraceEventKind::chunk}));
  EXPECT_EQ(listener.events, (Events{"+kernel", "+gemm", "-gemm", "-kernel"}));
}

}  // namespace
}  // namespace tenon::runtime
