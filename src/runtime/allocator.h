// Memory for arrays and scratch: freed blocks stay in free lists by size class, with their pages
// warm (first-touch page faults cost more than many kernels). What is kept is bounded and given
// back on request; what is live is counted, by site on request, and limited.
#pragma once

#include <cstdint>
#include <utility>

#include "tenon/runtime.h"

namespace tenon::runtime {

inline constexpr int64_t kAlignmentBytes = 64;
/// Blocks from this size on are mapped by themselves, aligned to it, in huge pages where possible.
inline constexpr int64_t kLargeBytes = int64_t{2} << 20;

/// A named place that allocates, for memory profiles; a static or leaked object. Counted only where
/// it is passed.
struct AllocationSite;

struct AllocatorStats {
  int64_t live_bytes = 0;          // handed out, in block sizes
  int64_t peak_bytes = 0;          // largest live_bytes so far (or since reset_peak)
  int64_t cached_bytes = 0;        // kept in free lists
  int64_t system_allocations = 0;  // how often the system was asked
};

class Allocator {
 public:
  struct Options {
    int64_t limit_bytes = 0;       // of live memory; 0: what the process may use
    int64_t max_cached_bytes = 0;  // 0: an eighth of that
  };

  /// The allocator of this process. Never destroyed.
  static Allocator& get();

  explicit Allocator(Options options);
  Allocator() : Allocator(Options{}) {}
  /// Frees the cached blocks; those handed out must be back.
  ~Allocator();
  Allocator(const Allocator&) = delete;
  Allocator& operator=(const Allocator&) = delete;

  /// Uninitialized memory, kAlignmentBytes aligned; `size_bytes` 0 gives a valid address as well.
  /// The block ends at a multiple of kAlignmentBytes, so whole vectors may be read at its end.
  /// Throws OutOfMemoryError.
  void* allocate(int64_t size_bytes, AllocationSite* site = nullptr);
  /// Takes back what allocate(size_bytes, site) gave.
  void deallocate(void* memory, int64_t size_bytes, AllocationSite* site = nullptr) noexcept;

  /// Gives cached blocks back to the system; returns their bytes.
  int64_t release_cached() noexcept;

  AllocatorStats stats() const noexcept;
  int64_t live_bytes() const noexcept;  // of stats(), without a lock
  void reset_peak() noexcept;
  /// Limits live memory; 0 is the default. Returns the limit of before.
  int64_t set_limit_bytes(int64_t limit_bytes) noexcept;
  int64_t set_max_cached_bytes(int64_t max_cached_bytes) noexcept;
  int64_t limit_bytes() const noexcept;
  /// Blocks come from `source` from now on; nullptr: from the system. Throws RuntimeError while any is handed out.
  void set_source(MemorySource* source);

  /// For tests: the n-th allocation from now fails (n >= 1), with `and_later` every one from then
  /// on; n = 0 ends it.
  void fail_nth(int64_t n, bool and_later = false) noexcept;

 private:
  friend struct AllocatorForkHandlers;
  struct FreeList;

  void* take(int size_class, int64_t block_bytes) noexcept;
  void admit(int64_t size_bytes, int64_t block_bytes, AllocationSite* site);
  void trim(int64_t target_bytes) noexcept;
  void* from_system(int64_t block_bytes) noexcept;
  void to_system(void* memory, int64_t block_bytes) noexcept;

  FreeList* lists_;
  struct Counters;
  Counters* counters_;
};

/// Owns a block. Empty when default-constructed or moved from.
class Allocation {
 public:
  Allocation() = default;
  /// Throws OutOfMemoryError.
  explicit Allocation(int64_t size_bytes, AllocationSite* site = nullptr,
                      Allocator& allocator = Allocator::get())
      : data_(allocator.allocate(size_bytes, site)),
        size_bytes_(size_bytes),
        site_(site),
        allocator_(&allocator) {}
  ~Allocation() { reset(); }
  Allocation(Allocation&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_bytes_(std::exchange(other.size_bytes_, 0)),
        site_(other.site_),
        allocator_(other.allocator_) {}
  Allocation& operator=(Allocation&& other) noexcept {
    if (this != &other) {
      reset();
      data_ = std::exchange(other.data_, nullptr);
      size_bytes_ = std::exchange(other.size_bytes_, 0);
      site_ = other.site_;
      allocator_ = other.allocator_;
    }
    return *this;
  }

  void* data() const noexcept { return data_; }
  int64_t size_bytes() const noexcept { return size_bytes_; }
  void reset() noexcept {
    if (data_) allocator_->deallocate(std::exchange(data_, nullptr), size_bytes_, site_);
    size_bytes_ = 0;
  }

 private:
  void* data_ = nullptr;
  int64_t size_bytes_ = 0;
  AllocationSite* site_ = nullptr;
  Allocator* allocator_ = nullptr;
};

}  // namespace tenon::runtime
