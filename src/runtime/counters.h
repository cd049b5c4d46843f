// What a run did: kernels launched and bytes of temporary memory taken. Executables count, tests
// and tools read differences. Counting is one relaxed add per kernel.
#pragma once

#include <atomic>
#include <cstdint>

namespace tenon::runtime {

struct RunCounts {
  int64_t kernels_launched = 0;
  int64_t temp_bytes_allocated = 0;  // arenas of executables; not results, not packing of a GEMM
  int64_t programs_run = 0;

  RunCounts operator-(const RunCounts& since) const {
    return {kernels_launched - since.kernels_launched,
            temp_bytes_allocated - since.temp_bytes_allocated, programs_run - since.programs_run};
  }
};

namespace detail {
struct alignas(64) RunCounterCells {
  std::atomic<int64_t> kernels_launched{0};
  std::atomic<int64_t> temp_bytes_allocated{0};
  std::atomic<int64_t> programs_run{0};
};
inline constinit RunCounterCells run_counters;
}  // namespace detail

inline void count_kernels(int64_t kernels) noexcept {
  detail::run_counters.kernels_launched.fetch_add(kernels, std::memory_order_relaxed);
}
inline void count_temp_bytes(int64_t bytes) noexcept {
  detail::run_counters.temp_bytes_allocated.fetch_add(bytes, std::memory_order_relaxed);
}
inline void count_program() noexcept {
  detail::run_counters.programs_run.fetch_add(1, std::memory_order_relaxed);
}

/// Counts of this process since it began. Wait for results before reading: programs may run later
/// than their call.
inline RunCounts run_counts() noexcept {
  const auto& cells = detail::run_counters;
  return {cells.kernels_launched.load(std::memory_order_relaxed),
          cells.temp_bytes_allocated.load(std::memory_order_relaxed),
          cells.programs_run.load(std::memory_order_relaxed)};
}

}  // namespace tenon::runtime
