// What happens, as it happens: each thread writes its events into blocks of its own, and waits for nobody. When the memory
// of a trace is used up, a thread overwrites its oldest block and counts what was in it.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::profiler {

enum class EventKind : uint8_t {
  annotation,   // of the user; text: its name, then its metadata (annotation.h)
  step,         // the same; index: its number
  jit_call,     // text: the function
  eager_call,   // text: the operation
  stage,        // name: trace, lower, compile, passes, backend; text: the function
  pass,         // text: the pass
  disk_cache,   // name: what was done; index: 1 when there was an entry
  launch,       // a program is handed on or run; index: its flow
  program,      // it runs; owner: the executable; index: its flow, 0 when it runs inside of its launch
  kernel,       // owner, index: the operation of the executable
  gemm,         // name
  chunk,        // a part of a kernel on a thread that helps; as kernel
  copy,         // as kernel, where the owner is not null; else name
  wait,         // name
  allocation,   // name: the site
};

struct Event {
  EventKind kind = EventKind::annotation;
  int64_t begin_ns = 0, duration_ns = 0;  // of now_ns()
  const char* name = nullptr;             // lives for ever
  const void* owner = nullptr;
  int64_t index = 0;
  int64_t bytes = 0;
  int64_t end_ns() const { return begin_ns + duration_ns; }
};

/// An event that was taken out of the buffers.
struct TakenEvent : Event {
  std::string text;
  int64_t order = 0;  // in which its thread recorded it
};

struct TakenThread {
  int64_t id = 0;
  std::string name;
  std::vector<TakenEvent> events;  // by begin, the longer one first: what stands inside comes behind
  int64_t dropped = 0;
};

struct TakenTrace {
  int64_t begin_ns = 0, end_ns = 0;  // of now_ns()
  int64_t epoch_ns = 0;              // what is added to now_ns() for the time since 1970
  std::vector<TakenThread> threads;  // by number
};

namespace detail {
inline constinit std::atomic<bool> is_recording{false};
}

/// Is a trace running? One relaxed load.
inline bool is_recording() noexcept { return detail::is_recording.load(std::memory_order_relaxed); }

/// Nanoseconds of a clock that never goes back.
int64_t now_ns() noexcept;

/// Begins; false when a trace is running.
bool start_recording(int64_t max_bytes);
/// Ends, and takes out what was recorded. Events that have not ended are lost.
TakenTrace stop_recording();

/// Records an event of this thread that has just ended. What began before the trace did is none of it.
void record(const Event& event, std::string_view text = {}) noexcept;

/// An event while it lives; off: a load and a branch. What `text` shows outlives it.
class Span {
 public:
  Span(EventKind kind, const char* name, std::string_view text = {}) noexcept {
    if (is_recording()) [[unlikely]]
      kind_ = kind, name_ = name, text_ = text.data(), text_size_ = text.size(), index_ = 0, begin_ns_ = now_ns();
  }
  ~Span() {
    if (begin_ns_ != 0) [[unlikely]] end();
  }
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;

  void set_index(int64_t index) noexcept { index_ = index; }

 private:
  void end() noexcept;

  int64_t begin_ns_ = 0;  // 0: no trace was running, and the others say nothing
  EventKind kind_;
  const char* name_;
  const char* text_;
  size_t text_size_;
  int64_t index_;
};

}  // namespace tenon::profiler
