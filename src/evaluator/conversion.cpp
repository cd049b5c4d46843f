// Conversion between any two element types.
//
// To integers: toward zero, clamped, NaN gives 0. To bool: is not zero. Between integers: the low
// bits. Complex to real: the real part. To 16-bit floats: rounded once, whatever comes.
#include <bit>
#include <cmath>

#include "evaluator/loop.h"
#include "math/integer.h"

namespace tenon::evaluator {

/// `x` rounded to float so that a further rounding to a 16-bit float is as if from `x`: an inexact
/// result gets an odd last bit (Boldo & Melquiond, "Emulation of a FMA and correctly rounded sums").
static inline float round_to_odd(double x) {
  const float nearest = static_cast<float>(x);
  if (static_cast<double>(nearest) == x || nearest != nearest) return nearest;
  std::uint32_t bits = std::bit_cast<std::uint32_t>(nearest);
  if (bits & 1) return nearest;
  const bool beyond = std::fabs(static_cast<double>(nearest)) > std::fabs(x);  // infinity too
  bits = beyond ? bits - 1 : bits + 1;
  return std::bit_cast<float>(bits);
}

/// The same from an integer to double.
template <class T>
static inline double to_double_odd(T x) {
  if constexpr (sizeof(T) < 8) {
    return static_cast<double>(x);
  } else {
    const bool negative = x < 0;
    std::uint64_t magnitude = negative ? 0 - static_cast<std::uint64_t>(x) : static_cast<std::uint64_t>(x);
    if (magnitude >> 53) magnitude = (magnitude & ~std::uint64_t{0x7ff}) | (magnitude & 0x7ff ? 0x800 : 0);
    const double value = static_cast<double>(magnitude);
    return negative ? -value : value;
  }
}

template <class To, class From>
static inline To convert(From x) {
  if constexpr (std::is_same_v<To, From>) {
    return x;
  } else if constexpr (is_half<From>) {
    return convert<To>(widen(x));
  } else if constexpr (is_complex<To>) {
    using Part = typename To::value_type;
    if constexpr (is_complex<From>) return To(static_cast<Part>(x.real()), static_cast<Part>(x.imag()));
    else return To(convert<Part>(x), Part(0));
  } else if constexpr (is_complex<From>) {
    return convert<To>(x.real());
  } else if constexpr (std::is_same_v<To, bool>) {
    return x != 0;
  } else if constexpr (is_half<To>) {
    if constexpr (std::is_same_v<From, float>) return narrow<To>(x);
    else if constexpr (std::is_same_v<From, double>) return narrow<To>(round_to_odd(x));
    else return narrow<To>(round_to_odd(to_double_odd(x)));
  } else if constexpr (is_integer<To> && is_float<From>) {
    return math::to_integer<To>(x);
  } else {
    return static_cast<To>(x);
  }
}

template <class To, class From>
static void convert_loop(const void* const* operands, const std::int64_t* steps, void* result, std::int64_t count,
                         const ScalarParams&) {
  const From* in = static_cast<const From*>(operands[0]);
  To* out = static_cast<To*>(result);
  for (std::int64_t i = 0; i < count; ++i) out[i] = convert<To>(in[i * steps[0]]);
}

ElementwiseLoop find_conversion(DType operand, DType result) {
  return with_element_type(operand, [result]<class From>() {
    return with_element_type(result, []<class To>() -> ElementwiseLoop { return convert_loop<To, From>; });
  });
}

}  // namespace tenon::evaluator
