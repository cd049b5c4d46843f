// 10^7 floats (10^5 of the gamma functions) of each function against MPFR, on two threads. The worst error is a property of the test.
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <thread>
#include <vector>

#include "math/functions.h"
#include "mpfr_judge.h"

namespace tenon::math {
namespace {

struct Function {
  const char* name;
  float (*function)(float);
  MpfrFunction exact;
  double max_ulp = 2;
  std::uint64_t step = 431;  // about 10^7 floats, every exponent
};
constexpr std::uint64_t kFewer = 43103;  // MPFR takes 50 us and more for a gamma function


// As MPFR has it; digamma(-0) is -inf, as in JAX.
float digamma_at_zero(float x) { return std::signbit(x) ? HUGE_VALF : -HUGE_VALF; }

const Function kFunctions[] = {
    {"exp", [](float x) { return exp(x); }, mpfr_exp, 1},
    {"expm1", [](float x) { return expm1(x); }, mpfr_expm1},
    {"log", [](float x) { return log(x); }, mpfr_log, 1},
    {"log1p", [](float x) { return log1p(x); }, mpfr_log1p},
    {"logistic", [](float x) { return logistic(x); }, mpfr_logistic},
    {"sin", [](float x) { return sin(x); }, mpfr_sin},
    {"cos", [](float x) { return cos(x); }, mpfr_cos},
    {"tan", [](float x) { return tan(x); }, mpfr_tan},
    {"atan", [](float x) { return atan(x); }, mpfr_atan},
    {"asin", [](float x) { return asin(x); }, mpfr_asin},
    {"acos", [](float x) { return acos(x); }, mpfr_acos},
    {"sinh", [](float x) { return sinh(x); }, mpfr_sinh},
    {"cosh", [](float x) { return cosh(x); }, mpfr_cosh},
    {"tanh", [](float x) { return tanh(x); }, mpfr_tanh},
    {"asinh", [](float x) { return asinh(x); }, mpfr_asinh},
    {"acosh", [](float x) { return acosh(x); }, mpfr_acosh},
    {"atanh", [](float x) { return atanh(x); }, mpfr_atanh},
    {"sqrt", [](float x) { return sqrt(x); }, mpfr_sqrt, 0.5},
    {"rsqrt", [](float x) { return x == 0 ? HUGE_VALF : rsqrt(x); }, mpfr_rec_sqrt, 1.5},  // rsqrt(-0) = -inf
    {"cbrt", [](float x) { return cbrt(x); }, mpfr_cbrt, 1},
    {"erf", [](float x) { return erf(x); }, mpfr_erf},
    {"erfc", [](float x) { return erfc(x); }, mpfr_erfc, 4},
    {"lgamma", [](float x) { return lgamma(x); }, mpfr_log_gamma, 4, kFewer},
    {"digamma", [](float x) { return x == 0 ? digamma_at_zero(x) : digamma(x); }, mpfr_digamma, 4, kFewer},
};

struct Worst {
  double ulp = 0;
  float at = 0;
};

Worst sweep(const Function& f, std::uint64_t first, std::uint64_t step) {
  MpfrJudge<float> judge(f.exact);
  Worst worst;
  for (std::uint64_t bits = first; bits <= 0xffffffff; bits += step) {
    const float x = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    const double error = judge.ulp_error(x, f.function(x));
    if (error > worst.ulp) worst = {error, x};
  }
  mpfr_free_cache();
  return worst;
}

class ManyFloats : public ::testing::TestWithParam<Function> {};

TEST_P(ManyFloats, AgainstMpfr) {
  const std::uint64_t step = GetParam().step;
  Worst halves[2];
  std::thread other([&] { halves[1] = sweep(GetParam(), step, 2 * step); });
  halves[0] = sweep(GetParam(), 0, 2 * step);
  other.join();
  const Worst worst = halves[0].ulp > halves[1].ulp ? halves[0] : halves[1];
  RecordProperty("worst_ulp", std::to_string(worst.ulp));
  EXPECT_LE(worst.ulp, GetParam().max_ulp) << "at " << std::hexfloat << worst.at;
}

INSTANTIATE_TEST_SUITE_P(All, ManyFloats, ::testing::ValuesIn(kFunctions), [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace tenon::math
