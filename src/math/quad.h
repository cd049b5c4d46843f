#pragma once
// The widest numbers at hand, for the few results that lose more digits than a long double has to spare: 113 bits where
// the C library has them beside the long double (glibc on x86-64) or as the long double (AArch64).
#include <cmath>
#include <complex>

namespace tenon::math {

#if defined(__x86_64__) && defined(__GLIBC__)

// By the symbols' names: what the headers call the type differs between compilers.
__extension__ typedef __float128 Quad;
extern "C" {
Quad quad_log(Quad) noexcept __asm__("logf128");
Quad quad_hypot(Quad, Quad) noexcept __asm__("hypotf128");
Quad quad_atan2(Quad, Quad) noexcept __asm__("atan2f128");
Quad quad_exp(Quad) noexcept __asm__("expf128");
Quad quad_sin(Quad) noexcept __asm__("sinf128");
Quad quad_cos(Quad) noexcept __asm__("cosf128");
}

#else

using Quad = long double;
inline Quad quad_log(Quad x) { return std::log(x); }
inline Quad quad_hypot(Quad x, Quad y) { return std::hypot(x, y); }
inline Quad quad_atan2(Quad y, Quad x) { return std::atan2(y, x); }
inline Quad quad_exp(Quad x) { return std::exp(x); }
inline Quad quad_sin(Quad x) { return std::sin(x); }
inline Quad quad_cos(Quad x) { return std::cos(x); }

#endif

}  // namespace tenon::math
