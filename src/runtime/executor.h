// Whose threads do the parallel work: our own, or those of the host program.
#pragma once

namespace tenon::runtime {

/// Threads that may be asked to help. Implemented by a host that brings its own pool.
///
/// The pool never depends on an answer: whoever starts a parallel region can finish it alone.
class Executor {
 public:
  virtual ~Executor() = default;
  /// How many threads may work at once, the caller's included.
  virtual int concurrency() const noexcept = 0;
  /// Asks that `help(context)` is called once on each of up to `count` threads, soon and at the
  /// same time. It may be called less often, late, or never; it does not block on other work.
  virtual void request(int count, void (*help)(void* context) noexcept, void* context) noexcept = 0;
};

}  // namespace tenon::runtime
