// Hurwitz' zeta function and polygamma: whole functions of two operands, too much code to be inlined anywhere.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace tenon::math {

/// zeta(x, q) = sum of (q + k)^-x, k = 0, 1, ...: for x > 1 and q > 0, or an integer x and any q. At the poles q = 0, -1, ... inf for
/// an even integer x; inf for x = 1; NaN elsewhere. Error below 4 ulp; for q < 0 and odd x relative to the largest terms.
struct Zeta {
  static constexpr const char kName[] = "zeta";
  static float call(float x, float q);
  static double call(double x, double q);
};
/// The m-th derivative of digamma at x, (-1)^(m + 1) m! zeta(m + 1, x): inf or NaN at the poles x = 0, -1, ..., and NaN unless m is one
/// of 0, 1, 2, ... Error as zeta's for m <= 4096.
struct Polygamma {
  static constexpr const char kName[] = "polygamma";
  static float call(float m, float x);
  static double call(double m, double x);
};

/// For generated code: result[i] = f(x[i], y[i]) for i < count.
struct FunctionOfTwo {
  std::string_view name;
  void (*f32)(float* result, const float* x, const float* y, std::int64_t count);
  void (*f64)(double* result, const double* x, const double* y, std::int64_t count);
};
/// All of them.
std::span<const FunctionOfTwo> functions_of_two();

}  // namespace tenon::math
