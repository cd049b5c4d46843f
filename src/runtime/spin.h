// Short waits: a pause instruction, and a lock for sections of a few instructions.
#pragma once

#include <atomic>

#if defined(__x86_64__)
#include <immintrin.h>
#endif
#include <sched.h>

namespace tenon::runtime {

inline void cpu_pause() noexcept {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// A lock without a queue. Gives the processor away when the owner seems to be descheduled.
class SpinLock {
 public:
  void lock() noexcept {
    for (int tries = 0; locked_.exchange(true, std::memory_order_acquire); ++tries) {
      while (locked_.load(std::memory_order_relaxed)) {
        if (++tries > 100) {
          sched_yield();
        } else {
          cpu_pause();
        }
      }
    }
  }
  void unlock() noexcept { locked_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> locked_{false};
};

}  // namespace tenon::runtime
