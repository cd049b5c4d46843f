// Where the profiler plugs in. Off: a relaxed load and a branch at each event.
#pragma once

#include <atomic>
#include <cstdint>

namespace tenon::runtime {

/// launch: a program is handed on, or run at once. chunk: a part of a kernel on a thread that helps.
enum class TraceEventKind : uint8_t { launch, program, kernel, gemm, chunk, copy, wait, allocation };

/// One span of time on one thread. `name` lives as long as the executable, where there is one, else for ever.
struct TraceEvent {
  TraceEventKind kind;
  const char* name;
  const void* executable;  // whose kernel, nullptr elsewhere
  int64_t index;           // of the kernel in its executable (dialect/launches.h); of a launch and its program: the same
  int64_t bytes;           // moved or allocated; 0 where unknown
};

/// Called at the beginning of each event (`begun` 0) and at its end, on the thread that does the work. What it gives at the
/// beginning, never 0, is `begun` at the end.
using TraceHook = int64_t (*)(const TraceEvent& event, int64_t begun) noexcept;

/// What one thread does.
class TraceListener {
 public:
  virtual void on_event(const TraceEvent& event, bool is_begin) noexcept = 0;

 protected:
  ~TraceListener() = default;
};

namespace detail {
inline constinit std::atomic<TraceHook> trace_hook{nullptr};
inline constinit std::atomic<int> trace_users{0};  // the hook, and the listeners of all threads
}  // namespace detail

/// Installs `hook`, nullptr for none; returns the one of before.
TraceHook set_trace_hook(TraceHook hook) noexcept;

/// The innermost event of an executable on this thread; null while there is no hook.
const TraceEvent* current_trace_event() noexcept;

namespace detail {
int64_t next_launch() noexcept;
}
/// A number for a launch; 0 while there is no hook.
inline int64_t next_trace_launch() noexcept {
  return detail::trace_users.load(std::memory_order_relaxed) > 0 ? detail::next_launch() : 0;
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
            int64_t index = 0, int64_t bytes = 0) noexcept {
    if (detail::trace_users.load(std::memory_order_relaxed) > 0) [[unlikely]]
      begin({kind, name, executable, index, bytes});
  }
  /// A part of `event` on another thread, which the listeners of this one do not hear of; null: nothing.
  explicit TraceSpan(const TraceEvent* event) noexcept {
    if (event) [[unlikely]] begin_chunk(*event);
  }
  ~TraceSpan() {
    if (hook_ || listener_) [[unlikely]] end();
  }
  TraceSpan(const TraceSpan&) = delete;
  TraceSpan& operator=(const TraceSpan&) = delete;

 private:
  void begin(const TraceEvent& event) noexcept;
  void begin_chunk(const TraceEvent& event) noexcept;
  void end() noexcept;

  TraceHook hook_ = nullptr;
  TraceListener* listener_ = nullptr;
  TraceEvent event_;
  int64_t begun_;
  const TraceEvent* outer_;
};

}  // namespace tenon::runtime
