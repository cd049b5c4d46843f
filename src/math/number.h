// The number type over which every scalar function is written, once.
//
// The functions of src/math are templates over a number type N. The evaluator instantiates them
// with float and double; the code generator with a handle on an IR value (say of vector<8xf32>)
// whose operators append operations. Both then do the same operations in the same order, so they
// give the same bits. N may stand for many lanes: its comparisons give masks, and nothing here
// branches on a number.
//
// To make a number type, say what its parts are:
//
//     template <> struct Number<MyFloat> {
//       using Float = float;          // the format of one lane: float or double
//       using Bits = MyInteger;       // integers of the same width and count; no sign: they wrap
//       using Mask = MyMask;          // result of a comparison, one bool a lane
//     };
//
// and declare, in the namespace of the type (found by argument-dependent lookup):
//
//     N, N         + - * /  unary -                 IEEE, round to nearest even, never contracted
//     N, N         < <= > >= == !=                  Mask; false when unordered, except !=
//     Mask, Mask   & |  unary !
//     Bits, Bits   + - & | ^                        two's complement, wrapping
//     Bits, int    << >>                            logical; 0 <= shift < width
//     N    fma(N a, N b, N c)                       a * b + c, rounded once, on every machine
//     N    sqrt(N), floor(N), round_even(N)         correctly rounded; to nearest integer, ties even
//     N    maximum(N, N), minimum(N, N)             NaN if either is; -0 < +0 (IEEE 754-2019)
//     N    select(Mask, N, N)                       lane by lane: mask ? first : second
//     Bits select(Mask, Bits, Bits)
//     Bits to_bits(N)        N from_bits(N like, Bits)    the same bits (`like` only gives the type)
//     N    like(N, double)                          that value in every lane, rounded to the format
//     Bits bits_like(N, uint64_t)                   that integer in every lane
//     N    rare<Slow>(Mask, N fast, N x)            lanes of the mask: Slow::call(x), else fast
//     N    uncommon(Mask, N usual, F other)         lanes of the mask: other(), else usual
//
// `rare` is for lanes that hardly ever occur and cost much (huge arguments of sin). Slow has
// `static constexpr const char kName[]` and `static float call(float)`, `static double call(double)`;
// generated code tests whether any lane is set and calls the runtime function of that name
// (`find_rare`, rare.h) for the set lanes. `uncommon` is for what a few numbers in a thousand need: its
// operations run for all lanes of a vector, but only where the mask has any.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif

// Everything is inlined into the loop that uses it, so that it takes that loop's instruction set.
#define TENON_MATH_INLINE [[gnu::always_inline]] inline

