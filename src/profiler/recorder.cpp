#include "profiler/recorder.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <tuple>
#include <utility>

namespace tenon::profiler {
namespace {

constexpr size_t kBlockBytes = size_t{64} << 10;
constexpr size_t kMaxTextBytes = size_t{4} << 10;

// In a block, with its text behind it, each at a multiple of 8.
struct Record {
  Event event;
  uint32_t text_bytes;
  size_t size() const { return (sizeof(Record) + text_bytes + 7) & ~size_t{7}; }
};

struct Block {
  Block* next;  // a younger one
  uint32_t used, events;
  alignas(8) char data[kBlockBytes];
};

// Of one thread. `busy` is held for the instant of a write, and by who takes the events out: then the thread drops its
// event instead of waiting.
struct Buffer {
  std::atomic<bool> busy{false};
  std::atomic<bool> has_thread{true};
  Buffer* next = nullptr;  // in the list of all; set before it is in there
  int64_t thread_id = 0;
  char thread_name[16] = {};
  Block *oldest = nullptr, *youngest = nullptr;
  int64_t dropped = 0;
  std::atomic<int64_t> missed{0};  // while busy
};

struct State {
  std::atomic<Buffer*> buffers{nullptr};
  std::atomic<int64_t> blocks{0};  // of all threads
  std::atomic<int64_t> max_blocks{0};
  std::atomic<int64_t> begin_ns{0};
  std::atomic<uint32_t> process{0};  // +1 in each child of a fork
  std::mutex mutex;  // of start and stop
};
State& state() {
  static State* all = [] {
    auto* made = new State;
    // In a child nobody records, and the buffers belong to threads that are not there.
    pthread_atfork([] { state().mutex.lock(); }, [] { state().mutex.unlock(); },
                   [] {
                     detail::is_recording.store(false);
                     state().buffers.store(nullptr);
                     state().blocks.store(0);
                     state().process.fetch_add(1);
                     state().mutex.unlock();
                   });
    return made;
  }();
  return *all;
}

// What a thread knows of its buffer. Trivial, so that it is there as long as the thread.
struct ThisThread {
  Buffer* buffer;
  uint32_t process;
  bool is_gone;
};
thread_local constinit ThisThread t_this{};

struct AtThreadExit {
  ~AtThreadExit() {
    if (t_this.buffer && t_this.process == state().process.load(std::memory_order_relaxed)) t_this.buffer->has_thread.store(false, std::memory_order_release);
    t_this = {nullptr, 0, true};
  }
};

Buffer* lock(Buffer* buffer) {
  while (buffer->busy.exchange(true, std::memory_order_acquire)) sched_yield();
  return buffer;
}
void unlock(Buffer* buffer) { buffer->busy.store(false, std::memory_order_release); }

// One whose thread has gone and that holds nothing, else a new one.
Buffer* take_buffer() {
  for (Buffer* buffer = state().buffers.load(std::memory_order_acquire); buffer; buffer = buffer->next) {
    if (buffer->has_thread.load(std::memory_order_acquire)) continue;
    lock(buffer);
    const bool is_ours = !buffer->oldest && buffer->dropped == 0 && !buffer->has_thread.exchange(true);
    unlock(buffer);
    if (is_ours) return buffer;
  }
  auto* buffer = new (std::nothrow) Buffer;
  if (!buffer) return nullptr;
  Buffer* first = state().buffers.load(std::memory_order_relaxed);
  do buffer->next = first;
  while (!state().buffers.compare_exchange_weak(first, buffer, std::memory_order_release, std::memory_order_relaxed));
  return buffer;
}

Buffer* buffer_of_this_thread() {
  if (t_this.buffer && t_this.process == state().process.load(std::memory_order_relaxed)) return t_this.buffer;
  if (t_this.is_gone) return nullptr;
  static thread_local AtThreadExit at_exit;
  Buffer* buffer = take_buffer();
  if (!buffer) return nullptr;
  lock(buffer);
  buffer->thread_id = gettid();
  pthread_getname_np(pthread_self(), buffer->thread_name, sizeof buffer->thread_name);
  unlock(buffer);
  t_this.buffer = buffer, t_this.process = state().process.load();
  return buffer;
}

// Room for `size` bytes; null when there is none.
char* room(Buffer& buffer, size_t size) {
  if (Block* block = buffer.youngest; block && block->used + size <= kBlockBytes) {
    char* at = block->data + block->used;
    block->used += static_cast<uint32_t>(size), ++block->events;
    return at;
  }
  State& all = state();
  Block* block = nullptr;
  // Each thread may have one.
  if (all.blocks.fetch_add(1, std::memory_order_relaxed) < all.max_blocks.load(std::memory_order_relaxed) || !buffer.oldest)
    block = static_cast<Block*>(std::malloc(sizeof(Block)));
  if (!block) {
    all.blocks.fetch_sub(1, std::memory_order_relaxed);
    if (!buffer.oldest) return nullptr;
    block = buffer.oldest;
    buffer.dropped += block->events;
    buffer.oldest = block->next;
    if (!buffer.oldest) buffer.youngest = nullptr;
  }
  block->next = nullptr, block->used = static_cast<uint32_t>(size), block->events = 1;
  (buffer.youngest ? buffer.youngest->next : buffer.oldest) = block;
  buffer.youngest = block;
  return block->data;
}

void take(Buffer& buffer, TakenThread& thread) {
  lock(&buffer);
  Block* block = std::exchange(buffer.oldest, nullptr);
  buffer.youngest = nullptr;
  thread.id = buffer.thread_id, thread.name = buffer.thread_name;
  thread.dropped = std::exchange(buffer.dropped, 0) + buffer.missed.exchange(0);
  unlock(&buffer);
  while (block) {
    for (uint32_t at = 0; at < block->used;) {
      Record record;
      std::memcpy(&record, block->data + at, sizeof record);
      thread.events.push_back({record.event, std::string(block->data + at + sizeof record, record.text_bytes), static_cast<int64_t>(thread.events.size())});
      at += static_cast<uint32_t>(record.size());
    }
    std::free(std::exchange(block, block->next));
    state().blocks.fetch_sub(1, std::memory_order_relaxed);
  }
  // What lies inside of another event has been recorded before it.
  std::ranges::sort(thread.events, [](const TakenEvent& a, const TakenEvent& b) {
    return std::tuple(a.begin_ns, -a.duration_ns, -a.order) < std::tuple(b.begin_ns, -b.duration_ns, -b.order);
  });
}

int64_t clock_ns(clockid_t clock) noexcept {
  timespec t;
  clock_gettime(clock, &t);
  return int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

}  // namespace

int64_t now_ns() noexcept { return clock_ns(CLOCK_MONOTONIC); }

bool start_recording(int64_t max_bytes) {
  State& all = state();
  std::lock_guard guard(all.mutex);
  if (is_recording()) return false;
  for (Buffer* buffer = all.buffers.load(std::memory_order_acquire); buffer; buffer = buffer->next) buffer->missed.store(0);
  all.max_blocks.store(std::max<int64_t>(max_bytes / static_cast<int64_t>(sizeof(Block)), 1));
  all.begin_ns.store(now_ns());
  detail::is_recording.store(true, std::memory_order_release);
  return true;
}

TakenTrace stop_recording() {
  State& all = state();
  std::lock_guard guard(all.mutex);
  detail::is_recording.store(false, std::memory_order_seq_cst);
  TakenTrace trace;
  trace.begin_ns = all.begin_ns.load(), trace.end_ns = now_ns();
  trace.epoch_ns = clock_ns(CLOCK_REALTIME) - now_ns();
  for (Buffer* buffer = all.buffers.load(std::memory_order_acquire); buffer; buffer = buffer->next) {
    TakenThread thread;
    take(*buffer, thread);
    if (!thread.events.empty() || thread.dropped > 0) trace.threads.push_back(std::move(thread));
  }
  std::ranges::sort(trace.threads, {}, &TakenThread::id);
  return trace;
}

void Span::end() noexcept { record({kind_, begin_ns_, now_ns() - begin_ns_, name_, nullptr, index_}, {text_, text_size_}); }

void record(const Event& event, std::string_view text) noexcept {
  Buffer* buffer = buffer_of_this_thread();
  if (!buffer) return;
  if (buffer->busy.exchange(true, std::memory_order_acquire)) {
    buffer->missed.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  // Under `busy`: whoever takes the events out finds all that were written.
  if (detail::is_recording.load(std::memory_order_seq_cst) && event.begin_ns >= state().begin_ns.load(std::memory_order_relaxed)) {
    const Record head{event, static_cast<uint32_t>(std::min(text.size(), kMaxTextBytes))};
    if (char* at = room(*buffer, head.size())) {
      std::memcpy(at, &head, sizeof head);
      std::memcpy(at + sizeof head, text.data(), head.text_bytes);
    } else {
      ++buffer->dropped;
    }
  }
  unlock(buffer);
}

}  // namespace tenon::profiler
