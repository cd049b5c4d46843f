// 16-bit floats: all values both ways, against a model that builds numbers from their fields.
#include "base/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tenon::detail {
namespace {

struct Format {
  const char* name;
  int exponent_bits, mantissa_bits;
  float (*to_float)(uint16_t);
  uint16_t (*from_float)(float);
};

// sign * mantissa * 2^exponent, by the definition of the format. Infinity as the next number would be.
double model(const Format& f, uint32_t bits) {
  int bias = (1 << (f.exponent_bits - 1)) - 1;
  int exponent = static_cast<int>(bits >> f.mantissa_bits) & ((1 << f.exponent_bits) - 1);
  double mantissa = bits & ((1u << f.mantissa_bits) - 1);
  double value = exponent == 0 ? std::ldexp(mantissa, 1 - bias - f.mantissa_bits)
                               : std::ldexp(mantissa + std::ldexp(1, f.mantissa_bits), exponent - bias - f.mantissa_bits);
  return bits >> 15 ? -value : value;
}

class Half : public testing::TestWithParam<Format> {};

TEST_P(Half, EveryValueConvertsBothWays) {
  const Format& f = GetParam();
  uint32_t infinity = ((1u << f.exponent_bits) - 1) << f.mantissa_bits;
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    uint16_t half = static_cast<uint16_t>(bits);
    float value = f.to_float(half);
    if ((bits & 0x7fff) > infinity) {
      ASSERT_TRUE(std::isnan(value)) << bits;
      ASSERT_GT(f.from_float(value) & 0x7fff, infinity) << bits;
      ASSERT_EQ(f.from_float(value) >> 15, half >> 15) << bits;
      continue;
    }
    if ((bits & 0x7fff) == infinity)
      ASSERT_EQ(value, bits >> 15 ? -INFINITY : INFINITY);
    else
      ASSERT_EQ(value, model(f, bits)) << bits;
    ASSERT_EQ(std::signbit(value), bits >> 15 != 0) << bits;
    ASSERT_EQ(f.from_float(value), half) << bits;
  }
}

// Between two neighbours: nearest, and in the middle the even one.
TEST_P(Half, FloatsBetweenRoundToNearestEven) {
  const Format& f = GetParam();
  uint32_t infinity = ((1u << f.exponent_bits) - 1) << f.mantissa_bits;
  for (uint32_t sign : {0u, 0x8000u})
    for (uint32_t bits = 0; bits < infinity; ++bits) {
      uint16_t low = static_cast<uint16_t>(sign | bits), high = static_cast<uint16_t>(low + 1);
      double exact = (model(f, low) + model(f, high)) / 2;
      float middle = static_cast<float>(exact);
      if (middle != exact || std::isinf(middle)) continue;  // below what a float can hold
      float towards_zero = std::nextafterf(middle, 0), away = std::nextafterf(middle, sign ? -INFINITY : INFINITY);
      ASSERT_EQ(f.from_float(middle), bits % 2 == 0 ? low : high) << bits;
      ASSERT_EQ(f.from_float(towards_zero), low) << bits;
      ASSERT_EQ(f.from_float(away), high) << bits;
    }
}

TEST_P(Half, Extremes) {
  const Format& f = GetParam();
  uint16_t infinity = static_cast<uint16_t>(((1u << f.exponent_bits) - 1) << f.mantissa_bits);
  EXPECT_EQ(f.from_float(std::numeric_limits<float>::max()), infinity);
  EXPECT_EQ(f.from_float(-std::numeric_limits<float>::max()), infinity | 0x8000);
  if (f.exponent_bits < 8) EXPECT_EQ(f.from_float(std::numeric_limits<float>::denorm_min()), 0);
  EXPECT_EQ(f.from_float(-0.0f), 0x8000);
  // A NaN whose payload is only in the low bits stays a NaN.
  for (uint32_t payload : {1u, 0x1000u, 0x1fffu, 0x8000u})
    EXPECT_GT(f.from_float(std::bit_cast<float>(0x7f800000 | payload)) & 0x7fff, infinity);
}

INSTANTIATE_TEST_SUITE_P(, Half,
                         testing::Values(Format{"float16", 5, 10, float16_to_float, float_to_float16},
                                         Format{"bfloat16", 8, 7, bfloat16_to_float, float_to_bfloat16}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace tenon::detail
