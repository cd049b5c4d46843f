// Memory that an operation takes while it runs: from the allocator, or, for runs that may not allocate, from a reserve.
#pragma once

#include <cstdint>
#include <utility>

#include "runtime/allocator.h"

namespace tenon::runtime {

/// So that what comes behind is aligned.
inline int64_t aligned(int64_t bytes) noexcept { return (bytes + kAlignmentBytes - 1) / kAlignmentBytes * kAlignmentBytes; }

/// Memory from which the scratch of one thread is taken while a ReserveScope lives. Not thread safe.
class ScratchReserve {
 public:
  /// Throws OutOfMemoryError.
  explicit ScratchReserve(int64_t size_bytes) : memory_(size_bytes), size_bytes_(size_bytes) {}
  /// Null when there is not enough left.
  void* take(int64_t size_bytes) noexcept {
    const int64_t wanted = aligned(size_bytes);
    if (wanted > size_bytes_ - used_) return nullptr;
    ++pieces_;
    return static_cast<char*>(memory_.data()) + std::exchange(used_, used_ + wanted);
  }
  /// The youngest piece is free at once, others when all are.
  void give_back(void* piece, int64_t size_bytes) noexcept {
    const int64_t offset = static_cast<char*>(piece) - static_cast<char*>(memory_.data());
    if (offset + aligned(size_bytes) == used_) used_ = offset;
    if (--pieces_ == 0) used_ = 0;
  }

 private:
  Allocation memory_;
  int64_t size_bytes_, used_ = 0;
  int pieces_ = 0;
};

/// The reserve of this thread; null: none.
ScratchReserve* scratch_reserve() noexcept;
/// Sets it while it lives.
class ReserveScope {
 public:
  explicit ReserveScope(ScratchReserve& reserve) noexcept;
  ~ReserveScope();
  ReserveScope(const ReserveScope&) = delete;
  ReserveScope& operator=(const ReserveScope&) = delete;

 private:
  ScratchReserve* outer_;
};

/// Owns a piece, which must be given back on the thread that took it. Empty when default-constructed or moved from.
class Scratch {
 public:
  Scratch() = default;
  /// Throws OutOfMemoryError.
  explicit Scratch(int64_t size_bytes) : reserve_(scratch_reserve()), size_bytes_(size_bytes) {
    data_ = reserve_ ? reserve_->take(size_bytes) : nullptr;
    if (data_) return;
    reserve_ = nullptr;
    memory_ = Allocation(size_bytes);
    data_ = memory_.data();
  }
  ~Scratch() {
    if (reserve_) reserve_->give_back(data_, size_bytes_);
  }
  Scratch(Scratch&& other) noexcept
      : reserve_(std::exchange(other.reserve_, nullptr)),
        size_bytes_(other.size_bytes_),
        memory_(std::move(other.memory_)),
        data_(std::exchange(other.data_, nullptr)) {}
  Scratch& operator=(Scratch&& other) noexcept {
    std::swap(reserve_, other.reserve_);
    std::swap(size_bytes_, other.size_bytes_);
    std::swap(data_, other.data_);
    std::swap(memory_, other.memory_);
    return *this;
  }
  void* data() const noexcept { return data_; }

 private:
  ScratchReserve* reserve_ = nullptr;  // null: it is in `memory_`
  int64_t size_bytes_ = 0;
  Allocation memory_;
  void* data_ = nullptr;
};

}  // namespace tenon::runtime
