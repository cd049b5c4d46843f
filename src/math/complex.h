// Functions of complex numbers with the C library's special values (C99, Annex G), in double.
//
// They are calls, not vectors: the evaluator calls them by their C++ names, generated code by the
// names of the table, which are those of the scalar operations.
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <string_view>

namespace tenon::math {

using Complex128 = std::complex<double>;

/// |z|, and z / |z| (0 for 0).
Complex128 complex_abs(Complex128 z);
Complex128 complex_sign(Complex128 z);
Complex128 complex_exp(Complex128 z);
Complex128 complex_expm1(Complex128 z);
Complex128 complex_log(Complex128 z);
Complex128 complex_log1p(Complex128 z);
Complex128 complex_logistic(Complex128 z);
Complex128 complex_sin(Complex128 z);
Complex128 complex_cos(Complex128 z);
Complex128 complex_tan(Complex128 z);
Complex128 complex_asin(Complex128 z);
Complex128 complex_acos(Complex128 z);
Complex128 complex_atan(Complex128 z);
Complex128 complex_sinh(Complex128 z);
Complex128 complex_cosh(Complex128 z);
Complex128 complex_tanh(Complex128 z);
Complex128 complex_asinh(Complex128 z);
Complex128 complex_acosh(Complex128 z);
Complex128 complex_atanh(Complex128 z);
Complex128 complex_sqrt(Complex128 z);
Complex128 complex_rsqrt(Complex128 z);
Complex128 complex_divide(Complex128 a, Complex128 b);
Complex128 complex_pow(Complex128 a, Complex128 b);
/// -i log((x + iy) / sqrt(x^2 + y^2)).
Complex128 complex_atan2(Complex128 y, Complex128 x);

/// By the real, then by the imaginary parts. NaN in a part wins, of two the first.
template <class T>
std::complex<T> complex_maximum(std::complex<T> a, std::complex<T> b) {
  const auto is_nan = [](std::complex<T> z) { return z.real() != z.real() || z.imag() != z.imag(); };
  const bool is_less = a.real() == b.real() ? a.imag() < b.imag() : a.real() < b.real();
  return !is_nan(a) && (is_less || is_nan(b)) ? b : a;
}
template <class T>
std::complex<T> complex_minimum(std::complex<T> a, std::complex<T> b) {
  return -complex_maximum(-a, -b);
}

/// For generated code: `x` holds `lanes` real parts, then `lanes` imaginary parts, of each operand;
/// the result likewise. Single precision is computed in double and rounded once.
struct ComplexFunction {
  const char* name;
  int operands;
  void (*c64)(float* result, const float* x, std::uint64_t lanes);
  void (*c128)(double* result, const double* x, std::uint64_t lanes);
};
std::span<const ComplexFunction> complex_functions();
/// nullptr when there is none.
const ComplexFunction* find_complex_function(std::string_view name);

}  // namespace tenon::math
