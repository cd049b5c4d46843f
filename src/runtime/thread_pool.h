// The process-wide pool: a range of units in, chunks of it run on several threads, done at return.
// Chunks come from an atomic counter, so a caller whose helpers are late finishes alone.
#pragma once

#include <cstdint>

#include "runtime/executor.h"
#include "tenon/detail/ref.h"

namespace tenon::runtime {

using ChunkBody = tenon::detail::FunctionRef<void(int64_t begin, int64_t end)>;

class ThreadPool {
 public:
  static constexpr int kMaxThreads = 1024;

  /// The pool of this process. Threads start with the first region that can use them.
  static ThreadPool& get();

  /// Calls `body(begin, end)` for each chunk [i*grain, min((i+1)*grain, units)), each once, in any
  /// order, on up to size() threads, the caller's included. Returns when all are done.
  ///
  /// Chunks depend on `units` and `grain` only. Inside a body a nested call runs inline. When
  /// bodies throw, the chunks not yet begun are dropped and the exception of the lowest chunk that
  /// threw is thrown here. Allocates nothing once threads are started.
  void parallel_for(int64_t units, int64_t grain, ChunkBody body);

  /// Threads that work on a region of this thread at most, the caller included: what the innermost
  /// PoolSizeScope says, else the host's executor, else the option num_threads, else one per
  /// processor that the process may use.
  int size() const noexcept;
  /// Uses the threads of `executor` (which must outlive the process' use of Tenon) from the next
  /// region on; nullptr goes back to our own.
  void set_executor(Executor* executor) noexcept;

  /// True on a thread that is inside a body.
  static bool inside_region() noexcept;

  struct State;  // in the .cpp

 private:
  ThreadPool();
  State* state_;
};

/// ThreadPool::get().parallel_for.
inline void parallel_for(int64_t units, int64_t grain, ChunkBody body) {
  ThreadPool::get().parallel_for(units, grain, body);
}

/// Sets the size of the pool for this thread while it lives; 0 changes nothing.
class PoolSizeScope {
 public:
  explicit PoolSizeScope(int threads) noexcept;
  ~PoolSizeScope();
  PoolSizeScope(const PoolSizeScope&) = delete;
  PoolSizeScope& operator=(const PoolSizeScope&) = delete;

 private:
  int saved_;
};

}  // namespace tenon::runtime
