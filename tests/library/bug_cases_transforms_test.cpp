// Bugs of others (shared/bugs, by id) in derivatives, branches and loops: through our own transformations, eager and
// jitted, the answer is right. tools/check_bug_cases.py looks for the names of the tests here, and runs the programs
// that are written down.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <functional>
#include <map>
#include <string>

#include "tenon/tenon.h"

namespace tenon::test {
namespace {

// Eager, and as one program.
template <class F, class... A>
void expect_both(F f, const Array& want, double rtol, const A&... x) {
  for (const Array& got : {f(x...), jit(f)(x...)}) {
    EXPECT_EQ(got.dtype(), want.dtype());
    EXPECT_EQ(got.shape(), want.shape());
    const Array agree = rtol == 0 ? jnp::array_equal(got, want) : jnp::allclose(got, want, rtol, 1e-6);
    EXPECT_TRUE(bool(agree)) << got.str() << "\nwant " << want.str();
  }
}

TEST(BugCases, Jax1082GradOfScanUnusedCarry) {
  using Carry = std::map<std::string, Array>;
  auto loss = [](Array p) {
    auto step = [](Carry c, Array) {
      Carry next;
      for (const auto& [name, v] : c) next[name] = v + c.at("a");
      return std::pair{next, jnp::zeros({})};
    };
    const auto [c, unused] = lax::scan(step, Carry{{"a", p}, {"b", jnp::zeros({})}}, jnp::array({1, 2}));
    return c.at("a") * p;
  };
  expect_both(grad(jit(loss)), jnp::float32(24), 0, jnp::float32(3));
  expect_both(grad(loss), jnp::float32(24), 0, jnp::float32(3));
}

TEST(BugCases, Jax22045ScanOfIntegerCarryGradient) {
  auto g = [](Array x) {
    auto step = [](std::pair<Array, Array> c, Array t) {
      return std::pair{std::pair{c.first + 1, c.second}, c.second * t + c.first};
    };
    return lax::scan(step, std::pair<Array, Array>{0, x}, jnp::arange(10)).second.sum();
  };
  expect_both(g, jnp::float32(90), 0, jnp::float32(1));
  expect_both(grad(g), jnp::float32(45), 0, jnp::float32(1));
}

TEST(BugCases, Jax757JitOfJacfwdOfScan) {
  auto loop = [](Array v) {
    auto step = [](Array x, Array i) { return std::pair{grad([](Array y) { return jnp::cos(y); })(x), i}; };
    return lax::scan(step, v, jnp::arange(10)).first;
  };
  double v = 0.5, slope = 1;
  for (int i = 0; i < 10; ++i) slope *= -std::cos(v), v = -std::sin(v);
  const Array x = jnp::float32(0.5), want = jnp::float32(slope);
  expect_both(jacfwd(loop), want, 1e-5, x);
  expect_both(jacrev(loop), want, 1e-5, x);
  expect_both(grad(loop), want, 1e-5, x);
}

TEST(BugCases, Xla41430WhileOfUint32Counter) {
  auto up = [](Array x) {
    auto below = [](std::pair<Array, Array> c) { return c.first < jnp::uint32(10); };
    auto step = [](std::pair<Array, Array> c) { return std::pair{c.first + jnp::uint32(3), c.second * 2}; };
    return lax::while_loop(below, step, std::pair<Array, Array>{jnp::uint32(0), x});
  };
  expect_both([up](Array x) { return up(x).first; }, jnp::uint32(12), 0, jnp::float32(1));
  expect_both([up](Array x) { return up(x).second; }, jnp::float32(16), 0, jnp::float32(1));
  auto down = [](Array n) {
    return lax::while_loop([](Array c) { return c > jnp::uint32(5); }, [](Array c) { return c - jnp::uint32(4); }, n);
  };
  expect_both(down, jnp::uint32(3), 0, jnp::uint32(15));
}

TEST(BugCases, Jax17117GradOfMaskedSoftmax) {
  const Array x = jnp::array({1.0f, 1.0f, 100.0f}), mask = jnp::array({true, true, false}), weights = jnp::array({1.0f, 2.0f, 3.0f});
  auto softmax = [weights](Array v, Array m) { return jnp::sum(nn::softmax(v, {.axis = 0, .where = m}) * weights); };
  auto log_softmax = [weights](Array v, Array m) {
    return jnp::sum(jnp::where(m, nn::log_softmax(v, {.axis = 0, .where = m}), 0.0) * weights);
  };
  expect_both(grad(softmax), jnp::array({-0.25f, 0.25f, 0.0f}), 1e-5, x, mask);
  expect_both(grad(log_softmax), jnp::array({-0.5f, 0.5f, 0.0f}), 1e-5, x, mask);
}

TEST(BugCases, Jax19490GradOfMaskedSumOfExp) {
  const Array x = jnp::array({3.0f, 10000.0f}), mask = jnp::array({true, false});
  auto f = [](Array v, Array m) { return jnp::sum(jnp::exp(v), {.where = m}); };
  expect_both(f, jnp::exp(jnp::float32(3)), 0, x, mask);
  expect_both(grad(f), jnp::array({std::exp(3.0f), 0.0f}), 1e-6, x, mask);
}

// The kind: what a reduction leaves out reaches no derivative, whatever it went through before, element by element.
TEST(BugCases, HiddenElementsReachNoDerivative) {
  const Array x = jnp::array({{3.0f, 1e4f, 0.5f}, {-1.0f, 2.0f, 200.0f}}), mask = x < 100;
  const Array exponentials = jnp::where(mask, jnp::exp(x), 0.0);
  auto sum_of = [](auto f) { return [f](Array v, Array m) { return jnp::sum(f(v), {.where = m}); }; };
  const auto exp = [](Array v) { return jnp::exp(v); };
  expect_both(grad(sum_of(exp)), exponentials, 1e-6, x, mask);
  expect_both(grad(sum_of(jit(exp))), exponentials, 1e-6, x, mask);
  expect_both(grad(sum_of([=](Array v) { return 2.0 * -exp(v) / 4; })), -0.5 * exponentials, 1e-6, x, mask);
  expect_both(grad(sum_of([=](Array v) { return jnp::exp(jnp::exp(v)); })), jnp::where(mask, jnp::exp(x + jnp::exp(x)), 0.0), 1e-5, x, mask);
  expect_both(grad([=](Array v, Array m) { return jnp::mean(exp(v), {.where = m}); }), exponentials / 4, 1e-6, x, mask);
  expect_both(grad([=](Array v, Array m) { return jnp::max(exp(v), {.initial = 0.0, .where = m}); }), jnp::zeros({2, 3}).at(0, 0).set(std::exp(3.0)),
              1e-5, x, mask);
  expect_both(grad([=](Array v, Array m) { return jnp::log(jnp::prod(exp(v), {.where = m})); }), jnp::where(mask, 1.0f, 0.0f), 1e-5, x, mask);
  // By rows, with a mask of the row; below a jit, a scan, a vmap; once more.
  const Array row = jnp::array({true, false, true});
  const auto of_row = [=](Array v, Array m) { return jnp::sum(jnp::sqrt(v) * 2.0, {.axis = 1, .where = m}).sum(); };
  expect_both(grad(of_row), jnp::array({{0.5f, 0.0f, 1.0f}, {1.0f, 0.0f, 0.5f}}), 1e-6, jnp::array({{4.0f, 0.0f, 1.0f}, {1.0f, 0.0f, 4.0f}}), row);
  expect_both(grad([=](Array v, Array m) { return jit(sum_of(exp))(v, m) * 2.0; }), 2.0 * exponentials, 1e-6, x, mask);
  expect_both(vmap(grad(sum_of(exp))), exponentials, 1e-6, x, mask);
  const auto scanned = [=](Array v, Array m) {
    const auto step = [=](Array c, std::pair<Array, Array> r) { return std::pair{c + sum_of(exp)(r.first, r.second), Empty{}}; };
    return lax::scan(step, jnp::float32(0), std::pair{v, m}).first;
  };
  expect_both(grad(scanned), exponentials, 1e-6, x, mask);
  expect_both(grad([=](Array v, Array m) { return jnp::sum(grad(sum_of(exp))(v, m)); }), exponentials, 1e-6, x, mask);
  const auto masked = [=](Array v) { return sum_of(exp)(v, mask); };
  expect_both([=](Array v) { return jvp(masked, std::tuple{v}, std::tuple{jnp::ones({2, 3})}).second; }, jnp::sum(exponentials), 1e-6, x);
  // A value that is used elsewhere too.
  expect_both(grad([=](Array v, Array m) {
                const Array y = v * v;
                return jnp::sum(jnp::exp(y), {.where = m}) + y.sum();
              }),
              jnp::where(mask, 2.0 * x * jnp::exp(x * x), 0.0) + 2.0 * x, 1e-5, x, mask);
  // Halves add up in float32.
  for (DType dtype : {jnp::float16, jnp::bfloat16})
    expect_both(grad(sum_of(exp)), exponentials.astype(dtype), 1e-2, x.astype(dtype), mask);
}

TEST(BugCases, Jax23842GradOfMaskedLogsumexp) {
  auto f = [](Array v, Array m) { return nn::logsumexp(v, {.where = m}); };
  expect_both(grad(f), jnp::array({1.0f, 0.0f}), 0, jnp::array({0.0f, 100.0f}), jnp::array({true, false}));
}

TEST(BugCases, Jax6811GradOfLogsumexpOfMinusInf) {
  auto g = [](Array x) { return nn::logsumexp(jnp::stack({-jnp::inf, -jnp::inf + x})); };
  expect_both(g, jnp::float32(-jnp::inf), 0, jnp::float32(1));
  const float slope(grad(g)(jnp::float32(1)));
  EXPECT_TRUE(slope == 0 || std::isnan(slope)) << slope;
}

TEST(BugCases, Jax25880GradientOfClippedScalar) {
  const Array x = jnp::array({1.0f, 2.0f, 3.0f}), last = jnp::array({0.0f, 0.0f, 1.0f});
  expect_both(grad([](Array v, Array i) { return v.at(i).get({.mode = IndexMode::clip}); }), last, 0, x, jnp::int32(9));
  expect_both(grad([](Array v) { return v.at(9).get({.mode = IndexMode::clip}); }), last, 0, x);
}

TEST(BugCases, Jax7595GradientOfClippedGather) {
  const Array x = jnp::array({1.0f, 2.0f, 3.0f}), i = jnp::array({0, 5, 7});
  expect_both(grad([](Array v, Array at) { return v.at(at).get({.mode = IndexMode::clip}).sum(); }), jnp::array({1.0f, 0.0f, 2.0f}), 0, x, i);
  expect_both(grad([](Array v, Array at) { return v.at(at).get({.mode = IndexMode::fill, .fill_value = 0}).sum(); }),
              jnp::array({1.0f, 0.0f, 0.0f}), 0, x, i);
}

TEST(BugCases, Jax3058GradOfSqrtAtZero) {
  auto safe = [](Array x) { return jnp::where(x > 0, jnp::sqrt(jnp::where(x > 0, x, 1.0)), 0.0); };
  const Array zero = jnp::float32(0);
  expect_both(grad([](Array x) { return jnp::sqrt(x); }), jnp::float32(jnp::inf), 0, zero);
  expect_both(grad(safe), zero, 0, zero);
  expect_both(vmap(grad(safe)), jnp::array({0.0f, 0.25f, 0.0f}), 0, jnp::array({0.0f, 4.0f, -1.0f}));
}

TEST(BugCases, Jax37820GradOfAbsAtZero) {
  expect_both(vmap(grad([](Array x) { return jnp::abs(x); })), jnp::array({1.0f, 1.0f, 1.0f, -1.0f}), 0, jnp::array({0.0f, -0.0f, 2.0f, -3.0f}));
}

TEST(BugCases, Jax37821GradOfMaximumAtTie) {
  const Array zero = jnp::float32(0), six = jnp::float32(6);
  expect_both(grad([](Array x) { return jnp::maximum(x, 0.0); }), jnp::float32(0.5), 0, zero);
  expect_both(grad([](Array x) { return nn::relu(x); }), zero, 0, zero);
  expect_both(grad([](Array x) { return nn::relu6(x); }), zero, 0, zero);
  expect_both(grad([](Array x) { return nn::relu6(x); }), zero, 0, six);
  expect_both(grad([](Array v) { return jnp::max(v); }), jnp::array({0.0f, 0.5f, 0.5f, 0.0f}), 0, jnp::array({1.0f, 3.0f, 3.0f, 2.0f}));
}

TEST(BugCases, Jax7440GradOfPowerAtZero) {
  const Array zero = jnp::float32(0), one = jnp::float32(1);
  expect_both(grad([](Array x) { return jnp::power(x, 2); }), zero, 0, zero);
  expect_both(grad([](Array x) { return jnp::power(x, 1); }), one, 0, zero);
  expect_both(grad([](Array x) { return jnp::power(x, 0); }), zero, 0, zero);
  expect_both(grad([](Array x) { return jnp::power(x, 2.0); }), zero, 0, zero);
  expect_both(grad([](Array x) { return jnp::power(x, 3.0); }), zero, 0, zero);
  expect_both(grad([](Array y) { return jnp::power(0.0, y); }), zero, 0, jnp::float32(2));
}

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// A jitted function that calls jitted copies of itself: each is traced, transformed and compiled once, not 2^16 times.
using Function = std::function<Array(Array)>;
using Functions = std::map<int, decltype(jit(Function()))>;
Array fibonacci(Functions& made, int t, const Array& x) {
  auto at = made.find(t);
  if (at == made.end()) {
    auto body = [&made, t](Array v) { return t < 2 ? v : fibonacci(made, t - 1, v) + fibonacci(made, t - 2, v); };
    at = made.emplace(t, jit(Function(body))).first;
  }
  return at->second(x);
}
TEST(BugCases, Jax22385NestedJitFibonacci) {
  Functions made;
  const auto f = [&](Array x) { return fibonacci(made, 16, x); };
  const double called = seconds_of([&] { EXPECT_EQ(int(f(jnp::int32(1))), 1597); });
  EXPECT_LT(called, 20);
  std::string text;
  const double traced = seconds_of([&] { text = make_jaxpr(f)(jnp::int32(1)).str(); });
  EXPECT_LT(traced, 10);
  EXPECT_LT(text.size(), 20000u);  // JAX's StableHLO: 4691
  const double derived = seconds_of([&] { EXPECT_EQ(float(grad(f)(jnp::float32(1))), 1597); });
  EXPECT_LT(derived, 20);
  EXPECT_LT(make_jaxpr(grad(f))(jnp::float32(1)).str().size(), 60000u);
}

TEST(BugCases, Vmex142ManyDependentKernels) {
  const auto f = [](Array x) {
    for (int i = 0; i < 600; ++i) x = jnp::tanh(jnp::matmul(x, x.T())) * 0.5;
    return x.sum();
  };
  const Array x = jnp::eye(4);
  const auto jitted = jit(f);
  EXPECT_LT(seconds_of([&] { EXPECT_GT(jitted.lower(x).as_text().size(), 100000u); }), 30);
  EXPECT_LT(seconds_of([&] { EXPECT_LT(std::abs(float(jitted(x))), 1e-6); }), 60);
}

}  // namespace
}  // namespace tenon::test
