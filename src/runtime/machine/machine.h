// What this machine does at most: measured.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/instruction_set.h"
#include "tenon/detail/ref.h"

namespace tenon::runtime {

/// A cache of some threads together, or main memory.
struct MachineMemory {
  const char* name;        // "L1", "L2", "L3", "memory"
  int64_t size_bytes;      // of memory: INT64_MAX
  double bytes_per_second;  // two arrays read and one written
};
struct MachineRates {
  double f32_flops = 0, f64_flops = 0;  // a second; a multiply-add is two
  std::vector<MachineMemory> memories;  // the fastest first
};

/// For each number of `threads`: of so many threads of the pool together, in some 20 ms. Throws OutOfMemoryError.
std::vector<MachineRates> measure_machine(std::span<const int> threads);
/// Seconds from the call of parallel_for to its return, with nothing to do on `threads` threads.
double measure_region(int threads);

/// The least seconds that `work` takes: of at least `least` times, and of more until `budget_seconds` are over.
double best_seconds(int least, double budget_seconds, tenon::detail::FunctionRef<void()> work);

}  // namespace tenon::runtime
