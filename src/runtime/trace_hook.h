// Where the profiler plugs in. Off: one relaxed load and a branch at each event.
#pragma once

#include <atomic>
#include <cstdint>

namespace tenon::runtime {

enum class TraceEventKind : uint8_t { program, kernel, gemm, copy, wait, allocation };

/// One span of time on one thread. `name` lives as long as the executable that it belongs to.
struct TraceEvent {
  TraceEventKind kind;
  const char* name;
  const void* executable;  // whose kernel, nullptr elsewhere
  int64_t index;           // of the kernel in its executable; elsewhere free
  int64_t bytes;           // moved or allocated; 0 where unknown
};

/// Called at the beginning (`is_begin`) and the end of each event, on the thread that does the
/// work.
using TraceHook = void (*)(const TraceEvent& event, bool is_begin) noexcept;

namespace detail {
inline constinit std::atomic<TraceHook> trace_hook{nullptr};
}

/// Installs `hook`, nullptr for none; returns the one of before.
inline TraceHook set_trace_hook(TraceHook hook) noexcept {
  return detail::trace_hook.exchange(hook, std::memory_order_acq_rel);
}

/// Marks a span. Begin and end go to the same hook, even when it is replaced meanwhile.
class TraceSpan {
 public:
  TraceSpan(TraceEventKind kind, const char* name, const void* executable = nullptr,
            int64_t index = 0, int64_t bytes = 0) noexcept
      : hook_(detail::trace_hook.load(std::memory_order_relaxed)) {
    if (hook_) [[unlikely]] {
      event_ = {kind, name, executable, index, bytes};
      hook_(event_, true);
    }
  }
  ~TraceSpan() {
    if (hook_) [[unlikely]]
      hook_(event_, false);
  }
  TraceSpan(const TraceSpan&) = delete;
  TraceSpan& operator=(const TraceSpan&) = delete;

 private:
  TraceHook hook_;
  TraceEvent event_;
};

}  // namespace tenon::runtime
