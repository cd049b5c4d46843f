// float16 and bfloat16: all 65,536 arguments of each function, computed in float and rounded once, as
// every backend does. MPFR judges all.
//
// Correctly rounded through float: the error is at most 1/2 ulp and what the float function errs, which
// is 2^13 or 2^16 times less. So hardly an argument, only one whose exact value lies that close to the
// middle of two numbers, gives the other of the two; the table counts them.
#include <gtest/gtest.h>

#include "accuracy_report.h"
#include "base/half.h"

namespace tenon::math {
namespace {

struct Half {
  const char* name;
  float (*widen)(std::uint16_t);
  std::uint16_t (*narrow)(float);
  UlpFormat format;
};
const Half kFloat16 = {"float16", detail::float16_to_float, detail::float_to_float16, kUlpOfFloat16};
const Half kBFloat16 = {"bfloat16", detail::bfloat16_to_float, detail::float_to_bfloat16, kUlpOfBFloat16};

void check_all(const Function<float>& function, const Half& half) {
  MpfrJudge judge(function.exact);
  double worst = 0;
  float worst_at = 0;
  int other_neighbour = 0;
  for (std::uint32_t bits = 0; bits <= 0xffff; ++bits) {
    const float x = half.widen(static_cast<std::uint16_t>(bits));
    const std::uint16_t result = half.narrow(function(x));
    const double error = judge.at(x).rounding_error(half.widen(result), half.format);
    if (error > 0.5 || (error == 0.5 && (result & 1))) ++other_neighbour;
    if (error > worst) worst = error, worst_at = x;
  }
  char line[200];
  std::snprintf(line, sizeof line, "%-8s %-8s worst %.6f ulp at %a; %d of 65536 are not the nearest number", function.name,
                half.name, worst, static_cast<double>(worst_at), other_neighbour);
  AccuracyTable::add(line);
  EXPECT_LE(worst, 0.5 + std::ldexp(function.max_ulp, half.format.digits - 24)) << line;
  EXPECT_LE(other_neighbour, 32) << line;
}

class HalfSweep : public ::testing::TestWithParam<std::size_t> {};
TEST_P(HalfSweep, Float16AgainstMpfr) { check_all(functions<float>()[GetParam()], kFloat16); }
TEST_P(HalfSweep, BFloat16AgainstMpfr) { check_all(functions<float>()[GetParam()], kBFloat16); }
INSTANTIATE_TEST_SUITE_P(All, HalfSweep, ::testing::Range(std::size_t{0}, functions<float>().size()),
                         [](const auto& info) { return std::string(functions<float>()[info.param].name); });

}  // namespace
}  // namespace tenon::math
