// The floating-point mode that our kernels expect: round to nearest, subnormals kept, no traps.
#pragma once

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace tenon::runtime {

/// Sets the mode of this thread while it lives. A host built with -ffast-math flushes subnormals;
/// results would then depend on which thread computed them.
class FloatModeScope {
 public:
#if defined(__x86_64__)
  FloatModeScope() noexcept : saved_(_mm_getcsr()) {
    if ((saved_ & ~kFlags) != kDefault) _mm_setcsr(kDefault);
  }
  ~FloatModeScope() {
    if ((saved_ & ~kFlags) != kDefault) _mm_setcsr(saved_);
  }

 private:
  static constexpr unsigned kFlags = 0x3f;      // sticky exception flags: not a mode
  static constexpr unsigned kDefault = 0x1f80;  // all exceptions masked, nearest, no FTZ, no DAZ
  unsigned saved_;
#else
  FloatModeScope() noexcept {}
  ~FloatModeScope() {}

 public:
#endif
  FloatModeScope(const FloatModeScope&) = delete;
  FloatModeScope& operator=(const FloatModeScope&) = delete;
};

}  // namespace tenon::runtime