namespace tenon::math {

template <class N>
struct Number;

template <>
struct Number<float> {
  using Float = float;
  using Bits = std::uint32_t;
  using Mask = bool;
};

template <>
struct Number<double> {
  using Float = double;
  using Bits = std::uint64_t;
  using Mask = bool;
};

template <class N>
using FloatOf = typename Number<N>::Float;
template <class N>
using BitsOf = typename Number<N>::Bits;
template <class N>
using MaskOf = typename Number<N>::Mask;

template <class N>
concept CppFloat = std::is_same_v<N, float> || std::is_same_v<N, double>;

/// Facts of an IEEE format.
template <class F>
struct Format;

template <>
struct Format<float> {
  static constexpr int kWidth = 32;
  static constexpr int kFractionBits = 23;
  static constexpr int kExponentBits = 8;
  static constexpr int kBias = 127;
  static constexpr double kSmallestNormal = 0x1p-126;
  /// x + kRound - kRound rounds |x| < 2^22 to an integer, and leaves it in the low bits of the sum.
  static constexpr double kRound = 0x1.8p23;
  static constexpr std::uint64_t kRoundBits = 0x4b400000;
};

template <>
struct Format<double> {
  static constexpr int kWidth = 64;
  static constexpr int kFractionBits = 52;
  static constexpr int kExponentBits = 11;
  static constexpr int kBias = 1023;
  static constexpr double kSmallestNormal = 0x1p-1022;
  static constexpr double kRound = 0x1.8p52;
  static constexpr std::uint64_t kRoundBits = 0x4338000000000000;
};

template <class N>
using FormatOf = Format<FloatOf<N>>;

// ---- C++ numbers

TENON_MATH_INLINE float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
TENON_MATH_INLINE double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
#if defined(__clang__)
TENON_MATH_INLINE float sqrt(float x) { return __builtin_elementwise_sqrt(x); }  // no errno: an instruction
TENON_MATH_INLINE double sqrt(double x) { return __builtin_elementwise_sqrt(x); }
#else
TENON_MATH_INLINE float sqrt(float x) { return __builtin_sqrtf(x); }
TENON_MATH_INLINE double sqrt(double x) { return __builtin_sqrt(x); }
#endif
TENON_MATH_INLINE float floor(float x) { return __builtin_floorf(x); }
TENON_MATH_INLINE double floor(double x) { return __builtin_floor(x); }
TENON_MATH_INLINE float round_even(float x) { return __builtin_nearbyintf(x); }
TENON_MATH_INLINE double round_even(double x) { return __builtin_nearbyint(x); }

template <CppFloat N>
TENON_MATH_INLINE N select(bool mask, N a, N b) {
  return mask ? a : b;
}
TENON_MATH_INLINE std::uint32_t select(bool mask, std::uint32_t a, std::uint32_t b) {
  return mask ? a : b;
}
TENON_MATH_INLINE std::uint64_t select(bool mask, std::uint64_t a, std::uint64_t b) {
  return mask ? a : b;
}

TENON_MATH_INLINE std::uint32_t to_bits(float x) { return std::bit_cast<std::uint32_t>(x); }
TENON_MATH_INLINE std::uint64_t to_bits(double x) { return std::bit_cast<std::uint64_t>(x); }
TENON_MATH_INLINE float from_bits(float, std::uint32_t b) { return std::bit_cast<float>(b); }
TENON_MATH_INLINE double from_bits(double, std::uint64_t b) { return std::bit_cast<double>(b); }

template <CppFloat N>
TENON_MATH_INLINE N like(N, double value) {
  return static_cast<N>(value);
}
template <CppFloat N>
TENON_MATH_INLINE BitsOf<N> bits_like(N, std::uint64_t bits) {
  return static_cast<BitsOf<N>>(bits);
}

template <CppFloat N>
TENON_MATH_INLINE N maximum(N a, N b) {
  const N both_zero = from_bits(a, to_bits(a) & to_bits(b));  // equal numbers, or +0 of two zeros
  const N larger = a > b ? a : (a == b ? both_zero : b);      // b when b is NaN
  return a != a ? a : larger;
}
template <CppFloat N>
TENON_MATH_INLINE N minimum(N a, N b) {
  const N either_zero = from_bits(a, to_bits(a) | to_bits(b));
  const N smaller = a < b ? a : (a == b ? either_zero : b);
  return a != a ? a : smaller;
}

template <class Slow, CppFloat N>
TENON_MATH_INLINE N rare(bool mask, N fast, N x) {
  if (mask) [[unlikely]] return Slow::call(x);
  return fast;
}

template <CppFloat N, class F>
TENON_MATH_INLINE N uncommon(bool mask, N usual, F&& other) {
  if (mask) [[unlikely]] return other();
  return usual;
}

// ---- over any number type

/// c[0] + x * (c[1] + x * (...)), by fma.
template <class N, std::size_t Count>
TENON_MATH_INLINE N horner(N x, const double (&c)[Count]) {
  N sum = like(x, c[Count - 1]);
  for (std::size_t i = Count - 1; i-- > 0;) sum = fma(sum, x, like(x, c[i]));
  return sum;
}

template <class N>
TENON_MATH_INLINE BitsOf<N> sign_mask(N x) {
  return bits_like(x, std::uint64_t{1} << (FormatOf<N>::kWidth - 1));
}

/// |x|; of NaN too.
template <class N>
TENON_MATH_INLINE N abs(N x) {
  constexpr std::uint64_t magnitude = ~std::uint64_t{0} >> (65 - FormatOf<N>::kWidth);
  return from_bits(x, to_bits(x) & bits_like(x, magnitude));
}

}  // namespace tenon::math
