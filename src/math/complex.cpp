#include "math/complex.h"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <numbers>

#include "math/quad.h"

namespace tenon::math {

Complex128 complex_abs(Complex128 z) { return std::hypot(z.real(), z.imag()); }

// By a power of two out of the reach of overflow and of subnormals, whose quotients have few digits.
Complex128 complex_sign(Complex128 z) {
  if (z == 0.0) return z;
  const double larger = std::fmax(std::fabs(z.real()), std::fabs(z.imag()));
  const int exponent = larger > 0 && larger < HUGE_VAL ? std::ilogb(larger) : 0;
  const double x = std::ldexp(z.real(), -exponent), y = std::ldexp(z.imag(), -exponent);
  const double magnitude = std::hypot(x, y);
  return {x / magnitude, y / magnitude};
}

// e^x (cos y + i sin y). Of an infinite y it is NaN for each x, as in StableHLO's tests (Annex G has zeros and infinities at x = +-inf).
Complex128 complex_exp(Complex128 z) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  return std::isfinite(z.imag()) ? std::exp(z) : Complex128(nan, nan);
}
Complex128 complex_log(Complex128 z) { return std::log(z); }
Complex128 complex_sin(Complex128 z) { return std::sin(z); }
Complex128 complex_cos(Complex128 z) { return std::cos(z); }
Complex128 complex_tan(Complex128 z) { return std::tan(z); }
Complex128 complex_asin(Complex128 z) { return std::asin(z); }
Complex128 complex_acos(Complex128 z) { return std::acos(z); }
Complex128 complex_atan(Complex128 z) { return std::atan(z); }
Complex128 complex_sinh(Complex128 z) { return std::sinh(z); }
Complex128 complex_cosh(Complex128 z) { return std::cosh(z); }
Complex128 complex_tanh(Complex128 z) { return std::tanh(z); }
Complex128 complex_asinh(Complex128 z) { return std::asinh(z); }
Complex128 complex_acosh(Complex128 z) { return std::acosh(z); }
Complex128 complex_atanh(Complex128 z) { return std::atanh(z); }
Complex128 complex_sqrt(Complex128 z) { return std::sqrt(z); }
Complex128 complex_logistic(Complex128 z) { return 1.0 / (1.0 + std::exp(-z)); }
Complex128 complex_rsqrt(Complex128 z) { return 1.0 / std::sqrt(z); }

// Without cancellation: (expm1(x) cos y - 2 sin^2(y/2)) + i e^x sin y. Where e^x may overflow, its products need not.
Complex128 complex_expm1(Complex128 z) {
  const double x = z.real(), y = z.imag(), s = std::sin(y / 2);
  if (y == 0) return {std::expm1(x), y};
  if (x > 700 && x < HUGE_VAL) return std::exp(z);
  return {std::expm1(x) * std::cos(y) - 2 * s * s, std::exp(x) * std::sin(y)};
}

// log(|1 + z|^2) / 2 by x (2 + x) + y^2, exact where that is small.
Complex128 complex_log1p(Complex128 z) {
  const double x = z.real(), y = z.imag();
  if (!(std::fabs(x) <= 0.5 && std::fabs(y) <= 0.5)) return std::log(Complex128(1 + x, y));
  return {std::log1p(std::fma(x, 2 + x, y * y)) / 2, std::atan2(y, 1 + x)};
}

using Wide = std::complex<long double>;
static Complex128 narrowed(Wide z) { return {static_cast<double>(z.real()), static_cast<double>(z.imag())}; }
static bool is_finite(Wide z) { return std::isfinite(z.real()) && std::isfinite(z.imag()); }

// The long double has room for all products. Infinities and zeros go by Annex G, with a direction where there is one.
Complex128 complex_divide(Complex128 a, Complex128 b) {
  if (!is_finite(b) || b == 0.0) return a / b;
  long double x = a.real(), y = a.imag(), u = b.real(), v = b.imag(), scale = 1 / (u * u + v * v);
  if (std::isinf(a.real()) || std::isinf(a.imag())) {
    const auto unit = [](double part) { return std::copysign(std::isinf(part) ? 1.0 : 0.0, part); };
    x = unit(a.real()), y = unit(a.imag()), scale = HUGE_VALL;
  }
  return narrowed({(x * u + y * v) * scale, (y * u - x * v) * scale});
}

// By products, with digits and range to spare.
static Wide integer_power(Wide a, int n) {
  Wide result = 1;
  for (int rest = std::abs(n); rest > 0; rest /= 2, a *= a)
    if (rest % 2 == 1) result *= a;
  return n < 0 ? 1.0L / result : result;
}

// exp(b log a) of finite numbers where b log a is large: its rounding would show in the result.
static Complex128 quad_power(Complex128 a, Complex128 b) {
  const Quad x = a.real(), y = a.imag(), u = b.real(), v = b.imag();
  const Quad magnitude = quad_log(quad_hypot(x, y)), angle = quad_atan2(y, x);
  const Quad size = quad_exp(u * magnitude - v * angle), turn = u * angle + v * magnitude;
  const auto times_size = [&](Quad part) { return static_cast<double>(part == 0 ? part : size * part); };
  return {times_size(quad_cos(turn)), times_size(quad_sin(turn))};
}

