#include <gtest/gtest.h>

#include "tenon/tenon.h"

namespace tenon {
namespace {

// min(max(x, low), high), whatever the order of the bounds.
TEST(Clamp, DerivativesAreOfTheOperandThatIsTheResult) {
  const Array low = jnp::array({0.2f, 0.9f, 0.9f, 0.5f, 0.2f}), x = jnp::array({0.5f, 0.5f, 0.95f, 0.1f, 0.1f}),
              high = jnp::array({0.8f, 0.3f, 0.3f, 0.5f, 0.8f});
  const auto sum = [](Array a, Array b, Array c) { return jnp::sum(lax::clamp(a, b, c)); };
  const auto [of_low, of_x, of_high] = grad<0, 1, 2>(sum)(low, x, high);
  EXPECT_EQ(lax::clamp(low, x, high).to_vector<float>(), (std::vector<float>{0.5f, 0.3f, 0.3f, 0.5f, 0.2f}));
  EXPECT_EQ(of_low.to_vector<float>(), (std::vector<float>{0, 0, 0, 0, 1}));
  EXPECT_EQ(of_x.to_vector<float>(), (std::vector<float>{1, 0, 0, 0, 0}));
  EXPECT_EQ(of_high.to_vector<float>(), (std::vector<float>{0, 1, 1, 1, 0}));
}

}  // namespace
}  // namespace tenon
