#include "functions_under_test.h"

#include <dlfcn.h>
#include <math.h>  // lgamma_r
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "math/functions.h"

#if defined(__x86_64__)
#define TENON_WITH_FMA [[gnu::target("avx2,fma")]]
#else
#define TENON_WITH_FMA
#endif

namespace tenon::math {
namespace {

bool has_fma() {
#if defined(__x86_64__)
  static const bool has = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return has;
#else
  return false;
#endif
}

/// The function of libmvec for vectors of four doubles (its names are those of the vector ABI); null without it.
VectorFunction of_vector_library(const char* name) {
  static void* const library = has_fma() ? dlopen("libmvec.so.1", RTLD_NOW | RTLD_LOCAL) : nullptr;
  return library ? dlsym(library, (std::string("_ZGVdN4v_") + name).c_str()) : nullptr;
}

// ---- the functions as types, and as loops

#define TENON_UNARY(NAME)                                    \
  struct Of_##NAME {                                         \
    template <class F>                                       \
    TENON_MATH_INLINE static F call(F x) { return NAME(x); } \
  };
TENON_UNARY(acos) TENON_UNARY(acosh) TENON_UNARY(asin) TENON_UNARY(asinh) TENON_UNARY(atan) TENON_UNARY(atanh)
TENON_UNARY(cbrt) TENON_UNARY(cos) TENON_UNARY(cosh) TENON_UNARY(digamma) TENON_UNARY(erf) TENON_UNARY(erf_inv)
TENON_UNARY(erfc) TENON_UNARY(exp) TENON_UNARY(expm1) TENON_UNARY(lgamma) TENON_UNARY(log) TENON_UNARY(log1p)
TENON_UNARY(logistic) TENON_UNARY(rsqrt) TENON_UNARY(sin) TENON_UNARY(sinh) TENON_UNARY(sqrt) TENON_UNARY(tan)
TENON_UNARY(tanh)
#undef TENON_UNARY
struct Of_atan2 {
  template <class F>
  TENON_MATH_INLINE static F call(F y, F x) { return atan2(y, x); }
};
struct Of_pow {
  template <class F>
  TENON_MATH_INLINE static F call(F x, F y) { return pow(x, y); }
};

template <class Of, class F>
void loop(const F* x, F* y, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) y[i] = Of::call(x[i]);
}
template <class Of, class F>
TENON_WITH_FMA void loop_fma(const F* x, F* y, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) y[i] = Of::call(x[i]);
}
template <class Of, class F>
void loop(const F* x, const F* y, F* z, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) z[i] = Of::call(x[i], y[i]);
}
template <class Of, class F>
TENON_WITH_FMA void loop_fma(const F* x, const F* y, F* z, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) z[i] = Of::call(x[i], y[i]);
}

// ---- witnesses that the C library does not have

template <class W>
W logistic_of_library(W x) {
  const W t = std::exp(-std::fabs(x));
  return (x < 0 ? t : W(1)) / (1 + t);
}
double lgamma_of_library(double x) {
  int sign;
  return ::lgamma_r(x, &sign);
}
long double lgamma_of_library(long double x) {
  int sign;
  return ::lgammal_r(x, &sign);
}
double erf_inv_of_double(double y) { return erf_inv(y); }
double digamma_of_double(double x) { return digamma(x); }

/// One step of Newton from our own result.
long double erf_inv_by_library(long double y) {
  const long double a = std::fabs(y), x = erf_inv(static_cast<double>(a));
  if (!(x > 0) || std::isinf(x)) return std::copysign(x, y);
  const long double error = a < 0.5L ? std::erf(x) - a : (1 - a) - std::erfc(x);
  const long double newton = error * std::exp(x * x) * 0.886226925452758013649083741670572591L;
  return std::copysign(x - newton / (1 + x * newton), y);
}

// ---- functions that MPFR does not have, or has otherwise

/// log |gamma|; of the poles MPFR has inf too.
int mpfr_log_gamma(mpfr_t result, const mpfr_t x, mpfr_rnd_t mode) {
  int sign;
  return mpfr_lgamma(result, &sign, x, mode);
}

/// -inf of both zeros, as in JAX.
int mpfr_digamma_of_jax(mpfr_t result, const mpfr_t x, mpfr_rnd_t mode) {
  if (!mpfr_zero_p(x)) return mpfr_digamma(result, x, mode);
  mpfr_set_inf(result, -1);
  return 0;
}

