// Accuracy of the scalar functions against MPFR, over samples of all exponents and signs and every
// special value. The worst error of each function is recorded as a property of its test.
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "math/functions.h"
#include "mpfr_judge.h"

namespace tenon::math {
namespace {

template <class F>
struct Function {
  const char* name;
  F (*function)(F);
  MpfrFunction exact;
  double max_ulp;
};

template <class F>
const std::vector<Function<F>>& functions() {
  static const std::vector<Function<F>> all = {
      {"exp", [](F x) { return exp(x); }, mpfr_exp, 1},
      {"log", [](F x) { return log(x); }, mpfr_log, 1},
      {"expm1", [](F x) { return expm1(x); }, mpfr_expm1, 2},
      {"log1p", [](F x) { return log1p(x); }, mpfr_log1p, 2},
      {"logistic", [](F x) { return logistic(x); }, mpfr_logistic, 2},
      {"sin", [](F x) { return sin(x); }, mpfr_sin, 2},
      {"cos", [](F x) { return cos(x); }, mpfr_cos, 2},
      {"tan", [](F x) { return tan(x); }, mpfr_tan, 2},
      {"atan", [](F x) { return atan(x); }, mpfr_atan, 2},
      {"asin", [](F x) { return asin(x); }, mpfr_asin, 2},
      {"acos", [](F x) { return acos(x); }, mpfr_acos, 2},
      {"sinh", [](F x) { return sinh(x); }, mpfr_sinh, 2},
      {"cosh", [](F x) { return cosh(x); }, mpfr_cosh, 2},
      {"asinh", [](F x) { return asinh(x); }, mpfr_asinh, 2},
      {"acosh", [](F x) { return acosh(x); }, mpfr_acosh, 2},
      {"atanh", [](F x) { return atanh(x); }, mpfr_atanh, 2},
      {"cbrt", [](F x) { return cbrt(x); }, mpfr_cbrt, 1},
      {"erf", [](F x) { return erf(x); }, mpfr_erf, 2},
      {"erfc", [](F x) { return erfc(x); }, mpfr_erfc, 4},
      {"lgamma", [](F x) { return lgamma(x); }, mpfr_log_gamma, 4},
      {"digamma", [](F x) { return digamma(x); }, mpfr_digamma, 4},
      {"tanh", [](F x) { return tanh(x); }, mpfr_tanh, 2},
      {"sqrt", [](F x) { return sqrt(x); }, mpfr_sqrt, 0.5},
      {"rsqrt", [](F x) { return rsqrt(x); }, mpfr_rec_sqrt, 1.5},
      {"floor", [](F x) { return floor(x); }, mpfr_floor_function, 0},
  };
  return all;
}

/// rsqrt(-0) = -inf, where MPFR says +inf; digamma(-0) = -inf as JAX has it; MPFR's log of subnormals
/// and the rest agree.
template <class F>
bool differs_by_definition(const std::string& name, F x) {
  return (name == "rsqrt" || name == "digamma") && x == 0;
}

template <class F>
struct BinaryFunction {
  const char* name;
  F (*function)(F, F);
  MpfrBinaryFunction exact;
  double max_ulp;
};

template <class F>
void check(const BinaryFunction<F>& f, const std::vector<std::pair<F, F>>& points) {
  MpfrJudge<F> judge(f.exact);
  double worst = 0;
  std::pair<F, F> worst_at;
  for (const auto& [x, y] : points) {
    const double error = judge.ulp_error(x, y, f.function(x, y));
    if (error > worst) {
      worst = error;
      worst_at = {x, y};
    }
  }
  ::testing::Test::RecordProperty(std::string(f.name) + "_worst_ulp", std::to_string(worst));
  EXPECT_LE(worst, f.max_ulp) << f.name << ": worst error " << worst << " ulp at " << std::hexfloat << worst_at.first
                              << ", " << worst_at.second;
}

template <class F>
void check(const Function<F>& f, const std::vector<F>& points) {
  MpfrJudge<F> judge(f.exact);
  double worst = 0;
  F worst_at = 0;
  for (F x : points) {
    if (differs_by_definition(f.name, x)) continue;
    const double error = judge.ulp_error(x, f.function(x));
    if (error > worst) {
      worst = error;
      worst_at = x;
    }
  }
  ::testing::Test::RecordProperty(std::string(f.name) + "_worst_ulp", std::to_string(worst));
  EXPECT_LE(worst, f.max_ulp) << f.name << ": worst error " << worst << " ulp at " << worst_at << " = " << std::hexfloat
                              << worst_at;
}

template <class F>
std::vector<F> special_values() {
  using L = std::numeric_limits<F>;
  std::vector<F> values;
  for (F x : {F(0), L::denorm_min(), L::min(), std::nextafter(L::min(), F(0)), L::epsilon(), F(0.5), F(1),
              std::nextafter(F(1), F(0)), std::nextafter(F(1), F(2)), F(2), F(3.1415926535897932), F(88.7), F(88.8),
              F(104), F(709.7), F(745.2), F(1e10), L::max(), L::infinity(), L::quiet_NaN()}) {
    values.push_back(x);
    values.push_back(-x);
  }
  return values;
}

/// Every `step`-th float, all bit patterns spanned.
std::vector<float> sampled_floats(std::uint32_t step) {
  std::vector<float> points = special_values<float>();
  for (std::uint64_t bits = 0; bits <= 0xffffffff; bits += step)
    points.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  return points;
}

/// `count` doubles of all exponents; half of them within e^-30 .. e^30 in magnitude.
std::vector<double> sampled_doubles(int count) {
  std::vector<double> points = special_values<double>();
  std::uint64_t state = 1;
  const auto next = [&state] {  // splitmix64
    std::uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  };
  for (int i = 0; i < count; ++i) {
    std::uint64_t bits = next();
    if (i % 2 == 0) {
      const std::uint64_t exponent = 1023 - 30 + next() % 60;
      bits = (bits & 0x800fffffffffffff) | exponent << 52;
    }
    points.push_back(std::bit_cast<double>(bits));
  }
  return points;
}

class FloatAccuracy : public ::testing::TestWithParam<int> {};
TEST_P(FloatAccuracy, AgainstMpfr) {
  check(functions<float>()[static_cast<std::size_t>(GetParam())], sampled_floats(16411));
}
INSTANTIATE_TEST_SUITE_P(All, FloatAccuracy, ::testing::Range(0, static_cast<int>(functions<float>().size())),
                         [](const auto& info) { return functions<float>()[static_cast<std::size_t>(info.param)].name; });

class DoubleAccuracy : public ::testing::TestWithParam<int> {};
TEST_P(DoubleAccuracy, AgainstMpfr) {
  check(functions<double>()[static_cast<std::size_t>(GetParam())], sampled_doubles(100000));
}
INSTANTIATE_TEST_SUITE_P(All, DoubleAccuracy, ::testing::Range(0, static_cast<int>(functions<double>().size())),
                         [](const auto& info) { return functions<double>()[static_cast<std::size_t>(info.param)].name; });

/// Every pair of special values, and pairs of numbers of like size (whose powers are finite).
template <class F>
std::vector<std::pair<F, F>> pairs() {
  std::vector<std::pair<F, F>> points;
  for (F x : special_values<F>()) {
    for (F y : special_values<F>()) {
      points.emplace_back(x, y);
      points.emplace_back(x, 3 * std::floor(y));
    }
  }
  const std::vector<double> numbers = sampled_doubles(60000);
  for (std::size_t i = 1; i < numbers.size(); ++i) {
    points.emplace_back(static_cast<F>(numbers[i - 1]), static_cast<F>(numbers[i]));
    const double base = std::fabs(numbers[i - 1]);
    const double exponent = 700 / std::log(base) * std::sin(static_cast<double>(i));  // x^y within e^700
    points.emplace_back(static_cast<F>(base), static_cast<F>(sizeof(F) == 4 ? exponent / 8 : exponent));
  }
  return points;
}
TEST(FloatAccuracyOfTwo, AgainstMpfr) {
  check<float>({"pow", [](float x, float y) { return pow(x, y); }, mpfr_pow, 2}, pairs<float>());
  check<float>({"atan2", [](float x, float y) { return atan2(x, y); }, mpfr_atan2, 2}, pairs<float>());
}
TEST(DoubleAccuracyOfTwo, AgainstMpfr) {
  check<double>({"pow", [](double x, double y) { return pow(x, y); }, mpfr_pow, 2}, pairs<double>());
  check<double>({"atan2", [](double x, double y) { return atan2(x, y); }, mpfr_atan2, 2}, pairs<double>());
}

// erf_inv is judged by going back: MPFR has no such function.
template <class F>
int erf_inverse(mpfr_t result, const mpfr_t y, mpfr_rnd_t mode) {
  // Newton from the double result; erf(x) = y is solved by erfc near 1.
  const double guess = erf_inv(mpfr_get_d(y, MPFR_RNDN));
  if (!std::isfinite(guess) || guess == 0) return mpfr_set_d(result, guess, mode);
  mpfr_t x, error, slope;
  mpfr_inits2(200, x, error, slope, static_cast<mpfr_ptr>(nullptr));
  mpfr_set_d(x, guess, MPFR_RNDN);
  for (int step = 0; step < 3; ++step) {
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
template <class F>
void check_erf_inv() {
  std::vector<F> points = special_values<F>();
  for (int i = 1; i < 20000; ++i) {
    points.push_back(static_cast<F>(i) / 20000);
    points.push_back(1 - std::ldexp(static_cast<F>(i) / 20000, -(i % std::numeric_limits<F>::digits)));
    points.push_back(std::ldexp(static_cast<F>(i) / 20000, -(i % 100)));
  }
  check<F>({"erf_inv", [](F x) { return erf_inv(x); }, erf_inverse<F>, 4}, points);
}
TEST(ErfInv, AgainstMpfr) {
  check_erf_inv<float>();
  check_erf_inv<double>();
}

// Zeros of lgamma and digamma, where they have no digits to lose: their neighbours.
template <class F>
std::vector<F> next_to_zeros_of_gamma() {
  std::vector<F> points;
  for (double zero : {-2.457024738220801, -2.747682646727413, -3.143580888349981, -3.955294284858598, -4.039361839740537,
                      -4.991544640560047, -5.008218168440760, -5.998607480080875, -6.000198481837, 1.4616321449683623,
                      -0.504083008264455, -1.573498473162391, -2.610720868444145, -3.635293366436901, -9.702672541,
                      -16.70, -17.71}) {
    F x = static_cast<F>(zero);
    for (int i = 0; i < 50; ++i) x = std::nextafter(x, F(-100));
    for (int i = 0; i < 100; ++i, x = std::nextafter(x, F(100))) points.push_back(x);
    for (int i = 1; i < 1000; ++i)
      points.push_back(static_cast<F>(zero + std::ldexp(i % 2 ? i / 1000.0 : -i / 1000.0, -(i % 50))));
  }
  for (int i = 1; i < 2000; ++i)
    for (F center : {F(1), F(2)}) points.push_back(center + std::ldexp(static_cast<F>(i - 1000) / 1000, -(i % 50)));
  return points;
}
TEST(Gamma, NextToZeros) {
  check<float>({"lgamma", [](float x) { return lgamma(x); }, mpfr_log_gamma, 4}, next_to_zeros_of_gamma<float>());
  check<float>({"digamma", [](float x) { return digamma(x); }, mpfr_digamma, 4}, next_to_zeros_of_gamma<float>());
  check<double>({"lgamma", [](double x) { return lgamma(x); }, mpfr_log_gamma, 4}, next_to_zeros_of_gamma<double>());
  check<double>({"digamma", [](double x) { return digamma(x); }, mpfr_digamma, 4}, next_to_zeros_of_gamma<double>());
}

// Multiples of pi, where the reduction loses most: the doubles and floats next to n pi / 2.
template <class F>
std::vector<F> next_to_multiples_of_half_pi() {
  std::vector<F> points;
  const long double half_pi = 1.57079632679489661923132169163975144L;
  for (int e = 0; e < 62; ++e) {
    for (long double n : {1.0L, 3.0L, 5.0L, 7.0L, 11.0L, 355.0L / 113 * 7}) {
      const F x = static_cast<F>(half_pi * std::floor(n * std::ldexp(1.0L, e)));
      points.insert(points.end(), {x, std::nextafter(x, F(0)), std::nextafter(x, F(HUGE_VAL))});
    }
  }
  // Closest to a multiple of pi/2 among all doubles and among all floats (Kahan's and Muller's examples).
  points.push_back(static_cast<F>(6381956970095103.0 * std::ldexp(1.0, 797)));
  points.push_back(static_cast<F>(16367173.0 * std::ldexp(1.0, 72)));
  return points;
}
TEST(Reduction, NextToMultiplesOfHalfPi) {
  check<float>({"sin", [](float x) { return sin(x); }, mpfr_sin, 2}, next_to_multiples_of_half_pi<float>());
  check<float>({"cos", [](float x) { return cos(x); }, mpfr_cos, 2}, next_to_multiples_of_half_pi<float>());
  check<float>({"tan", [](float x) { return tan(x); }, mpfr_tan, 2}, next_to_multiples_of_half_pi<float>());
  check<double>({"tan", [](double x) { return tan(x); }, mpfr_tan, 2}, next_to_multiples_of_half_pi<double>());
  check<double>({"sin", [](double x) { return sin(x); }, mpfr_sin, 2}, next_to_multiples_of_half_pi<double>());
  check<double>({"cos", [](double x) { return cos(x); }, mpfr_cos, 2}, next_to_multiples_of_half_pi<double>());
}

}  // namespace
}  // namespace tenon::math
