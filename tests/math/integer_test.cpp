#include "math/integer.h"

#include <gtest/gtest.h>

#include <cmath>

#include "math/functions.h"
#include "math/rare.h"

namespace tenon::math {
namespace {

constexpr std::int32_t kLowest = std::numeric_limits<std::int32_t>::lowest();
constexpr std::int32_t kHighest = std::numeric_limits<std::int32_t>::max();

TEST(Integer, Wraps) {
  EXPECT_EQ(add(kHighest, 1), kLowest);
  EXPECT_EQ(subtract(kLowest, 1), kHighest);
  EXPECT_EQ(multiply<std::uint16_t>(65535, 65535), 1);
  EXPECT_EQ(negate(kLowest), kLowest);
  EXPECT_EQ(abs(kLowest), kLowest);
}

TEST(Integer, DividesAsXla) {
  EXPECT_EQ(divide(7, 0), -1);
  EXPECT_EQ(divide<std::uint8_t>(7, 0), 255);
  EXPECT_EQ(divide(kLowest, -1), kLowest);
  EXPECT_EQ(divide(-7, 2), -3);
  EXPECT_EQ(remainder(7, 0), 7);
  EXPECT_EQ(remainder(kLowest, -1), 0);
  EXPECT_EQ(remainder(-7, 2), -1);
}

TEST(Integer, ShiftsEverythingOut) {
  EXPECT_EQ(shift_left(1, 32), 0);
  EXPECT_EQ(shift_left(1, -1), 0);
  EXPECT_EQ(shift_right_logical(-1, 31), 1);
  EXPECT_EQ(shift_right_arithmetic(-8, 1), -4);
  EXPECT_EQ(shift_right_arithmetic(-8, 100), -1);
  EXPECT_EQ((shift_right_arithmetic<std::uint8_t>(0x80, 7)), 0xff);
}

TEST(Integer, Powers) {
  EXPECT_EQ(power(3, 4), 81);
  EXPECT_EQ(power(-1, -3), -1);
  EXPECT_EQ(power(2, -1), 0);
  EXPECT_EQ(power(0, 0), 1);
}

TEST(Integer, FromFloatsSaturates) {
  EXPECT_EQ(to_integer<std::int32_t>(3e9f), kHighest);
  EXPECT_EQ(to_integer<std::int32_t>(-3e9f), kLowest);
  EXPECT_EQ(to_integer<std::int32_t>(std::nanf("")), 0);
  EXPECT_EQ(to_integer<std::uint8_t>(-1.0f), 0);
  EXPECT_EQ(to_integer<std::uint64_t>(1e30), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(to_integer<std::int64_t>(-9.3e18), std::numeric_limits<std::int64_t>::lowest());
  EXPECT_EQ(to_integer<std::int32_t>(-1.9f), -1);
}

TEST(MaxMin, AsIeee754_2019) {
  EXPECT_FALSE(std::signbit(maximum(-0.0f, 0.0f)));
  EXPECT_FALSE(std::signbit(maximum(0.0f, -0.0f)));
  EXPECT_TRUE(std::signbit(minimum(-0.0, 0.0)));
  EXPECT_TRUE(std::signbit(minimum(0.0, -0.0)));
  EXPECT_TRUE(std::isnan(maximum(1.0f, std::nanf(""))));
  EXPECT_TRUE(std::isnan(maximum(std::nanf(""), 1.0f)));
  EXPECT_EQ(maximum(1.0f, 2.0f), 2.0f);
  EXPECT_EQ(minimum(-1.0, -HUGE_VAL), -HUGE_VAL);
}

TEST(Sign, KeepsZerosAndNaN) {
  EXPECT_EQ(sign(-3.0f), -1.0f);
  EXPECT_TRUE(std::signbit(sign(-0.0f)));
  EXPECT_TRUE(std::isnan(sign(std::nan(""))));
}

TEST(IntegerPow, Multiplies) {
  EXPECT_EQ(integer_pow(3.0f, 5), 243.0f);
  EXPECT_EQ(integer_pow(2.0, -2), 0.25);
  EXPECT_EQ(integer_pow(7.0, 0), 1.0);
}

TEST(Rsqrt, OfSignedZeros) {
  EXPECT_EQ(rsqrt(-0.0f), -HUGE_VALF);
  EXPECT_EQ(rsqrt(0.0), HUGE_VAL);
}

TEST(FindRare, WorksOnTheSetLanes) {
  const RareFunction* huge = find_rare(SinHuge::kName);
  ASSERT_NE(huge, nullptr);
  const float x[4] = {1e10f, 2e10f, 3e10f, HUGE_VALF};
  float y[4] = {7, 7, 7, 7};
  huge->f32(y, x, 0b1101);
  EXPECT_EQ(y[0], static_cast<float>(std::sin(double{1e10f})));
  EXPECT_EQ(y[1], 7);
  EXPECT_TRUE(std::isnan(y[3]));
  EXPECT_EQ(find_rare("nothing"), nullptr);
}

}  // namespace
}  // namespace tenon::math
