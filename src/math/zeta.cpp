// zeta(s, q) = q^-s S, S = sum of (q / (q + k))^s. The first terms of S are added up; from a = q + n >= s + 10 on follows the series of
// Euler and Maclaurin,
//
//     a^-s (a / (s - 1) + 1/2 + sum over j of B_2j / (2j)! s (s + 1) ... (s + 2j - 2) / a^(2j - 1)).
//
// For q < 0 and an integer s the terms are those of both directions from the fraction r of q, less those beyond q:
//
//     zeta(s, q) = zeta(s, r) + (-1)^s (zeta(s, 1 - r) - zeta(s, 1 - q)).
#include "math/zeta.h"

#include <cmath>
#include <cstddef>

#include "math/double_word.h"
#include "math/exp.h"
#include "math/fma_target.h"
#include "math/log.h"
#include "math/power.h"
#include "math/rare.h"

namespace tenon::math {
namespace {

using Word = DoubleWord<double>;

/// B_2j / (2j)!, j = 1, 2, ...: 2 (-1)^(j + 1) zeta(2j) / (2 pi)^2j.
constexpr double kMaclaurin[] = {
    0x1.5555555555555p-4,   -0x1.6c16c16c16c17p-10, 0x1.1566abc011567p-15,  -0x1.bbd779334ef0bp-21, 0x1.66a8f2bf70ebep-26,  -0x1.22805d644267fp-31,
    0x1.d6db2c4e09162p-37,  -0x1.7da4e1f79955cp-42, 0x1.355871d652e9ep-47,  -0x1.f57d968caacf1p-53, 0x1.967e1f09c376fp-58,  -0x1.497d9033a2b5cp-63,};

/// A sum that does not lose what is small.
struct Total {
  double high = 0, low = 0;
  TENON_MATH_INLINE void add(double x) {
    const auto [sum, rest] = two_sum(high, x);
    high = sum;
    low += rest;
  }
};

/// (q / (q + k))^s.
TENON_MATH_INLINE double ratio_power(double q, double k, double s) {
  const Word a = two_sum(q, k);
  const double r = q / a.high;
  const double rest = fma(-r, a.high, q) - r * a.low;  // q - r (q + k)
  return pow(r, s) * (1 + s * rest / q);
}

/// S, s > 1, 0 < q < inf.
TENON_MATH_INLINE double relative_series(double s, double q) {
  Total total;
  double k = 0, factor = 1;
  for (; q + k < s + 10; k += 1) {
    total.add(factor);
    factor = ratio_power(q, k + 1, s);
    if (factor < 0x1p-70) return total.high + total.low;
  }
  const double a = q + k, inverse_square = 1 / (a * a);
  double rising = s / a, tail = 0;
  for (std::size_t j = 0; j < std::size(kMaclaurin); ++j) {
    tail += kMaclaurin[j] * rising;
    const double next = s + 2 * static_cast<double>(j) + 1;
    rising *= next * (next + 1) * inverse_square;
  }
  total.add(factor * (a / (s - 1)));
  total.add(factor * (0.5 + tail));
  return total.high + total.low;
}

/// base^exponent, base > 0.
TENON_MATH_INLINE double power_of(Word base, double exponent) { return pow(base.high, exponent) * (1 + exponent * (base.low / base.high)); }

/// zeta(s, q), s > 1, q > 0.
TENON_MATH_INLINE double zeta_of_positive(double s, Word q) {
  if (q.high == HUGE_VAL) return 0;
  if (s == HUGE_VAL) return pow(q.high, -s);
  if (q.high > 0x1p1000) return pow(q.high, 1 - s) / (s - 1);  // whose series overflows
  const double series = relative_series(s, q.high), first = power_of(q, -s);
  if (first > 0x1p-960) return first * series;
  const double half = power_of(q, -s / 2);
  return half * series * half;
}

/// m! zeta(m + 1, q), q > 0.
TENON_MATH_INLINE double scaled_zeta(double m, Word q) {
  if (q.high == HUGE_VAL) return 0;
  if (q.high < 0x1p-600) return HUGE_VAL;  // 1 / q^2 is, and 1 / q may be
  const double s = m + 1, series = relative_series(s, q.high);
  if (m > 4096) {
    const double half = exp((Lgamma::call(s) - s * log(q.high)) / 2);
    return half * series * half;
  }
  Word product = divide(Word{1, 0}, q);
  int exponent = 0;
  const auto rescale = [&] {
    if (product.high > 0x1p-200 && product.high < 0x1p200) return;
    int e;
    product.high = std::frexp(product.high, &e);
    product.low = std::ldexp(product.low, -e);
    exponent += e;
  };
  for (double i = 1; i <= m; i += 1) {
    rescale();
    product = multiply(i, product);
    rescale();
    product = divide(product, q);
  }
  const double small = series * 0x1p-600;  // no product overflows before its exponent is known
  return std::ldexp(fma(product.high, small, product.low * small), exponent + 600);
}

/// The sum over q, q + 1, ... for q < 0 and no integer. `f`: the same for q > 0.
template <class F>
TENON_MATH_INLINE double of_negative(double s, double q, F f) {
  const double d = -q - std::floor(-q);
  const double up = f(two_sum(1.0, -d)), down = f(Word{d, 0}), beyond = f(two_sum(1.0, -q));
  const bool even = std::fmod(s, 2) == 0;
  if (up == HUGE_VAL || down == HUGE_VAL) return even || d > 0.5 ? HUGE_VAL : d < 0.5 ? -HUGE_VAL : beyond;
  return even ? up + down - beyond : up - down + beyond;
}

TENON_MATH_INLINE bool is_integer(double x) { return std::floor(x) == x && std::fabs(x) < HUGE_VAL; }
TENON_MATH_INLINE bool is_even(double x) { return is_integer(x) && std::fmod(x, 2) == 0; }
TENON_MATH_INLINE bool is_pole(double q) { return q <= 0 && std::floor(q) == q; }

TENON_MATH_INLINE double zeta_of(double s, double q) {
  if (s == 1) return HUGE_VAL;
  if (s != s || q != q) return s + q;
  if (is_pole(q)) return is_even(s) ? HUGE_VAL : std::nan("");
  if (s < 1) return std::nan("");
  if (q > 0) return zeta_of_positive(s, {q, 0});
  if (!is_integer(s)) return std::nan("");
  return of_negative(s, q, [&](Word at) { return zeta_of_positive(s, at); });
}
TENON_MATH_INLINE double polygamma_of(double m, double x) {
  if (m == 0) return Digamma::call(x);
  if (m != m || x != x) return m + x;
  if (m < 0 || !is_integer(m)) return std::nan("");
  if (is_pole(x)) return is_even(m) ? std::nan("") : HUGE_VAL;
  const double y = x > 0 ? scaled_zeta(m, {x, 0}) : of_negative(m + 1, x, [&](Word at) { return scaled_zeta(m, at); });
  return is_even(m) ? -y : y;
}

TENON_WITH_FMA double zeta_fma(double s, double q) { return zeta_of(s, q); }
double zeta_baseline(double s, double q) { return zeta_of(s, q); }
TENON_WITH_FMA double polygamma_fma(double m, double x) { return polygamma_of(m, x); }
double polygamma_baseline(double m, double x) { return polygamma_of(m, x); }

template <class Function, class F>
void apply(F* result, const F* x, const F* y, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) result[i] = Function::call(x[i], y[i]);
}
constexpr FunctionOfTwo kFunctions[] = {
    {Zeta::kName, apply<Zeta, float>, apply<Zeta, double>},
    {Polygamma::kName, apply<Polygamma, float>, apply<Polygamma, double>},
};

}  // namespace

double Zeta::call(double x, double q) { return kHasFma ? zeta_fma(x, q) : zeta_baseline(x, q); }
double Polygamma::call(double m, double x) { return kHasFma ? polygamma_fma(m, x) : polygamma_baseline(m, x); }
float Zeta::call(float x, float q) { return static_cast<float>(call(static_cast<double>(x), static_cast<double>(q))); }
float Polygamma::call(float m, float x) { return static_cast<float>(call(static_cast<double>(m), static_cast<double>(x))); }

std::span<const FunctionOfTwo> functions_of_two() { return kFunctions; }

}  // namespace tenon::math
