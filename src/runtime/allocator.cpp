// Fast path: one size class, one lock of a few instructions, one counter. Everything rare (the
// limit, injected failures, the system, trimming) is behind a comparison that fails.
#include "runtime/allocator.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <string>

#include "runtime/allocation_site.h"
#include "runtime/process.h"
#include "runtime/size_class.h"
#include "runtime/spin.h"
#include "runtime/trace_hook.h"
#include "tenon/error.h"

#if defined(__SANITIZE_ADDRESS__)
#define TENON_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TENON_ASAN 1
#endif
#endif
#ifdef TENON_ASAN
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#endif

namespace tenon::runtime {
namespace {

// Blocks below this size are cached up to kSmallCachedBytes a class, and do not count towards
// max_cached_bytes: their number is bounded by the classes.
constexpr int64_t kSmallBytes = int64_t{64} << 10;
constexpr int64_t kSmallCachedBytes = int64_t{1} << 20;

// What an allocation of no bytes points at.
alignas(kAlignmentBytes) char g_nothing[kAlignmentBytes];

std::string bytes_str(int64_t bytes) { return std::to_string(bytes) + " bytes"; }

}  // namespace

struct alignas(64) Allocator::FreeList {
  SpinLock lock;
  int64_t count = 0;
  void* head = nullptr;  // a cached block begins with the address of the next one

  void* pop() noexcept {
    std::lock_guard guard(lock);
    void* block = head;
    if (!block) return nullptr;
    head = *static_cast<void**>(block);
    --count;
    return block;
  }
  bool push(void* block, int64_t max_count) noexcept {
    std::lock_guard guard(lock);
    if (count >= max_count) return false;
    *static_cast<void**>(block) = head;
    head = block;
    ++count;
    return true;
  }
};

struct Allocator::Counters {
  alignas(64) std::atomic<int64_t> live{0};
  std::atomic<int64_t> peak{0};
  alignas(64) std::atomic<int64_t> threshold{0};  // live above it takes the slow path
  std::atomic<int64_t> limit{0};
  std::atomic<int64_t> max_cached{0};
  alignas(64) std::atomic<int64_t> cached{0};  // of blocks from kSmallBytes on
  std::atomic<int64_t> system_allocations{0};
  std::atomic<MemorySource*> source{nullptr};
  std::atomic<int64_t> until_failure{0};  // 0: none is injected
  std::atomic<bool> fail_later{false};

