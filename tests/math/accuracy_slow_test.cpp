// 10^7 floats of each function against MPFR; prints the worst error of each.
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <cstdio>
#include <thread>
#include <vector>

#include "math/functions.h"
#include "mpfr_judge.h"

namespace tenon::math {
namespace {

struct Worst {
  double ulp = 0;
  float at = 0;
};

Worst sweep(float (*function)(float), MpfrFunction exact, std::uint64_t first, std::uint64_t step) {
  MpfrJudge<float> judge(exact);
  Worst worst;
  for (std::uint64_t bits = first; bits <= 0xffffffff; bits += step) {
    const float x = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    const double error = judge.ulp_error(x, function(x));
    if (error > worst.ulp) worst = {error, x};
  }
  return worst;
}

TEST(ManyFloats, AgainstMpfr) {
  struct Case {
    const char* name;
    float (*function)(float);
    MpfrFunction exact;
  };
  const Case cases[] = {
      {"exp", [](float x) { return exp(x); }, mpfr_exp},    {"log", [](float x) { return log(x); }, mpfr_log},
      {"sin", [](float x) { return sin(x); }, mpfr_sin},    {"cos", [](float x) { return cos(x); }, mpfr_cos},
      {"tanh", [](float x) { return tanh(x); }, mpfr_tanh}, {"expm1", [](float x) { return expm1(x); }, mpfr_expm1},
      {"log1p", [](float x) { return log1p(x); }, mpfr_log1p},
      {"logistic", [](float x) { return logistic(x); }, mpfr_logistic},
  };
  for (const Case& c : cases) {
    constexpr std::uint64_t step = 431;  // about 10^7 floats
    Worst halves[2];
    std::thread other([&] { halves[1] = sweep(c.function, c.exact, step, 2 * step); });
    halves[0] = sweep(c.function, c.exact, 0, 2 * step);
    other.join();
    const Worst worst = halves[0].ulp > halves[1].ulp ? halves[0] : halves[1];
    RecordProperty(std::string(c.name) + "_worst_ulp", std::to_string(worst.ulp));
    EXPECT_LE(worst.ulp, 2) << c.name << " at " << std::hexfloat << worst.at;
  }
}

}  // namespace
}  // namespace tenon::math
