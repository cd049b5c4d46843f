// Eager calls of library functions: large ones are one program with the bits of small ones; errors name the line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "tenon/tenon.h"

namespace tenon {
namespace {

bool same_bits(const Array& a, const Array& b) {
  const auto x = a.to_vector<float>(), y = b.to_vector<float>();
  return a.shape() == b.shape() && std::memcmp(x.data(), y.data(), x.size() * sizeof(float)) == 0;
}

TEST(Eager, LargeCallsHaveTheBitsOfCompiledOnes) {
  const Array key = random::key(3);
  const auto normal = [](Array k) { return random::normal(k, {300, 301}); };
  const Array x = normal(key);
  EXPECT_TRUE(same_bits(x, jit(normal)(key)));
  const auto silu = [](Array v) { return nn::silu(v); };
  const auto clip = [](Array v) { return jnp::clip(v, -0.5, 0.25); };
  for (int call = 0; call < 2; ++call) {
    EXPECT_TRUE(same_bits(silu(x), jit(silu)(x)));
    EXPECT_TRUE(same_bits(clip(x), jit(clip)(x)));
  }
}

TEST(Eager, ARowOfALargeCallHasTheBitsOfASmallCall) {
  const Array x = random::normal(random::key(4), {300, 301});
  EXPECT_TRUE(same_bits(nn::silu(x)(7), nn::silu(x(7))));
  EXPECT_TRUE(same_bits(jnp::clip(x, -0.5, 0.25)(7), jnp::clip(x(7), -0.5, 0.25)));
}

TEST(Eager, BoolsAreWhatIsNotZero) {
  EXPECT_EQ(jnp::array({0, 1, 256, -512}).to_vector<bool>(), (std::vector<bool>{false, true, true, true}));
  EXPECT_EQ(jnp::array({0.0, 0.25}).to_vector<bool>(), (std::vector<bool>{false, true}));
}

template <class F>
std::string message_of(F f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Eager, ErrorsEndWithTheLine) {
  const Array two = jnp::ones({2}), three = jnp::ones({3});
  const std::string line = std::to_string(__LINE__ + 1);
  EXPECT_THAT(message_of([&] { two + three; }), testing::EndsWith(" (eager_test.cpp:" + line + ")"));
  const auto f = jit([](Array a) { return jnp::matmul(a, a); });
  const std::string inner = std::to_string(__LINE__ - 1);
  EXPECT_THAT(message_of([&] { f(jnp::ones({2, 3})); }), testing::EndsWith(" (eager_test.cpp:" + inner + ")"));
}

}  // namespace
}  // namespace tenon
