// Who holds arrays: each line of the user's program that made some; large ones are told apart by the stack of calls as well.
// (allocation_site.h: what memory is for, by name.)
#pragma once

#include <atomic>
#include <cstdint>
#include <source_location>
#include <utility>
#include <vector>

namespace tenon::runtime {

/// A place. Lives for ever. Bytes and number in one, because each atomic operation counts: pieces of 64 bytes in the lower 40
/// bits, arrays above.
class MemoryHolder {
 public:
  void add(int64_t size_bytes) noexcept { held_.fetch_add(of(size_bytes), std::memory_order_relaxed); }
  void remove(int64_t size_bytes) noexcept { held_.fetch_sub(of(size_bytes), std::memory_order_relaxed); }
  int64_t live_bytes() const noexcept { return static_cast<int64_t>(held_.load(std::memory_order_relaxed) & (kOne - 1)) * kPieceBytes; }
  int64_t live_count() const noexcept { return static_cast<int64_t>(held_.load(std::memory_order_relaxed) / kOne); }

 private:
  static constexpr uint64_t kOne = uint64_t{1} << 40;
  static constexpr int64_t kPieceBytes = 64;
  static uint64_t of(int64_t size_bytes) noexcept { return kOne + static_cast<uint64_t>((size_bytes + kPieceBytes - 1) / kPieceBytes); }
  std::atomic<uint64_t> held_{0};
};

/// The place where an array of `size_bytes` is being made.
MemoryHolder& memory_holder(int64_t size_bytes) noexcept;
/// A place of the runtime itself, which is listed with the others. `label` lives for ever.
MemoryHolder& named_memory_holder(const char* label) noexcept;
/// After an allocation: remembers what every place holds when this is more than ever before (by 1 %).
void note_memory_peak() noexcept;

/// So many bytes of a place, while it lives.
class MemoryHold {
 public:
  MemoryHold() = default;
  MemoryHold(MemoryHolder& holder, int64_t size_bytes) noexcept : holder_(&holder), size_bytes_(size_bytes) {
    holder.add(size_bytes);
    note_memory_peak();
  }
  ~MemoryHold() {
    if (holder_) holder_->remove(size_bytes_);
  }
  MemoryHold(MemoryHold&& other) noexcept : holder_(std::exchange(other.holder_, nullptr)), size_bytes_(other.size_bytes_) {}
  MemoryHold& operator=(MemoryHold&& other) noexcept {
    std::swap(holder_, other.holder_);
    std::swap(size_bytes_, other.size_bytes_);
    return *this;
  }

 private:
  MemoryHolder* holder_ = nullptr;
  int64_t size_bytes_ = 0;
};

/// Arrays from this size on are told apart by their stacks. Returns the size of before.
int64_t set_memory_stack_min_bytes(int64_t size_bytes) noexcept;

/// What a place holds, as memory profiles see it.
struct MemoryHolderState {
  const char* label;           // of the runtime's own; null for a line of the user's
  std::source_location where;  // without a line where it is not known
  std::vector<void*> stack;    // return addresses, the innermost first; empty for small arrays
  int64_t live_bytes, live_count, peak_bytes;  // the peak: when all places together held most
};
std::vector<MemoryHolderState> memory_holders();

}  // namespace tenon::runtime
