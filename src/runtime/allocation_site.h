// Live and peak memory of one named place.
#pragma once

#include <atomic>
#include <cstdint>

namespace tenon::runtime {

struct AllocationSite {
  explicit constexpr AllocationSite(const char* label) : label(label) {}

  const char* label;  // for example "arena of jit_f"
  std::atomic<int64_t> live_bytes{0};
  std::atomic<int64_t> peak_bytes{0};
  std::atomic<int64_t> allocations{0};

  void add(int64_t bytes) noexcept {
    allocations.fetch_add(1, std::memory_order_relaxed);
    const int64_t live = live_bytes.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    int64_t peak = peak_bytes.load(std::memory_order_relaxed);
    while (live > peak &&
           !peak_bytes.compare_exchange_weak(peak, live, std::memory_order_relaxed)) {
    }
  }
  void remove(int64_t bytes) noexcept { live_bytes.fetch_sub(bytes, std::memory_order_relaxed); }
};

}  // namespace tenon::runtime