/// rsqrt(-0) = -inf, where MPFR says inf.
int mpfr_rsqrt(mpfr_t result, const mpfr_t x, mpfr_rnd_t mode) {
  if (!mpfr_zero_p(x)) return mpfr_rec_sqrt(result, x, mode);
  mpfr_set_inf(result, mpfr_signbit(x) ? -1 : 1);
  return 0;
}

int mpfr_logistic(mpfr_t result, const mpfr_t x, mpfr_rnd_t mode) {
  mpfr_neg(result, x, mode);
  mpfr_exp(result, result, mode);
  mpfr_add_ui(result, result, 1, mode);
  return mpfr_ui_div(result, 1, result, mode);
}

/// Newton from our own result in double; 240 bits bear the cancellation of erf near 1.
int mpfr_erf_inv(mpfr_t result, const mpfr_t y, mpfr_rnd_t mode) {
  const double guess = erf_inv(mpfr_get_d(y, MPFR_RNDN));
  if (!std::isfinite(guess) || guess == 0) {
    if (std::isfinite(guess) || mpfr_cmpabs_ui(y, 1) == 0) return mpfr_set_d(result, guess, mode);
    mpfr_set_nan(result);  // outside of [-1, 1]
    return 0;
  }
  mpfr_t x, error, slope;
  mpfr_inits2(240, x, error, slope, static_cast<mpfr_ptr>(nullptr));
  mpfr_set_d(x, guess, MPFR_RNDN);
  for (int step = 0; step < 2; ++step) {
    mpfr_erf(error, x, MPFR_RNDN);
    mpfr_sub(error, error, y, MPFR_RNDN);
    mpfr_sqr(slope, x, MPFR_RNDN);
    mpfr_exp(slope, slope, MPFR_RNDN);
    mpfr_mul(error, error, slope, MPFR_RNDN);
    mpfr_const_pi(slope, MPFR_RNDN);
    mpfr_sqrt(slope, slope, MPFR_RNDN);
    mpfr_mul(error, error, slope, MPFR_RNDN);
    mpfr_div_2ui(error, error, 1, MPFR_RNDN);
    mpfr_sub(x, x, error, MPFR_RNDN);
  }
  const int ternary = mpfr_set(result, x, mode);
  mpfr_clears(x, error, slope, static_cast<mpfr_ptr>(nullptr));
  return ternary;
}

template <class Of, class F>
Function<F> row(const char* name, Wide<F> (*witness)(Wide<F>), MpfrFunction exact, double max_ulp) {
  void (*const plain)(const F*, F*, std::size_t) = loop<Of, F>;
  void (*const with_fma)(const F*, F*, std::size_t) = loop_fma<Of, F>;
  return {name, has_fma() ? with_fma : plain, witness, exact, max_ulp, sizeof(F) == 4 ? of_vector_library(name) : nullptr};
}
template <class Of, class F>
BinaryFunction<F> row(const char* name, Wide<F> (*witness)(Wide<F>, Wide<F>), MpfrBinaryFunction exact, double max_ulp) {
  void (*const plain)(const F*, const F*, F*, std::size_t) = loop<Of, F>;
  void (*const with_fma)(const F*, const F*, F*, std::size_t) = loop_fma<Of, F>;
  return {name, has_fma() ? with_fma : plain, witness, exact, max_ulp};
}

