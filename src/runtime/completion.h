// Whether the work that fills some buffers is done, and how it failed. The results of one program
// share one completion; a buffer without one is ready.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>

#include "tenon/detail/ref.h"
#include "tenon/runtime.h"

namespace tenon::runtime {

using tenon::detail::make_ref;
using tenon::detail::Ref;
using tenon::detail::RefCounted;

/// An error on its way from where it happened to all that depends on it.
///
/// When the last holder goes and nobody has seen it, the hook of tenon::set_unobserved_error_hook does.
class Failure : public RefCounted {
 public:
  explicit Failure(std::exception_ptr error) noexcept : error_(std::move(error)) {}
  ~Failure() override;
  /// Throws the error; each time.
  [[noreturn]] void raise() const;
  /// The error, counted as seen.
  std::exception_ptr error() const noexcept;

 private:
  std::exception_ptr error_;
  mutable std::atomic<bool> is_observed_{false};
};

class Completion : public RefCounted {
 public:
  Completion() noexcept;
  /// Born failed.
  explicit Completion(Ref<Failure> failure) noexcept;

  /// True when the work is done or has failed.
  bool is_done() const noexcept { return state_.load(std::memory_order_acquire) != kPending; }
  /// The failure of work that is done; null when it went well or still runs.
  const Failure* failure() const noexcept {
    return state_.load(std::memory_order_acquire) == kFailed ? failure_.get() : nullptr;
  }
  Ref<Failure> share_failure() const noexcept { return failure() ? failure_ : Ref<Failure>(); }

  /// Returns when the work is done, however it ended. On the dispatch thread, runs queued work
  /// meanwhile. Throws RuntimeError in a child of fork when the work was pending at the fork.
  void wait_done() const;
  /// wait_done, then throws the error of the work, each time.
  void wait() const;

  /// Ends the work; once, by whoever does it.
  void set_ready() noexcept;
  void set_failed(Ref<Failure> failure) noexcept;
  void set_failed(std::exception_ptr error) noexcept;

 private:
  enum State : uint32_t { kPending, kReady, kFailed };
  void finish(State state) noexcept;

  std::atomic<uint32_t> state_;
  uint32_t fork_generation_;
  Ref<Failure> failure_;
};

}  // namespace tenon::runtime
