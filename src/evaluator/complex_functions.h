// Functions of complex numbers, by the C library's (C99 Annex G special values), in double.
//
// The code generator has no complex numbers yet; when it gets them, these move to src/math.
#pragma once

#include <cmath>
#include <complex>

#include "evaluator/element.h"

namespace tenon::evaluator {

/// f(x) in double, rounded to T.
template <class T, class F>
T in_double(T x, F f) {
  const Complex128 y = f(Complex128(x.real(), x.imag()));
  return T(static_cast<typename T::value_type>(y.real()), static_cast<typename T::value_type>(y.imag()));
}

/// e^z - 1 without cancellation: (expm1(x) cos y - 2 sin^2(y/2)) + i e^x sin y.
inline Complex128 complex_expm1(Complex128 z) {
  const double x = z.real(), y = z.imag(), s = std::sin(y / 2);
  if (y == 0) return {std::expm1(x), y};
  return {std::expm1(x) * std::cos(y) - 2 * s * s, std::exp(x) * std::sin(y)};
}

/// log(1 + z): log(|1 + z|^2) / 2 by x (2 + x) + y^2, exact where that is small.
inline Complex128 complex_log1p(Complex128 z) {
  const double x = z.real(), y = z.imag();
  if (!(std::fabs(x) <= 0.5 && std::fabs(y) <= 0.5)) return std::log(Complex128(1 + x, y));
  return {std::log1p(std::fma(x, 2 + x, y * y)) / 2, std::atan2(y, 1 + x)};
}

inline Complex128 complex_pow(Complex128 a, Complex128 b) {
  if (b == 0.0) return 1;
  if (a == 0.0) return b.real() > 0 ? Complex128(0) : Complex128(HUGE_VAL, 0);
  const double magnitude = std::log(std::abs(a)), angle = std::arg(a);
  const double size = std::exp(b.real() * magnitude - b.imag() * angle);
  const double turn = b.imag() * magnitude + b.real() * angle;
  return {size * std::cos(turn), size * std::sin(turn)};
}

}  // namespace tenon::evaluator
