// A table that only grows, to be read without a lock; as many places as the program has lines and stacks that make arrays.
#include "runtime/memory_holders.h"

#include <unwind.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <new>
#include <span>

#include "base/site.h"
#include "runtime/allocator.h"

namespace tenon::runtime {
namespace {

constexpr size_t kSlots = size_t{1} << 14;
constexpr size_t kMaxPlaces = kSlots / 2;
constexpr size_t kMaxFrames = 48;
// A stack costs some microseconds; to fill so much memory takes more than fifty.
constexpr int64_t kStackMinBytes = int64_t{1} << 20;

struct Place : MemoryHolder {
  Place(const char* label, const std::source_location& where, std::span<void* const> frames)
      : label(label), file(where.file_name()), line(where.line()), column(where.column()), where(where), count(std::min(frames.size(), kMaxFrames)) {
    std::copy_n(frames.begin(), count, stack.begin());
  }
  /// Without a stack and a label.
  bool is(const std::source_location& place) const {
    return file == place.file_name() && line == place.line() && column == place.column() && count == 0 && !label;
  }
  bool is(const char* other_label, const std::source_location& place, std::span<void* const> frames) const {
    return label == other_label && file == place.file_name() && line == place.line() && column == place.column() &&
           std::ranges::equal(frames, std::span(stack.data(), count));
  }
  const char *label, *file;
  const uint32_t line, column;
  std::source_location where;
  size_t count;
  std::array<void*, kMaxFrames> stack{};
  std::atomic<int64_t> at_peak_bytes{0};
};

constinit std::array<std::atomic<Place*>, kSlots> g_slots{};
constinit std::atomic<size_t> g_count{0};
constinit std::atomic<int64_t> g_stack_min_bytes{kStackMinBytes};
constinit std::atomic<int64_t> g_peak_bytes{0};       // when what is held was remembered
constinit std::atomic<int64_t> g_next_peak_bytes{0};  // from here on it is remembered anew
constinit std::mutex g_peak_mutex;

size_t hash_of(const std::source_location& place, std::span<void* const> frames) {
  size_t hash = reinterpret_cast<size_t>(place.file_name()) ^ (size_t{place.line()} << 20) ^ place.column();
  for (void* frame : frames) hash = (hash ^ reinterpret_cast<size_t>(frame)) * 0x9E3779B97F4A7C15u;
  hash *= 0x9E3779B97F4A7C15u;
  return hash >> 40;
}

// Null when the table is full.
Place* find_or_add(const char* label, const std::source_location& place, std::span<void* const> frames) noexcept {
  Place* made = nullptr;
  for (size_t i = hash_of(place, frames);; ++i) {
    std::atomic<Place*>& slot = g_slots[i % kSlots];
    Place* known = slot.load(std::memory_order_acquire);
    if (!known) {
      if (g_count.load(std::memory_order_relaxed) >= kMaxPlaces) return nullptr;
      if (!made) made = new (std::nothrow) Place(label, place, frames);
      if (!made) return nullptr;
      if (slot.compare_exchange_strong(known, made, std::memory_order_acq_rel)) {
        g_count.fetch_add(1, std::memory_order_relaxed);
        return made;
      }
    }
    if (known->is(label, place, frames)) {
      delete made;
      return known;
    }
  }
}

struct Stack {
  std::array<void*, kMaxFrames> frames;
  size_t count = 0;
};

_Unwind_Reason_Code add_frame(_Unwind_Context* context, void* argument) {
  auto& stack = *static_cast<Stack*>(argument);
  if (stack.count == kMaxFrames) return _URC_END_OF_STACK;
  const auto address = _Unwind_GetIP(context);
  if (address == 0) return _URC_END_OF_STACK;
  stack.frames[stack.count++] = reinterpret_cast<void*>(address);
  return _URC_NO_REASON;
}

[[gnu::noinline]] Place* place_by_stack(const std::source_location& where) noexcept {
  Stack stack;
  _Unwind_Backtrace(add_frame, &stack);
  return find_or_add(nullptr, where, std::span(stack.frames.data(), stack.count));
}

}  // namespace

MemoryHolder& named_memory_holder(const char* label) noexcept {
  static auto* const full = new MemoryHolder;
  Place* place = find_or_add(label, std::source_location(), {});
  return place ? *place : *full;
}

MemoryHolder& memory_holder(int64_t size_bytes) noexcept {
  const std::source_location where = tenon::detail::t_site ? *tenon::detail::t_site : std::source_location();
  Place* place = nullptr;
  if (size_bytes >= g_stack_min_bytes.load(std::memory_order_relaxed)) [[unlikely]] {
    place = place_by_stack(where);
  } else {
    place = g_slots[hash_of(where, {}) % kSlots].load(std::memory_order_acquire);
    if (place && place->is(where)) [[likely]] return *place;
    place = nullptr;
  }
  if (!place) place = find_or_add(nullptr, where, {});
  return place ? *place : named_memory_holder("arrays of an unknown place");
}

static void remember(int64_t live) noexcept {
  std::unique_lock lock(g_peak_mutex, std::try_to_lock);
  if (!lock || live <= g_peak_bytes.load(std::memory_order_relaxed)) return;
  for (const std::atomic<Place*>& slot : g_slots)
    if (Place* place = slot.load(std::memory_order_acquire)) place->at_peak_bytes.store(place->live_bytes(), std::memory_order_relaxed);
  constexpr int64_t kLeast = int64_t{64} << 10;
  g_peak_bytes.store(live, std::memory_order_relaxed);
  g_next_peak_bytes.store(live + std::max(live / 100, kLeast), std::memory_order_relaxed);
}

void note_memory_peak() noexcept {
  const int64_t live = Allocator::get().live_bytes();
  if (live > g_next_peak_bytes.load(std::memory_order_relaxed)) [[unlikely]] remember(live);
}

int64_t set_memory_stack_min_bytes(int64_t size_bytes) noexcept { return g_stack_min_bytes.exchange(size_bytes); }

std::vector<MemoryHolderState> memory_holders() {
  remember(Allocator::get().live_bytes());
  std::vector<MemoryHolderState> states;
  for (const std::atomic<Place*>& slot : g_slots) {
    const Place* place = slot.load(std::memory_order_acquire);
    if (!place) continue;
    const int64_t live = place->live_bytes();
    states.push_back({place->label, place->where, std::vector<void*>(place->stack.begin(), place->stack.begin() + static_cast<ptrdiff_t>(place->count)), live,
                      place->live_count(), place->at_peak_bytes.load(std::memory_order_relaxed)});
  }
  return states;
}

}  // namespace tenon::runtime