// The bounds are docs/semantics.md's: 2, and 4 of the error and gamma functions; less where a function
// is known to be better.
template <class F>
std::vector<Function<F>> make_functions() {
  using W = Wide<F>;
  W (*erf_inv_witness)(W);
  W (*digamma_witness)(W);
  if constexpr (sizeof(F) == 4) {
    erf_inv_witness = erf_inv_of_double;
    digamma_witness = digamma_of_double;
  } else {
    erf_inv_witness = erf_inv_by_library;
    digamma_witness = nullptr;
  }
  return {
      row<Of_exp, F>("exp", [](W x) { return std::exp(x); }, mpfr_exp, 1),
      row<Of_log, F>("log", [](W x) { return std::log(x); }, mpfr_log, 1),
      row<Of_sin, F>("sin", [](W x) { return std::sin(x); }, mpfr_sin, 2),
      row<Of_cos, F>("cos", [](W x) { return std::cos(x); }, mpfr_cos, 2),
      row<Of_tan, F>("tan", [](W x) { return std::tan(x); }, mpfr_tan, 2),
      row<Of_tanh, F>("tanh", [](W x) { return std::tanh(x); }, mpfr_tanh, 2),
      row<Of_erf, F>("erf", [](W x) { return std::erf(x); }, mpfr_erf, 2),
      row<Of_log1p, F>("log1p", [](W x) { return std::log1p(x); }, mpfr_log1p, 2),
      row<Of_expm1, F>("expm1", [](W x) { return std::expm1(x); }, mpfr_expm1, 2),
      row<Of_sqrt, F>("sqrt", [](W x) { return std::sqrt(x); }, mpfr_sqrt, 0.5),
      row<Of_rsqrt, F>("rsqrt", [](W x) { return 1 / std::sqrt(x); }, mpfr_rsqrt, 1.5),
      row<Of_cbrt, F>("cbrt", [](W x) { return std::cbrt(x); }, mpfr_cbrt, 1),
      row<Of_asin, F>("asin", [](W x) { return std::asin(x); }, mpfr_asin, 2),
      row<Of_acos, F>("acos", [](W x) { return std::acos(x); }, mpfr_acos, 2),
      row<Of_atan, F>("atan", [](W x) { return std::atan(x); }, mpfr_atan, 2),
      row<Of_sinh, F>("sinh", [](W x) { return std::sinh(x); }, mpfr_sinh, 2),
      row<Of_cosh, F>("cosh", [](W x) { return std::cosh(x); }, mpfr_cosh, 2),
      row<Of_asinh, F>("asinh", [](W x) { return std::asinh(x); }, mpfr_asinh, 2),
      row<Of_acosh, F>("acosh", [](W x) { return std::acosh(x); }, mpfr_acosh, 2),
      row<Of_atanh, F>("atanh", [](W x) { return std::atanh(x); }, mpfr_atanh, 2),
      row<Of_logistic, F>("logistic", logistic_of_library<W>, mpfr_logistic, 2),
      row<Of_erfc, F>("erfc", [](W x) { return std::erfc(x); }, mpfr_erfc, 4),
      row<Of_erf_inv, F>("erf_inv", erf_inv_witness, mpfr_erf_inv, 4),
      row<Of_lgamma, F>("lgamma", [](W x) { return lgamma_of_library(x); }, mpfr_log_gamma, 4),
      row<Of_digamma, F>("digamma", digamma_witness, mpfr_digamma_of_jax, 4),
  };
}
template <class F>
std::vector<BinaryFunction<F>> make_binary_functions() {
  using W = Wide<F>;
  return {
      row<Of_pow, F>("pow", [](W x, W y) { return std::pow(x, y); }, mpfr_pow, 2),
      row<Of_atan2, F>("atan2", [](W y, W x) { return std::atan2(y, x); }, mpfr_atan2, 2),
  };
}

template <class Functions>
const auto& named(const Functions& functions, const char* name) {
  for (const auto& function : functions) {
    if (std::string(function.name) == name) return function;
  }
  throw std::logic_error(std::string("no function is called ") + name);
}

}  // namespace

TENON_WITH_FMA void apply_vector_function(VectorFunction function, const double* x, double* y, std::size_t count) {
#if defined(__x86_64__)
  const auto apply = reinterpret_cast<__m256d (*)(__m256d)>(function);
  for (std::size_t i = 0; i < count; i += 4) _mm256_storeu_pd(y + i, apply(_mm256_loadu_pd(x + i)));
#else
  throw std::logic_error("vector functions are for x86-64");
#endif
}

template <class F>
std::span<const Function<F>> functions() {
  static const std::vector<Function<F>> all = make_functions<F>();
  return all;
}
template <class F>
std::span<const BinaryFunction<F>> binary_functions() {
  static const std::vector<BinaryFunction<F>> all = make_binary_functions<F>();
  return all;
}
template <class F>
const Function<F>& function(const char* name) {
  return named(functions<F>(), name);
}
template <class F>
const BinaryFunction<F>& binary_function(const char* name) {
  return named(binary_functions<F>(), name);
}

#define TENON_FOR(F)                                                \
  template std::span<const Function<F>> functions<F>();             \
  template std::span<const BinaryFunction<F>> binary_functions<F>(); \
  template const Function<F>& function<F>(const char*);             \
  template const BinaryFunction<F>& binary_function<F>(const char*);
TENON_FOR(float)
TENON_FOR(double)
#undef TENON_FOR

}  // namespace tenon::math
