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
  Place(const char* label, const std::source_location& where, std::span<void* const> frames) : label(label), where(where) {
    count = std::min(frames.size(), kMaxFrames);
    std::copy_n(frames.begin(), count, stack.begin());
  }
  bool is(const std::source_location& place, std::span<void* const> frames) const {
    return place.line() == where.line() && place.column() == where.column() && place.file_name() == where.file_name() &&
           std::ranges::equal(frames, std::span(stack.data(), count));
  }
  const char* label;
  std::source_location where;
  size_t count;
  std::array<void*, kMaxFrames> stack{};
  std::atomic<int64_t> at_peak_bytes{0};
};

struct Table {
  std::array<std::atomic<Place*>, kSlots> slots{};
  std::atomic<size_t> count{0};
  std::atomic<int64_t> stack_min_bytes{kStackMinBytes};
  std::atomic<int64_t> peak_bytes{0};       // when what is held was remembered
  std::atomic<int64_t> next_peak_bytes{0};  // from here on it is remembered anew
  std::mutex peak_mutex;
};
Table& table() {
  static Table* all = new Table;
  return *all;
}

size_t hash_of(const std::source_location& place, std::span<void* const> frames) {
  size_t hash = reinterpret_cast<size_t>(place.file_name()) ^ (size_t{place.line()} << 20) ^ place.column();
  for (void* frame : frames) hash = (hash ^ reinterpret_cast<size_t>(frame)) * 0x9E3779B97F4A7C15u;
  hash *= 0x9E3779B97F4A7C15u;
  return hash >> 40;
}

// Null when the table is full.
Place* find_or_add(const char* label, const std::source_location& place, std::span<void* const> frames) noexcept {
  Table& all = table();
  Place* made = nullptr;
  for (size_t i = hash_of(place, frames);; ++i) {
    std::atomic<Place*>& slot = all.slots[i % kSlots];
    Place* known = slot.load(std::memory_order_acquire);
    if (!known) {
      if (all.count.load(std::memory_order_relaxed) >= kMaxPlaces) return nullptr;
      if (!made) made = new (std::nothrow) Place(label, place, frames);
      if (!made) return nullptr;
      if (slot.compare_exchange_strong(known, made, std::memory_order_acq_rel)) {
        all.count.fetch_add(1, std::memory_order_relaxed);
        return made;
      }
    }
    if (known->label == label && known->is(place, frames)) {
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

}  // namespace

MemoryHolder& named_memory_holder(const char* label) noexcept {
  static auto* const full = new MemoryHolder;
  Place* place = find_or_add(label, std::source_location(), {});
  return place ? *place : *full;
}

MemoryHolder& memory_holder(int64_t size_bytes) noexcept {
  static MemoryHolder& full = named_memory_holder("arrays of an unknown place");
  const std::source_location where = tenon::detail::t_site ? *tenon::detail::t_site : std::source_location();
  Stack stack;
  if (size_bytes >= table().stack_min_bytes.load(std::memory_order_relaxed)) [[unlikely]]
    _Unwind_Backtrace(add_frame, &stack);
  Place* place = find_or_add(nullptr, where, std::span(stack.frames.data(), stack.count));
  if (!place && stack.count > 0) place = find_or_add(nullptr, where, {});
  return place ? *place : full;
}

static void remember(int64_t live) noexcept {
  Table& all = table();
  std::unique_lock lock(all.peak_mutex, std::try_to_lock);
  if (!lock || live <= all.peak_bytes.load(std::memory_order_relaxed)) return;
  for (const std::atomic<Place*>& slot : all.slots)
    if (Place* place = slot.load(std::memory_order_acquire)) place->at_peak_bytes.store(place->live_bytes.load(std::memory_order_relaxed), std::memory_order_relaxed);
  constexpr int64_t kLeast = int64_t{64} << 10;
  all.peak_bytes.store(live, std::memory_order_relaxed);
  all.next_peak_bytes.store(live + std::max(live / 100, kLeast), std::memory_order_relaxed);
}

void note_memory_peak() noexcept {
  const int64_t live = Allocator::get().live_bytes();
  if (live > table().next_peak_bytes.load(std::memory_order_relaxed)) [[unlikely]] remember(live);
}

int64_t set_memory_stack_min_bytes(int64_t size_bytes) noexcept { return table().stack_min_bytes.exchange(size_bytes); }

std::vector<MemoryHolderState> memory_holders() {
  remember(Allocator::get().live_bytes());
  std::vector<MemoryHolderState> states;
  for (const std::atomic<Place*>& slot : table().slots) {
    const Place* place = slot.load(std::memory_order_acquire);
    if (!place) continue;
    const int64_t live = place->live_bytes.load(std::memory_order_relaxed);
    states.push_back({place->label, place->where, std::vector<void*>(place->stack.begin(), place->stack.begin() + static_cast<ptrdiff_t>(place->count)), live,
                      place->live_count.load(std::memory_order_relaxed), place->at_peak_bytes.load(std::memory_order_relaxed)});
  }
  return states;
}

}  // namespace tenon::runtime
