// zeta and polygamma against mpmath (zeta_values.txt, which zeta_values.py writes), and at their edges.
#include "math/zeta.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>

namespace tenon::math {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN();

double unit_of(double x) { return std::ldexp(1.0, std::ilogb(x) - 52); }

TEST(Zeta, IsThatOfMpmath) {
  std::ifstream file(TENON_TEST_DATA "/math/zeta_values.txt");
  int lines = 0;
  for (std::string line; std::getline(file, line); ++lines) {
    std::istringstream words(line);
    std::string name, digits[4];
    words >> name >> digits[0] >> digits[1] >> digits[2] >> digits[3];
    double v[4];
    for (int i = 0; i < 4; ++i) v[i] = std::strtod(digits[i].c_str(), nullptr);
    const bool is_zeta = name == "zeta";
    const double got = is_zeta ? Zeta::call(v[0], v[1]) : Polygamma::call(v[0], v[1]);
    EXPECT_LE(std::abs(got - v[2]), 4 * unit_of(v[1] > 0 ? v[2] : v[3])) << line;
    // Single precision: of operands that it has.
    const float x = static_cast<float>(v[0]), y = static_cast<float>(v[1]);
    const double wide = is_zeta ? Zeta::call(static_cast<double>(x), static_cast<double>(y)) : Polygamma::call(static_cast<double>(x), static_cast<double>(y));
    EXPECT_EQ(is_zeta ? Zeta::call(x, y) : Polygamma::call(x, y), static_cast<float>(wide)) << line;
  }
  EXPECT_GT(lines, 300);
}

TEST(Zeta, KnownValues) {
  const double pi = 3.14159265358979312;
  EXPECT_NEAR(Zeta::call(2.0, 1.0), pi * pi / 6, 4e-16);
  EXPECT_NEAR(Zeta::call(2.0, 0.5), pi * pi / 2, 2e-15);
  EXPECT_NEAR(Polygamma::call(1.0, 1.0), pi * pi / 6, 4e-16);
  EXPECT_NEAR(Polygamma::call(0.0, 1.0), -0.57721566490153286, 2e-16);  // digamma
  EXPECT_NEAR(Polygamma::call(1.0, -0.5), 8.9348022005446793, 4e-15);
}

TEST(Zeta, Edges) {
  for (double q : {0.5, 1.0, -1.0, kNan}) EXPECT_EQ(Zeta::call(1.0, q), kInf) << q;
  for (double s : {0.5, 0.0, -1.0, -kInf, kNan}) EXPECT_TRUE(std::isnan(Zeta::call(s, 2.0))) << s;
  for (double q : {0.0, -0.0, -1.0, -7.0}) {
    EXPECT_EQ(Zeta::call(2.0, q), kInf) << q;
    EXPECT_TRUE(std::isnan(Zeta::call(3.0, q))) << q;
    EXPECT_TRUE(std::isnan(Zeta::call(2.5, q))) << q;
    EXPECT_EQ(Polygamma::call(1.0, q), kInf) << q;
    EXPECT_TRUE(std::isnan(Polygamma::call(2.0, q))) << q;
  }
  EXPECT_TRUE(std::isnan(Zeta::call(2.5, -0.5)));
  EXPECT_TRUE(std::isnan(Zeta::call(2.0, kNan)));
  EXPECT_EQ(Zeta::call(2.0, kInf), 0);
  EXPECT_EQ(Zeta::call(kInf, 2.0), 0);
  EXPECT_EQ(Zeta::call(kInf, 1.0), 1);
  EXPECT_EQ(Zeta::call(kInf, 0.5), kInf);
  EXPECT_EQ(Zeta::call(2.0, 1e-300), kInf);
  EXPECT_NEAR(Zeta::call(1.05, 1e300) / 2e-14, 1, 1e-3);  // q^-s alone is subnormal
  for (double m : {0.5, -1.0, kInf, kNan}) EXPECT_TRUE(std::isnan(Polygamma::call(m, 2.0))) << m;
  EXPECT_EQ(Polygamma::call(200.0, 1.0), -kInf);
  EXPECT_TRUE(std::isfinite(Polygamma::call(200.0, 100.0)));  // 200! alone is infinite
  EXPECT_EQ(Polygamma::call(1.0, kInf), 0);
  EXPECT_NEAR(Zeta::call(1.5, 1.7976931348623157e308) / 1.4916681462400413e-154, 1, 1e-14);
  for (double x : {5e-324, -5e-324}) {  // whose reciprocal is infinite
    EXPECT_EQ(Polygamma::call(1.0, x), kInf) << x;
    EXPECT_EQ(Polygamma::call(2.0, x), x > 0 ? -kInf : kInf) << x;
  }
}

}  // namespace
}  // namespace tenon::math