// What lies on an axis turns by quarters under an integer power, exactly. No 0 meets an infinity on the way.
Complex128 complex_pow(Complex128 a, Complex128 b) {
  if (b == 0.0) return 1;
  if (b == 1.0) return a;
  if (a == 0.0 && b.real() != 0) return b.real() > 0 ? Complex128(0) : Complex128(HUGE_VAL, 0);
  if (a == 0.0) return {std::nan(""), std::nan("")};
  const double length = std::abs(a);
  const bool is_integer = b.imag() == 0 && std::fmod(b.real(), 1) == 0;
  if (is_integer && (a.real() == 0 || a.imag() == 0) && !std::isnan(length)) {
    const double size = std::pow(length, b.real());
    const int quarters = a.imag() == 0 ? (a.real() < 0 ? 2 : 0) : (a.imag() < 0 ? 3 : 1);
    switch ((quarters * static_cast<int>(std::fmod(b.real(), 4)) + 12) % 4) {
      case 0: return {size, 0};
      case 1: return {0, size};
      case 2: return {-size, 0};
      default: return {0, -size};
    }
  }
  const Wide wide(a), exponent(b);
  if (is_integer && std::fabs(b.real()) <= 64 && is_finite(wide)) {
    const Wide product = integer_power(wide, static_cast<int>(b.real()));
    if (is_finite(product)) return narrowed(product);
  }
  const long double magnitude = std::log(std::abs(wide)), angle = std::arg(wide);
  if (std::abs(exponent) * std::fmax(std::fabs(magnitude), 1) > 256 && is_finite(wide) && is_finite(exponent))
    return quad_power(a, b);
  const long double size = std::exp(exponent.real() * magnitude - (b.imag() == 0 ? 0 : exponent.imag() * angle));
  const long double turn = exponent.real() * angle + (b.imag() == 0 ? 0 : exponent.imag() * magnitude);
  const auto times_size = [&](long double x) { return x == 0 ? x : size * x; };
  return narrowed({times_size(std::cos(turn)), times_size(std::sin(turn))});
}

// The definition, with the logarithms of x + iy and x - iy apart: no square overflows. Where both are near, atan(y / x)
// is the more accurate, up to half turns.
Complex128 complex_atan2(Complex128 y, Complex128 x) {
  constexpr double kPi = std::numbers::pi;
  if (!is_finite(x) || !is_finite(y)) {
    const Complex128 point(x.real() - y.imag(), x.imag() + y.real()), log = std::log(point / std::sqrt(x * x + y * y));
    return {log.imag(), -log.real()};
  }
  const Complex128 ratio = y / x, principal = std::atan(ratio);
  const double larger = std::fmax(std::fmax(std::fabs(x.real()), std::fabs(x.imag())), std::fmax(std::fabs(y.real()), std::fabs(y.imag())));
  const int exponent = larger > 0 ? -std::ilogb(larger) : 0;  // logarithms of numbers near 1 keep their digits
  const auto scaled = [=](Complex128 z) { return Complex128(std::ldexp(z.real(), exponent), std::ldexp(z.imag(), exponent)); };
  x = scaled(x), y = scaled(y);
  const Complex128 plus = std::log(Complex128(x.real() - y.imag(), x.imag() + y.real()));
  const Complex128 minus = std::log(Complex128(x.real() + y.imag(), x.imag() - y.real()));
  const auto turned = [](double a) { return a > kPi ? a - 2 * kPi : a <= -kPi ? a + 2 * kPi : a; };
  double of_squares = turned(plus.imag() + minus.imag());
  if (kPi - std::fabs(of_squares) < 1e-9) of_squares = std::copysign(of_squares, (x * x + y * y).imag());  // which side of the cut
  const Complex128 angle(turned(plus.imag() - of_squares / 2), (minus.real() - plus.real()) / 2);
  if (!is_finite(angle) || !(std::abs(ratio) < 0.5)) return angle;
  double half_turns = std::nearbyint((angle.real() - principal.real()) / kPi);
  if (half_turns * principal.real() > 0) half_turns = -half_turns;  // beyond pi, by less than angle shows
  return half_turns == 0 ? principal : principal + half_turns * kPi;
}

template <class T, auto f>
static void apply(T* result, const T* x, std::uint64_t lanes) {
  for (std::uint64_t i = 0; i < lanes; ++i) {
    const auto part = [&](int k) { return static_cast<double>(x[static_cast<std::uint64_t>(k) * lanes + i]); };
    Complex128 y;
    if constexpr (requires { f(Complex128()); }) y = f(Complex128(part(0), part(1)));
    else y = f(Complex128(part(0), part(1)), Complex128(part(2), part(3)));
    result[i] = static_cast<T>(y.real());
    result[lanes + i] = static_cast<T>(y.imag());
  }
}
template <auto f>
static constexpr ComplexFunction row(const char* name) {
  return {name, requires { f(Complex128()); } ? 1 : 2, apply<float, f>, apply<double, f>};
}

static constexpr ComplexFunction kFunctions[] = {
    row<complex_abs>("abs"),
    row<complex_acos>("acos"),
    row<complex_acosh>("acosh"),
    row<complex_asin>("asin"),
    row<complex_asinh>("asinh"),
    row<complex_atan>("atan"),
    row<complex_atan2>("atan2"),
    row<complex_atanh>("atanh"),
    row<complex_cosh>("cosh"),
    row<complex_cos>("cosine"),
    row<complex_divide>("divide"),
    row<complex_exp>("exponential"),
    row<complex_expm1>("exponential_minus_one"),
    row<complex_log>("log"),
    row<complex_log1p>("log_plus_one"),
    row<complex_logistic>("logistic"),
    row<complex_pow>("power"),
    row<complex_rsqrt>("rsqrt"),
    row<complex_sign>("sign"),
    row<complex_sin>("sine"),
    row<complex_sinh>("sinh"),
    row<complex_sqrt>("sqrt"),
    row<complex_tan>("tan"),
    row<complex_tanh>("tanh"),
};

std::span<const ComplexFunction> complex_functions() { return kFunctions; }

const ComplexFunction* find_complex_function(std::string_view name) {
  for (const ComplexFunction& function : kFunctions) {
    if (function.name == name) return &function;
  }
  return nullptr;
}

}  // namespace tenon::math
