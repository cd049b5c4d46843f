// Functions of complex numbers where parts are zero, infinite or NaN: C99, Annex G.6, row by row. The rows
// are of arguments with imaginary part >= 0 (and of odd and even functions real part >= 0); symmetries give
// the rest.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "math/complex.h"

namespace tenon::math {
namespace {

constexpr double kInf = HUGE_VAL, kNan = std::numeric_limits<double>::quiet_NaN();

/// A part of a result: a number; NaN; "+-0" and "+-inf", where the sign is not specified.
bool matches(const std::string& expected, double value) {
  if (expected == "nan") return std::isnan(value);
  if (expected == "+-0") return value == 0;
  if (expected == "+-inf") return std::isinf(value);
  const double number = expected == "inf" ? kInf : expected == "-inf" ? -kInf : std::stod(expected);
  return std::signbit(value) == std::signbit(number) &&
         (value == number || std::fabs(value - number) <= 1e-15 * std::fabs(number));
}

using Unary = Complex128 (*)(Complex128);
struct Row {
  double x, y;
  const char *real, *imag;
};

void check(const char* name, Unary f, const std::vector<Row>& rows) {
  for (const auto& [x, y, real, imag] : rows) {
    const Complex128 above = f({x, y}), below = f({x, -y});
    EXPECT_TRUE(matches(real, above.real()) && matches(imag, above.imag()))
        << name << " of (" << x << ", " << y << ") is " << above << ", not (" << real << ", " << imag << ")";
    // f(conj z) = conj f(z), up to the signs that are not specified.
    EXPECT_TRUE(matches(real, below.real()) && matches(imag, -below.imag()))
        << name << " of (" << x << ", " << -y << ") is " << below;
  }
}

TEST(ComplexSpecialValues, OfExp) {
  check("exp", complex_exp,
        {{0, 0, "1", "0"}, {-0.0, 0, "1", "0"}, {1, kInf, "nan", "nan"}, {1, kNan, "nan", "nan"}, {kInf, 0, "inf", "0"},
         {-kInf, 1, "0", "0"}, {-kInf, 2, "-0", "0"}, {kInf, 1, "inf", "inf"}, {kInf, 2, "-inf", "inf"},
         {-kInf, kInf, "nan", "nan"}, {kInf, kInf, "nan", "nan"}, {-kInf, kNan, "nan", "nan"},  // not as Annex G
         {kInf, kNan, "nan", "nan"}, {kNan, 0, "nan", "0"}, {kNan, 1, "nan", "nan"}, {kNan, kNan, "nan", "nan"}});
}
TEST(ComplexSpecialValues, OfLog) {
  check("log", complex_log,
        {{-0.0, 0, "-inf", "3.141592653589793"}, {0, 0, "-inf", "0"}, {1, kInf, "inf", "1.5707963267948966"},
         {-1, kInf, "inf", "1.5707963267948966"}, {1, kNan, "nan", "nan"}, {-kInf, 1, "inf", "3.141592653589793"},
         {kInf, 1, "inf", "0"}, {-kInf, kInf, "inf", "2.356194490192345"}, {kInf, kInf, "inf", "0.7853981633974483"},
         {kInf, kNan, "inf", "nan"}, {-kInf, kNan, "inf", "nan"}, {kNan, 1, "nan", "nan"}, {kNan, kInf, "inf", "nan"},
         {kNan, kNan, "nan", "nan"}});
}
TEST(ComplexSpecialValues, OfSqrt) {
  check("sqrt", complex_sqrt,
        {{0, 0, "0", "0"}, {-0.0, 0, "0", "0"}, {1, kInf, "inf", "inf"}, {kInf, kInf, "inf", "inf"},
         {-kInf, kInf, "inf", "inf"}, {kNan, kInf, "inf", "inf"}, {1, kNan, "nan", "nan"}, {-kInf, 1, "0", "inf"},
         {kInf, 1, "inf", "0"}, {-kInf, kNan, "nan", "+-inf"}, {kInf, kNan, "inf", "nan"}, {kNan, 1, "nan", "nan"},
         {kNan, kNan, "nan", "nan"}, {-4, 0, "0", "2"}, {-0x1p-1074, 0, "0", "0x1p-537"}});
}

const std::vector<Row> kSinh = {
    {0, 0, "0", "0"}, {0, kInf, "+-0", "nan"}, {0, kNan, "+-0", "nan"}, {1, kInf, "nan", "nan"}, {1, kNan, "nan", "nan"},
    {kInf, 0, "inf", "0"}, {kInf, 1, "inf", "inf"}, {kInf, 2, "-inf", "inf"}, {kInf, kInf, "+-inf", "nan"},
    {kInf, kNan, "+-inf", "nan"}, {kNan, 0, "nan", "0"}, {kNan, 1, "nan", "nan"}, {kNan, kNan, "nan", "nan"}};
const std::vector<Row> kCosh = {
    {0, 0, "1", "0"}, {0, kInf, "nan", "+-0"}, {0, kNan, "nan", "+-0"}, {1, kInf, "nan", "nan"}, {1, kNan, "nan", "nan"},
    {kInf, 0, "inf", "0"}, {kInf, 1, "inf", "inf"}, {kInf, 2, "-inf", "inf"}, {kInf, kInf, "+-inf", "nan"},
    {kInf, kNan, "inf", "nan"}, {kNan, 0, "nan", "+-0"}, {kNan, 1, "nan", "nan"}, {kNan, kNan, "nan", "nan"}};
const std::vector<Row> kTanh = {
    {0, 0, "0", "0"}, {1, kInf, "nan", "nan"}, {1, kNan, "nan", "nan"}, {kInf, 1, "1", "0"}, {kInf, 2, "1", "-0"},
    {kInf, kInf, "1", "+-0"}, {kInf, kNan, "1", "+-0"}, {kNan, 0, "nan", "0"}, {kNan, 1, "nan", "nan"},
    {kNan, kNan, "nan", "nan"}};

TEST(ComplexSpecialValues, OfHyperbolicFunctions) {
  check("sinh", complex_sinh, kSinh);
  check("cosh", complex_cosh, kCosh);
  check("tanh", complex_tanh, kTanh);
  check("sinh, which is odd", [](Complex128 z) { return -complex_sinh(-z); }, kSinh);
  check("cosh, which is even", [](Complex128 z) { return complex_cosh(-z); }, kCosh);
  check("tanh, which is odd", [](Complex128 z) { return -complex_tanh(-z); }, kTanh);
}
TEST(ComplexSpecialValues, OfTrigonometricFunctions) {
  // sinh(z) = -i sin(i z), and so on; by parts, since a product with i is no exact turn.
  static const auto turned = [](Complex128 z) { return Complex128(-z.imag(), z.real()); };
  static const auto turned_back = [](Complex128 z) { return Complex128(z.imag(), -z.real()); };
  check("sin", [](Complex128 z) { return turned_back(complex_sin(turned(z))); }, kSinh);
  check("cos", [](Complex128 z) { return complex_cos(turned(z)); }, kCosh);
  check("tan", [](Complex128 z) { return turned_back(complex_tan(turned(z))); }, kTanh);
}

TEST(ComplexSign, HasLengthOneWhateverTheSize) {
  for (double size : {0x1p-1074, 0x1p-1060, 0x1p-1022, 0x1p-600, 1.0, 0x1p600, 0x1p1021}) {
    for (const Complex128 z : {Complex128(3, 4), Complex128(-3, 4), Complex128(4, -3), Complex128(1, 0), Complex128(0, -1)}) {
      const Complex128 sign = complex_sign({z.real() * size, z.imag() * size});
      EXPECT_NEAR(sign.real(), z.real() / std::abs(z), 1e-15) << size;
      EXPECT_NEAR(sign.imag(), z.imag() / std::abs(z), 1e-15) << size;
    }
  }
  const double most = std::numeric_limits<double>::max();
  EXPECT_NEAR(complex_sign({most, -most}).imag(), -std::sqrt(0.5), 1e-15);
  // Zeros give themselves; NaN of either part and infinities over themselves are NaN, as in JAX.
  EXPECT_TRUE(std::signbit(complex_sign({-0.0, 0.0}).real()));
  for (const Complex128 z : {Complex128(kNan, 0), Complex128(0, kNan), Complex128(kInf, kInf)}) {
    EXPECT_TRUE(std::isnan(complex_sign(z).real()) && std::isnan(complex_sign(z).imag())) << z;
  }
  EXPECT_TRUE(std::isnan(complex_sign({kInf, 1}).real()));
  EXPECT_EQ(complex_sign({kInf, 1}).imag(), 0);
}

void expect_near(Complex128 got, Complex128 want, double relative) { EXPECT_LE(std::abs(got - want), relative * std::abs(want)) << got << ", not " << want; }

// By mpmath, 40 digits.
TEST(ComplexDivision, NoProductOnTheWayOverflowsOrVanishes) {
  constexpr double kMax = 1.7976931348623157e308, kTiny = 2.2250738585072014e-308;
  struct Quotient {
    Complex128 a, b;
    const char *real, *imag;
  };
  for (const auto& [a, b, real, imag] : std::vector<Quotient>{{{6, 8}, {3, 4}, "2", "0"},
                                                             {{kMax, 88.75}, {-0.0, -kTiny}, "-inf", "inf"},
                                                             {{kMax, -1}, {0, 0.25}, "-4", "-inf"},
                                                             {{-104.5, 1.0078125}, {0, kTiny}, "4.529344031196069e307", "inf"},
                                                             {{kTiny, kTiny}, {kTiny, kTiny}, "1", "0"},
                                                             {{kInf, -kInf}, {1e-45, 3}, "-inf", "-inf"},
                                                             {{kNan, kInf}, {-104.5, 1e-45}, "+-inf", "-inf"},
                                                             {{1, 2}, {kInf, 3}, "0", "0"},
                                                             {{kNan, 1}, {2, 3}, "nan", "nan"}}) {
    const Complex128 quotient = complex_divide(a, b);
    EXPECT_TRUE(matches(real, quotient.real()) && matches(imag, quotient.imag())) << a << " / " << b << " is " << quotient;
  }
}

TEST(ComplexExpm1, HasProductsThatDoNotOverflowThoughExpDoes) {
  const Complex128 y = complex_expm1({710.5, 5e-324});
  EXPECT_EQ(y.real(), kInf);
  EXPECT_TRUE(matches("1.8197597257038720e-15", y.imag())) << y;
}

TEST(ComplexPow, OfZero) {
  EXPECT_EQ(complex_pow(0, {2, 3}), 0.0);
  EXPECT_EQ(complex_pow(0, 0), 1.0);
  EXPECT_EQ(complex_pow(0, {-1, 0}), Complex128(kInf, 0));
  const Complex128 turns = complex_pow(0, {0, 2});  // on and on round the unit circle
  EXPECT_TRUE(std::isnan(turns.real()) && std::isnan(turns.imag())) << turns;
}

TEST(ComplexAtan2, IsExactWhereSquaresOverflowAndQuotientsAreSmall) {
  const double most = std::numeric_limits<double>::max(), pi = 3.141592653589793;
  expect_near(complex_atan2({0.0009765625, 0}, {88.75, 1}), {1.1002124308312919738e-05, -1.2396759783014038877e-07}, 1e-15);
  expect_near(complex_atan2({0, 1.5}, {1.5, 5e-324}), {0.78539816339744830963, 372.769342105024686}, 1e-15);
  expect_near(complex_atan2({-1, -most}, {-3.5, 2.5}), -pi / 2, 1e-15);
  expect_near(complex_atan2({most, most}, {3, -1}), pi / 2, 1e-15);
  expect_near(complex_atan2({-0.5, -2.5}, {-most, 1}), -pi, 1e-15);
  expect_near(complex_atan2({0, 0}, {-1, 0}), pi, 1e-15);
}
TEST(ComplexPow, IsExactForLargeAndSmallResults) {
  const double most = std::numeric_limits<double>::max();
  expect_near(complex_pow({5e-324, -3.5}, {88.75, -0.9990234375}), {-3.0455231961472760772e+47, -2.628089146162949432e+47}, 1e-15);
  expect_near(complex_pow({0.0009765625, 0}, {88.75, 1}), {5.4626370444657111803e-268, -4.1379702929913809638e-268}, 1e-15);
  expect_near(complex_pow({1, 1}, 64), 0x1p32, 0);
  expect_near(complex_pow({1, -1}, -3), {-0.25, 0.25}, 1e-16);
  EXPECT_EQ(complex_pow({most, most}, 2).real(), 0);
  EXPECT_EQ(complex_pow({most, most}, 2).imag(), kInf);
}

TEST(ComplexPow, KeepsItsDigitsOfManyTurns) {
  const double most = std::numeric_limits<double>::max(), least = 5e-324;
  expect_near(complex_pow({2.5, most}, {0.9990234375, 88.75}), {2.3327127595028084877e+247, -1.0722549303196629032e+247}, 2e-16);
  expect_near(complex_pow({10000, -3.5}, {-0.5, 10000}), {-0.07810960440352805309, -0.3218107634627380273}, 2e-16);
  expect_near(complex_pow({least, least}, {-1, 88.75}), {-7.2217126695684887646e+292, -2.520478091399719731e+292}, 2e-16);
}

}  // namespace
}  // namespace tenon::math
