// Accuracy of the scalar functions: some thousand arguments each, MPFR judging all. Many more:
// accuracy_slow_test.cpp.
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "functions_under_test.h"
#include "points.h"

namespace tenon::math {
namespace {

/// `points` are numbers, or pairs of numbers for a function of two.
template <class F, class Point>
void check(const auto& f, const std::vector<Point>& points) {
  MpfrJudge judge(f.exact);
  double worst = 0;
  Point worst_at{};
  for (const Point& point : points) {
    double error;
    if constexpr (std::is_same_v<Point, F>) error = judge.at(point).ulp_error(f(point));
    else error = judge.at(point.first, point.second).ulp_error(f(point.first, point.second));
    if (error <= worst) continue;
    worst = error;
    worst_at = point;
  }
  EXPECT_LE(worst, f.max_ulp) << f.name << ": worst error " << worst << " ulp at " << std::hexfloat
                              << ::testing::PrintToString(worst_at);
}

template <class F>
std::vector<F> numbers(int count) {
  std::vector<F> points = special_values<F>();
  Random random(7);
  for (int i = 0; i < count; ++i) points.push_back(any_number<F>(random));
  return points;
}

class Accuracy : public ::testing::TestWithParam<std::size_t> {};
TEST_P(Accuracy, OfFloats) { check<float>(functions<float>()[GetParam()], numbers<float>(10000)); }
TEST_P(Accuracy, OfDoubles) { check<double>(functions<double>()[GetParam()], numbers<double>(10000)); }
INSTANTIATE_TEST_SUITE_P(All, Accuracy, ::testing::Range(std::size_t{0}, functions<float>().size()),
                         [](const auto& info) { return std::string(functions<float>()[info.param].name); });

/// Every pair of special values, and any.
template <class F>
std::vector<std::pair<F, F>> pairs() {
  std::vector<std::pair<F, F>> points;
  for (F x : special_values<F>()) {
    for (F y : special_values<F>()) {
      points.emplace_back(x, y);
      points.emplace_back(x, 3 * std::floor(y));
    }
  }
  Random random(8);
  for (int i = 0; i < 50000; ++i) points.push_back(any_pair<F>(random));
  return points;
}
TEST(AccuracyOfTwo, OfFloats) {
  for (const auto& f : binary_functions<float>()) check<float>(f, pairs<float>());
}
TEST(AccuracyOfTwo, OfDoubles) {
  for (const auto& f : binary_functions<double>()) check<double>(f, pairs<double>());
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
  for (const char* name : {"lgamma", "digamma"}) {
    check<float>(function<float>(name), next_to_zeros_of_gamma<float>());
    check<double>(function<double>(name), next_to_zeros_of_gamma<double>());
  }
}

// Multiples of pi, where the reduction loses most: the doubles and floats next to n pi / 2.
template <class F>
std::vector<F> next_to_multiples_of_half_pi() {
  std::vector<F> points;
  Random random(9);
  for (int i = 0; i < 2000; ++i) points.push_back(next_to_multiple_of_half_pi<F>(random));
  // Closest to a multiple of pi/2 among all doubles and among all floats (Kahan's and Muller's examples).
  points.push_back(static_cast<F>(6381956970095103.0 * std::ldexp(1.0, 797)));
  points.push_back(static_cast<F>(16367173.0 * std::ldexp(1.0, 72)));
  return points;
}
TEST(Reduction, NextToMultiplesOfHalfPi) {
  for (const char* name : {"sin", "cos", "tan"}) {
    check<float>(function<float>(name), next_to_multiples_of_half_pi<float>());
    check<double>(function<double>(name), next_to_multiples_of_half_pi<double>());
  }
}

}  // namespace
}  // namespace tenon::math
