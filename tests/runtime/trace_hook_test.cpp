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
void hook(const TraceEvent& event, bool is_begin) noexcept { hooked.push_back(is_begin ? static_cast<int>(event.index) : -static_cast<int>(event.index)); }

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

}  // namespace
}  // namespace tenon::runtime
