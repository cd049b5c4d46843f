// The worked case: pairwise distances four ways, against float64 (acceptance a8).
#include <gtest/gtest.h>

#include <cmath>

#include "support/random_array.h"
#include "tenon/testkit.h"

namespace tenon {
namespace {

Array v1(Array X, Array Y) {
  Array diff = X(all, newaxis, all) - Y(newaxis, all, all);
  return jnp::sqrt(jnp::sum(jnp::square(diff), {.axis = -1}));
}
Array v1_forced(Array X, Array Y) {
  Array diff = lax::optimization_barrier(X(all, newaxis, all) - Y(newaxis, all, all));
  return jnp::sqrt(jnp::sum(jnp::square(diff), {.axis = -1}));
}
Array v2(Array X, Array Y) {
  Array x2 = jnp::sum(jnp::square(X), {.axis = 1}), y2 = jnp::sum(jnp::square(Y), {.axis = 1});
  Array squared = x2(all, newaxis) - 2 * jnp::dot(X, Y.T()) + y2(newaxis, all);
  return jnp::sqrt(jnp::maximum(0.0, squared));
}
Array v3(Array X, Array Y) {
  Array mu = jnp::mean(X, {.axis = 0});
  return v2(X - mu, Y - mu);
}

std::vector<double> reference(const Array& X, const Array& Y) {
  auto x = X.to_vector<float>(), y = Y.to_vector<float>();
  size_t n = static_cast<size_t>(X.shape()[0]), m = static_cast<size_t>(Y.shape()[0]), d = static_cast<size_t>(X.shape()[1]);
  std::vector<double> distances(n * m);
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < m; ++j) {
      double s = 0;
      for (size_t k = 0; k < d; ++k) s += std::pow(double(x[i * d + k]) - double(y[j * d + k]), 2);
      distances[i * m + j] = std::sqrt(s);
    }
  return distances;
}
double max_error(const Array& got, const std::vector<double>& want) {
  auto g = got.to_vector<float>();
  EXPECT_EQ(g.size(), want.size());
  double worst = 0;
  for (size_t i = 0; i < g.size() && i < want.size(); ++i) {
    if (!std::isfinite(g[i])) return INFINITY;
    worst = std::max(worst, std::abs(double(g[i]) - want[i]));
  }
  return worst;
}

class Pairwise : public testing::Test {
 protected:
  static constexpr double N = 1000, M = 1500, D = 64;
  static auto compile(Array (*f)(Array, Array), const Array& X, const Array& Y) { return jit(f).lower(X, Y).compile(); }
  Array X = test::normal(0, {1000, 64}), Y = test::normal(1, {1500, 64});
  std::vector<double> want = reference(X, Y);
};

TEST_F(Pairwise, BroadcastFormIsOneKernelWithoutTheIntermediate) {
  auto c = compile(v1, X, Y);
  EXPECT_EQ(testkit::fusions(c), 1) << c.as_text();
  EXPECT_EQ(testkit::bytes_accessed(c), 4 * (N * D + M * D + N * M));
  EXPECT_EQ(testkit::temp_bytes(c), 0);
  auto cost = c.cost_analysis();
  EXPECT_EQ(cost["flops"], 286'500'000);
  EXPECT_EQ(cost["transcendentals"], N * M);
  testkit::RunCounters run;
  EXPECT_LT(max_error(c(X, Y), want), 1e-4);
  EXPECT_EQ(run.kernels(), 1);
  EXPECT_EQ(run.temp_bytes(), 0);
}

TEST_F(Pairwise, BarrierMaterializesTheDifference) {
  auto c = compile(v1_forced, X, Y);
  EXPECT_EQ(testkit::fusions(c), 2);
  EXPECT_EQ(testkit::temp_bytes(c), N * M * D * 4);
  EXPECT_EQ(testkit::bytes_accessed(c), 774'640'000);
  EXPECT_TRUE(testkit::materializes(c, {1000, 1500, 64}));
  testkit::RunCounters run;
  EXPECT_LT(max_error(c(X, Y), want), 1e-4);
  EXPECT_EQ(run.temp_bytes(), N * M * D * 4);
}

TEST_F(Pairwise, MatmulFormHasOneDotAndNoTranspose) {
  auto c1 = compile(v1, X, Y), c2 = compile(v2, X, Y);
  std::string text = c2.as_text();
  EXPECT_TRUE(testkit::has_instruction(c2, "dot"));
  EXPECT_FALSE(testkit::has_instruction(c2, "transpose"));
  EXPECT_EQ(text.find(" dot("), text.rfind(" dot("));
  EXPECT_LT(c2.cost_analysis()["flops"], c1.cost_analysis()["flops"]);
  EXPECT_LT(max_error(c2(X, Y), want), 1e-4);
}

TEST_F(Pairwise, FarFromTheOriginOnlyTheIdentityLosesDigits) {
  Array Xo = X + 100.0, Yo = Y + 100.0;
  auto far = reference(Xo, Yo);
  EXPECT_LT(max_error(compile(v1, Xo, Yo)(Xo, Yo), far), 1e-4);
  double centred = max_error(compile(v3, Xo, Yo)(Xo, Yo), far), plain = max_error(compile(v2, Xo, Yo)(Xo, Yo), far);
  EXPECT_LT(centred, 1e-4);
  EXPECT_GT(plain, 1e-3);
  EXPECT_GT(plain, 10 * centred);
}

}  // namespace
}  // namespace tenon
