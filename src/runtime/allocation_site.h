// Live and peak memory of one named place.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "tenon/detail/ref.h"

namespace tenon::runtime {

struct AllocationSite {
  explicit AllocationSite(std::string label) : label(std::move(label)) {}

  const std::string label;  // for example "temporaries of f"
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

/// The place of this name. It lives as long as the process: blocks may outlive who asked for them. Names beyond the
/// first few thousand are one place, "others".
AllocationSite& allocation_site(std::string_view label);
/// All of them.
void each_allocation_site(tenon::detail::FunctionRef<void(const AllocationSite&)> visit);

}  // namespace tenon::runtime