  void set_threshold() noexcept {
    threshold.store(until_failure.load() > 0 ? -1 : limit.load(), std::memory_order_relaxed);
  }
};

Allocator::Allocator(Options options)
    : lists_(new FreeList[kSizeClasses]), counters_(new Counters) {
  set_limit_bytes(options.limit_bytes);
  set_max_cached_bytes(options.max_cached_bytes);
}

Allocator::~Allocator() {
  release_cached();
  delete[] lists_;
  delete counters_;
}

// A child must not find a lock held by a thread that it does not have.
struct AllocatorForkHandlers {
  static void lock() {
    for (int i = 0; i < kSizeClasses; ++i) Allocator::get().lists_[i].lock.lock();
  }
  static void unlock() {
    for (int i = 0; i < kSizeClasses; ++i) Allocator::get().lists_[i].lock.unlock();
  }
};

Allocator& Allocator::get() {
  static auto* allocator = [] {
    auto* made = new Allocator;
    on_fork({AllocatorForkHandlers::lock, AllocatorForkHandlers::unlock,
             AllocatorForkHandlers::unlock});
    return made;
  }();
  return *allocator;
}

void* Allocator::allocate(int64_t size_bytes, AllocationSite* site) {
  if (size_bytes == 0) return g_nothing;
  TraceSpan span(TraceEventKind::allocation, site ? site->label.c_str() : nullptr, nullptr, 0, size_bytes);
  if (size_bytes < 0 || size_bytes > int64_t{1} << kMaxLog2Bytes) {
    throw OutOfMemoryError("allocate: no machine has this much memory; got a request for " +
                           bytes_str(size_bytes) +
                           (site ? std::string(" for ") + site->label : ""));
  }
  const int size_class = size_class_of(size_bytes);
  const int64_t block_bytes = block_bytes_of(size_class);
  const int64_t live =
      counters_->live.fetch_add(block_bytes, std::memory_order_relaxed) + block_bytes;
  if (live > counters_->threshold.load(std::memory_order_relaxed)) {
    admit(size_bytes, block_bytes, site);
  }
  void* block = take(size_class, block_bytes);
  if (!block) {
    const int64_t others =
        counters_->live.fetch_sub(block_bytes, std::memory_order_relaxed) - block_bytes;
    throw OutOfMemoryError("allocate: the system has no more memory; got a request for " +
                           bytes_str(size_bytes) +
                           (site ? std::string(" for ") + site->label : "") + " with " +
                           bytes_str(others) + " in use");
  }
  int64_t peak = counters_->peak.load(std::memory_order_relaxed);
  while (live > peak &&
         !counters_->peak.compare_exchange_weak(peak, live, std::memory_order_relaxed)) {
  }
  if (site) site->add(block_bytes);
  ASAN_POISON_MEMORY_REGION(block, block_bytes);
  ASAN_UNPOISON_MEMORY_REGION(block, (size_bytes + 7) / 8 * 8);
  return block;
}

void Allocator::deallocate(void* memory, int64_t size_bytes, AllocationSite* site) noexcept {
  if (size_bytes == 0) return;
  const int size_class = size_class_of(size_bytes);
  const int64_t block_bytes = block_bytes_of(size_class);
  counters_->live.fetch_sub(block_bytes, std::memory_order_relaxed);
  if (site) site->remove(block_bytes);
  ASAN_POISON_MEMORY_REGION(memory, block_bytes);
  ASAN_UNPOISON_MEMORY_REGION(memory, sizeof(void*));  // the free list's, and seen by LSan
  if (block_bytes < kSmallBytes) {
    if (!lists_[size_class].push(memory, kSmallCachedBytes / block_bytes)) {
      to_system(memory, block_bytes);
    }
    return;
  }
  const int64_t max_cached = counters_->max_cached.load(std::memory_order_relaxed);
  if (block_bytes > max_cached) return to_system(memory, block_bytes);
  const int64_t cached =
      counters_->cached.fetch_add(block_bytes, std::memory_order_relaxed) + block_bytes;
  lists_[size_class].push(memory, std::numeric_limits<int64_t>::max());
  if (cached > max_cached) trim(max_cached);
}

// A block from the free list or the system; nullptr when neither has one.
void* Allocator::take(int size_class, int64_t block_bytes) noexcept {
  if (void* block = lists_[size_class].pop()) {
    if (block_bytes >= kSmallBytes) {
      counters_->cached.fetch_sub(block_bytes, std::memory_order_relaxed);
    }
    return block;
  }
  // Cached blocks count as used memory once the system is asked for more.
  const int64_t limit = counters_->limit.load(std::memory_order_relaxed);
  if (counters_->live.load(std::memory_order_relaxed) +
          counters_->cached.load(std::memory_order_relaxed) >
      limit) {
    release_cached();
  }
  if (void* block = from_system(block_bytes)) return block;
  release_cached();
  return from_system(block_bytes);
}

// The slow path of allocate: throws when a failure is due or the limit is passed.
void Allocator::admit(int64_t size_bytes, int64_t block_bytes, AllocationSite* site) {
  bool injected = false;
  int64_t until = counters_->until_failure.load();
  while (until > 0) {
    const bool due = until == 1;
    const int64_t next = due && counters_->fail_later.load() ? 1 : until - 1;
    if (!counters_->until_failure.compare_exchange_weak(until, next)) continue;
    if (next == 0) counters_->set_threshold();
    injected = due;
    break;
  }
  const int64_t limit = counters_->limit.load();
  const int64_t live = counters_->live.load();
  if (!injected && live <= limit) return;
  counters_->live.fetch_sub(block_bytes, std::memory_order_relaxed);
  throw OutOfMemoryError(
      "allocate: out of memory" + std::string(injected ? " (injected by a test)" : "") +
      "; got a request for " + bytes_str(size_bytes) +
      (site ? std::string(" for ") + site->label : "") + " with " + bytes_str(live - block_bytes) +
      " of " + bytes_str(limit) + " in use; free arrays, or raise the limit");
}

void Allocator::trim(int64_t target_bytes) noexcept {
  for (int i = kSizeClasses - 1; i >= 0; --i) {
    const int64_t block_bytes = block_bytes_of(i);
    if (block_bytes < kSmallBytes && target_bytes > 0) return;
    while (block_bytes < kSmallBytes ||
           counters_->cached.load(std::memory_order_relaxed) > target_bytes) {
      void* block = lists_[i].pop();
      if (!block) break;
      if (block_bytes >= kSmallBytes) {
        counters_->cached.fetch_sub(block_bytes, std::memory_order_relaxed);
      }
      to_system(block, block_bytes);
    }
  }
}

int64_t Allocator::release_cached() noexcept {
  const int64_t before = stats().cached_bytes;
  trim(0);
  return before;
}

// SYSTEM MEMORY

void* Allocator::from_system(int64_t block_bytes) noexcept {
  counters_->system_allocations.fetch_add(1, std::memory_order_relaxed);
  const auto size = static_cast<size_t>(block_bytes);
  if (MemorySource* source = counters_->source.load(std::memory_order_acquire)) return source->allocate(size, kAlignmentBytes);
  if (block_bytes < kLargeBytes) {
    void* block = nullptr;
    return posix_memalign(&block, kAlignmentBytes, size) == 0 ? block : nullptr;
  }
  // Map a little more, keep the aligned part.
  const size_t mapped_size = size + kLargeBytes;
  void* mapped = mmap(nullptr, mapped_size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  char* const begin = static_cast<char*>(mapped);
  const auto address = reinterpret_cast<uintptr_t>(mapped);
  char* const block = begin + (-address & (kLargeBytes - 1));
  if (block != begin) munmap(begin, block - begin);
  munmap(block + size, begin + mapped_size - (block + size));
#ifdef MADV_HUGEPAGE
  madvise(block, size, MADV_HUGEPAGE);
#endif
  return block;
}

void Allocator::to_system(void* memory, int64_t block_bytes) noexcept {
  ASAN_UNPOISON_MEMORY_REGION(memory, block_bytes);
  if (MemorySource* source = counters_->source.load(std::memory_order_acquire)) {
    source->deallocate(memory, static_cast<size_t>(block_bytes));
  } else if (block_bytes < kLargeBytes) {
    std::free(memory);
  } else {
    munmap(memory, static_cast<size_t>(block_bytes));
  }
}

// FIGURES AND LIMITS

AllocatorStats Allocator::stats() const noexcept {
  AllocatorStats stats;
  stats.live_bytes = counters_->live.load();
  stats.peak_bytes = counters_->peak.load();
  stats.cached_bytes = counters_->cached.load();
  for (int i = 0; block_bytes_of(i) < kSmallBytes; ++i) {
    std::lock_guard guard(lists_[i].lock);
    stats.cached_bytes += lists_[i].count * block_bytes_of(i);
  }
  stats.system_allocations = counters_->system_allocations.load();
  return stats;
}

int64_t Allocator::live_bytes() const noexcept { return counters_->live.load(std::memory_order_relaxed); }

void Allocator::reset_peak() noexcept { counters_->peak.store(counters_->live.load()); }

int64_t Allocator::set_limit_bytes(int64_t limit_bytes) noexcept {
  if (limit_bytes <= 0) limit_bytes = available_memory_bytes();
  const int64_t before = counters_->limit.exchange(limit_bytes);
  counters_->set_threshold();
  return before;
}

int64_t Allocator::limit_bytes() const noexcept { return counters_->limit.load(); }

void Allocator::set_source(MemorySource* source) {
  release_cached();
  if (const int64_t live = counters_->live.load(); live != 0) {
    throw RuntimeError("set_memory_source: " + bytes_str(live) + " of the source before are in use; set the source before the first array");
  }
  counters_->source.store(source, std::memory_order_release);
}

int64_t Allocator::set_max_cached_bytes(int64_t max_cached_bytes) noexcept {
  if (max_cached_bytes <= 0) max_cached_bytes = available_memory_bytes() / 8;
  const int64_t before = counters_->max_cached.exchange(max_cached_bytes);
  trim(max_cached_bytes);
  return before;
}

void Allocator::fail_nth(int64_t n, bool and_later) noexcept {
  counters_->fail_later.store(and_later);
  counters_->until_failure.store(std::max<int64_t>(n, 0));
  counters_->set_threshold();
}

}  // namespace tenon::runtime

namespace tenon {

using runtime::Allocator;

MemoryStats memory_stats() {
  const runtime::AllocatorStats stats = Allocator::get().stats();
  return {stats.live_bytes, stats.peak_bytes, stats.cached_bytes, Allocator::get().limit_bytes()};
}
void reset_memory_peak() { Allocator::get().reset_peak(); }
int64_t set_memory_limit(int64_t limit_bytes) { return Allocator::get().set_limit_bytes(limit_bytes); }
int64_t release_memory() { return Allocator::get().release_cached(); }
void set_memory_source(MemorySource* source) { Allocator::get().set_source(source); }

}  // namespace tenon
