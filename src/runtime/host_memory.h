// A piece of host memory with one owner: our allocator, or somebody else's release function.
// Buffers are views of it; a program in flight keeps it alive whatever happens to its buffers.
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/allocator.h"
#include "runtime/memory_holders.h"
#include "tenon/backend.h"
#include "tenon/detail/ref.h"

namespace tenon::runtime {

class HostMemory final : public tenon::detail::RefCounted {
 public:
  /// Throws OutOfMemoryError.
  explicit HostMemory(int64_t size_bytes, AllocationSite* site = nullptr)
      : allocation_(size_bytes, site), data_(allocation_.data()), size_bytes_(size_bytes), hold_(memory_holder(size_bytes), size_bytes) {}
  /// Memory of `owner`, who is told when the last user is gone.
  HostMemory(void* data, int64_t size_bytes, ForeignOwner owner) noexcept
      : data_(data), size_bytes_(size_bytes), owner_(owner), is_foreign_(true) {}
  ~HostMemory() override {
    if (owner_.release) owner_.release(owner_.context);
  }
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;

  void* data() const noexcept { return data_; }
  int64_t size_bytes() const noexcept { return size_bytes_; }
  bool is_foreign() const noexcept { return is_foreign_; }
  /// It stays as long as this object.
  bool is_held() const noexcept { return !is_foreign_ || owner_.release; }

  /// Buffers that show this memory. One, and ours: a donation may overwrite it.
  int views() const noexcept { return views_.load(std::memory_order_acquire); }
  void add_view() noexcept { views_.fetch_add(1, std::memory_order_relaxed); }
  void remove_view() noexcept { views_.fetch_sub(1, std::memory_order_acq_rel); }

 private:
  Allocation allocation_;
  void* data_;
  int64_t size_bytes_;
  MemoryHold hold_;  // none of foreign memory
  ForeignOwner owner_;
  std::atomic<int> views_{0};
  bool is_foreign_ = false;
};

}  // namespace tenon::runtime
