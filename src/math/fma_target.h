// Functions that exist twice, for machines with and without fma: double words are several times as fast with it.
#pragma once

namespace tenon::math {

/// TENON_WITH_FMA in front of a function compiles it for machines where kHasFma is true.
#if defined(__x86_64__)
#define TENON_WITH_FMA [[gnu::target("avx2,fma")]]
inline const bool kHasFma = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
#define TENON_WITH_FMA
inline constexpr bool kHasFma = false;
#endif

}  // namespace tenon::math
