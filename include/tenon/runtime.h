// What a host program may set for its process, and ask of it: memory, threads, errors that nobody waits for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace tenon {

/// Memory of arrays on the host and of what programs need while they run, in sizes of blocks.
struct MemoryStats {
  int64_t live_bytes = 0;    ///< in use
  int64_t peak_bytes = 0;    ///< the most so far, or since reset_memory_peak()
  int64_t cached_bytes = 0;  ///< freed, and kept for the next arrays
  int64_t limit_bytes = 0;   ///< of live_bytes; more is an OutOfMemoryError
};
MemoryStats memory_stats();
void reset_memory_peak();
/// Sets the limit; 0: what the process may use. Returns the one before.
int64_t set_memory_limit(int64_t limit_bytes);
/// Gives what is cached back to the system; returns how much that was.
int64_t release_memory();

/// What one place has allocated: "results of f", "temporaries of f", "copies of host data".
struct MemorySite {
  std::string label;
  int64_t live_bytes = 0, peak_bytes = 0, allocations = 0;
};
/// All places, those with the most live bytes first. Of what has no place of its own ("scratch, plans and constants") only live
/// bytes are known.
std::vector<MemorySite> memory_sites();

/// Where the memory comes from, instead of the system. Called from any thread; must outlive the process' use of Tenon.
class MemorySource {
 public:
  virtual ~MemorySource() = default;
  /// Memory aligned to `alignment` bytes (a power of two), or nullptr.
  virtual void* allocate(size_t size_bytes, size_t alignment) noexcept = 0;
  virtual void deallocate(void* memory, size_t size_bytes) noexcept = 0;
};
/// nullptr: the system again. Throws RuntimeError while memory of the source before is in use: set it before the first array.
void set_memory_source(MemorySource* source);

/// Threads of the host that may be asked to help, instead of our own.
///
/// Tenon never depends on an answer: whoever starts a parallel region can finish it alone.
class Executor {
 public:
  virtual ~Executor() = default;
  /// How many threads may work at once, the caller's included.
  virtual int concurrency() const noexcept = 0;
  /// Asks that `help(context)` is called once on each of up to `count` threads, soon and at the
  /// same time. It may be called less often, late, or never; it does not block on other work.
  virtual void request(int count, void (*help)(void* context) noexcept, void* context) noexcept = 0;
};
/// Uses the threads of `executor` (which must outlive the process' use of Tenon) from now on; nullptr: our own again.
void set_executor(Executor* executor) noexcept;

/// Called once for each error of a program that nobody waited for, when the last array that had it goes, on the thread that drops it.
using UnobservedErrorHook = void (*)(const std::exception_ptr& error) noexcept;
/// Returns the hook before; nullptr: none.
UnobservedErrorHook set_unobserved_error_hook(UnobservedErrorHook hook) noexcept;

}  // namespace tenon

#pragma GCC visibility pop
