// Where the profiler plugs in. Off: two relaxed loads and a branch at each event.
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
  int64_t index;           // of the kernel in its executable (dialect/launches.h); elsewhere free
  int64_t bytes;           // moved or allocated; 0 where unknown
};

/// Called at the beginning (`is_begin`) and the end of each event, on the thread that does the
/// work.
using TraceHook = void (*)(const TraceEvent& event, bool is_begin) noexcept;

/// What one thread does.
class TraceListener {
 public:
  virtual void on_event(const TraceEvent& event, bool is_begin) noexcept = 0;

 protected:
  ~TraceListener() = default;
};

namespace detail {
inline constinit std::atomic<TraceHook> trace_hook{nullptr};
inline constinit std::atomic<int> trace_listeners{0};  // of all threads
TraceListener* listener_of_this_thread() noexcept;
}  // namespace detail

/// Installs `hook`, nullptr for none; returns the one of before.
inline TraceHook set_trace_hook(TraceHook hook) noexcept {
  return detail::trace_hook.exchange(hook, std::memory_order_acq_rel);
}

/// Tells `listener` what this thread does while it lives, beside the hook.
class TraceListenerScope {
 public:
  explicit TraceListenerScope(TraceListener& listener) noexcept;
  ~TraceListenerScope();
  TraceListenerScope(const TraceListenerScope&) = delete;
  TraceListenerScope& operator=(const TraceListenerScope&) = delete;

 private:
  TraceListener* previous_;
};

/// Marks a span. Begin and end go to the same hook, even when it is replaced meanwhile.
class TraceSpan {
 public:
  TraceSpan(TraceEventKind kind, const char* name, const void* executable = nullptr,
            int64_t index = 0, int64_t bytes = 0) noexcept
      : hook_(detail::trace_hook.load(std::memory_order_relaxed)), listener_(nullptr) {
    if (detail::trace_listeners.load(std::memory_order_relaxed) > 0) [[unlikely]]
      listener_ = detail::listener_of_this_thread();
    if (!hook_ && !listener_) [[likely]] return;
    event_ = {kind, name, executable, index, bytes};
    tell(true);
  }
  ~TraceSpan() {
    if (hook_ || listener_) [[unlikely]] tell(false);
  }
  TraceSpan(const TraceSpan&) = delete;
  TraceSpan& operator=(const TraceSpan&) = delete;

 private:
  void tell(bool is_begin) noexcept {
    if (hook_) hook_(event_, is_begin);
    if (listener_) listener_->on_event(event_, is_begin);
  }

  TraceHook hook_;
  TraceListener* listener_;
  TraceEvent event_;
};

}  // namespace tenon::runtime
