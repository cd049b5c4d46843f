// Bugs of others (shared/bugs, by id) in what the library makes of a call: here the answer is right. Those in programs
// that are written down are in tests/bugs (tools/check_bug_cases.py, which looks for the names of the tests here).
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <numeric>

#include "support/expect_error.h"
#include "tenon/tenon.h"

namespace tenon::test {
namespace {

// Eager, and as one program.
template <class F>
void expect_both(F f, const Array& x, const Array& want) {
  for (const Array& got : {f(x), jit(f)(x)}) {
    EXPECT_EQ(got.dtype(), want.dtype());
    EXPECT_TRUE(bool(jnp::array_equal(got, want))) << got.str() << "\nwant " << want.str();
  }
}

TEST(BugCases, Jax15818RandomWidths) {
  const Array key = jnp::array({0, 7}, jnp::uint32);
  expect_both([](Array k) { return random::bits(k, {7}, jnp::uint8); }, key, jnp::array({11, 0, 170, 48, 134, 107, 88}, jnp::uint8));
  expect_both([](Array k) { return random::bits(k, {7}, jnp::uint16); }, key,
              jnp::array({10507, 32256, 10666, 17712, 25478, 39787, 13144}, jnp::uint16));
  expect_both([](Array k) { return random::split(k, 3); }, key,
              jnp::array(std::vector<uint32_t>{3625411723, 1954958720, 195045567, 4062205631, 966301609, 1948237315}).reshape({3, 2}));
  expect_both([](Array k) { return random::fold_in(k, 5); }, key, jnp::array(std::vector<uint32_t>{3583082021, 1947592014}));
  expect_both([](Array k) { return random::uniform(k, {6}); }, key,
              jnp::array({0.6740899085998535f, 0.9746168851852417f, 0.3028435707092285f, 0.4439585208892822f, 0.7308865785598755f,
                          0.6309295892715454f}));
}

TEST(BugCases, Jax27702RandintUint8IsUniform) {
  const Array draws = random::randint(jnp::array({0, 3}, jnp::uint32), {400000}, 0, 100, jnp::uint8);
  std::vector<int> counts(256);
  for (int v : draws.to_vector<int>()) ++counts[static_cast<size_t>(v)];
  const auto [least, most] = std::minmax_element(counts.begin(), counts.begin() + 100);
  EXPECT_LT(*most, *least * 1.2);
  EXPECT_EQ(std::accumulate(counts.begin() + 100, counts.end(), 0), 0);
}

TEST(BugCases, Jax4682WeakAbsUnderJit) {
  const Array x = jnp::array({0, 1, 2, 3}, jnp::float16);
  expect_both([](Array v) { return v + jnp::abs(1.0); }, x, jnp::array({1, 2, 3, 4}, jnp::float16));
  expect_both([](Array v) { return v * jnp::abs(-2.0) + 1.0; }, x, jnp::array({1, 3, 5, 7}, jnp::float16));
}

TEST(BugCases, Jax10813NarrowSums) {
  const Array x = jnp::array({100, 100, 100}, jnp::int8);
  expect_both([](Array v) { return jnp::sum(v); }, x, jnp::int32(300));
  expect_both([](Array v) { return jnp::prod(v); }, x, jnp::int32(1000000));
}

TEST(BugCases, Jax6122Uint8Start) {
  const Array x = jnp::arange(200);
  expect_both([x](Array i) { return lax::dynamic_slice(x, {i}, {1}); }, jnp::uint8(128), jnp::array({128}));
  expect_both([x](Array i) { return x(i); }, jnp::uint8(199), jnp::int32(199));
}

TEST(BugCases, Jax3621ConstantStartTooFar) {
  expect_both([](Array v) { return lax::dynamic_slice(v, {5}, {1}); }, jnp::array({1, 2}), jnp::array({2}));
}

TEST(BugCases, TtMlir9211GatherFarOutOfRangeClamps) {
  const Array x = jnp::arange(256) + 7;
  const Array far = jnp::array({-2147483647, -1000, 256, 65536, 2147483647});
  expect_both([x](Array i) { return x.at(i).get({.mode = IndexMode::clip, .wrap_negative_indices = false}); }, far,
              jnp::array({7, 7, 262, 262, 262}));
}

// An index of a narrow dtype into more elements than it can count.
TEST(BugCases, Xla48718NarrowIndices) {
  const Array x = jnp::arange(301);
  expect_both([x](Array i) { return x(i); }, jnp::array({-1, 0, 127, -128}, jnp::int8), jnp::array({300, 0, 127, 173}));
  expect_both([x](Array i) { return x(i); }, jnp::array({255, 128}, jnp::uint8), jnp::array({255, 128}));
  expect_both([x](Array i) { return x(i); }, jnp::int8(-1), jnp::int32(300));
}

// Eager, and while a program is traced.
template <class E, class F>
void expect_error_both(F f, const Array& x) {
  EXPECT_THROW(f(x), E);
  EXPECT_THROW(jit(f)(x), E);
}

TEST(BugCases, Jax2899OfNothing) {
  const Array nothing = jnp::zeros({0}), rows = jnp::zeros({0, 3});
  for (const Array& x : {nothing, rows}) {
    expect_error_both<ValueError>([](Array v) { return jnp::argmax(v); }, x);
    expect_error_both<ValueError>([](Array v) { return jnp::argmin(v, {.axis = 0}); }, x);
    expect_error_both<ValueError>([](Array v) { return jnp::max(v); }, x);
    expect_error_both<ValueError>([](Array v) { return jnp::min(v, {.axis = 0}); }, x);
    expect_error_both<IndexError>([](Array v) { return v(2); }, x);
  }
  expect_both([](Array v) { return jnp::max(v, {.axis = 1}); }, rows, jnp::zeros({0}));
}

// The real quotient without its fraction (JAX: a power modulo 2^32).
TEST(BugCases, NegativeIntegerPowers) {
  const Array x = jnp::array({0, 1, -1, 2, -2, 5, 10});
  expect_both([x](Array y) { return jnp::power(x, y); }, jnp::int32(-1), jnp::array({0, 1, -1, 0, 0, 0, 0}));
  expect_both([x](Array y) { return jnp::power(x, y); }, jnp::int32(-2), jnp::array({0, 1, 1, 0, 0, 0, 0}));
  expect_both([x](Array y) { return jnp::power(x, y); }, jnp::int32(3), jnp::array({0, 1, -1, 8, -8, 125, 1000}));
  expect_both([x](Array y) { return jnp::power(x, y); }, jnp::int32(0), jnp::array({1, 1, 1, 1, 1, 1, 1}));
  expect_both([](Array y) { return jnp::power(jnp::array({2, 2, 3}), y); }, jnp::array({-1, 3, -2147483648}), jnp::array({0, 8, 0}));
  expect_both([](Array y) { return jnp::power(jnp::int8(-3), y); }, jnp::array({-1, 0, 3}, jnp::int8), jnp::array({0, 1, -27}, jnp::int8));
  expect_both([](Array y) { return jnp::power(jnp::uint8(3), y); }, jnp::array({0, 5, 255}, jnp::uint8), jnp::array({1, 243, 171}, jnp::uint8));
  const config::Scope wide({{"enable_x64", true}});
  expect_both([](Array y) { return jnp::power(jnp::int64(10), y); }, jnp::array({-1, 0, 18}, jnp::int64),
              jnp::array(std::vector<int64_t>{0, 1, 1'000'000'000'000'000'000}));
}

// As repeated products wrap (JAX: six bits of the exponent).
TEST(BugCases, LargeIntegerPowers) {
  expect_both([](Array y) { return jnp::power(jnp::array({3, -3, 2, -1, 0}), y); }, jnp::array({64, 101, 64, 65, 64}),
              jnp::array({2038349057, -1839741811, 0, -1, 0}));
  expect_both([](Array y) { return jnp::power(jnp::array({3, 2, 1}, jnp::uint32), y); }, jnp::array(std::vector<uint32_t>{4294967295u, 31, 4294967295u}),
              jnp::array(std::vector<uint32_t>{2863311531u, 2147483648u, 1}));
  const config::Scope wide({{"enable_x64", true}});
  expect_both([](Array y) { return jnp::power(jnp::array({3, 7}, jnp::int64), y); }, jnp::array({65, 1001}, jnp::int64),
              jnp::array(std::vector<int64_t>{7752514261426648835, -1462518579822460345}));
}

// What a converted constant is, folded or not, is what a converted input is.
TEST(BugCases, Tinygrad7870FloatAtTheEdgeOfInt) {
  const Array edge = jnp::float32(2147483646.0);
  expect_both([](Array v) { return v.astype(jnp::int32); }, edge, jnp::int32(2147483647));
  expect_both([](Array v) { return jnp::float32(2147483646.0).astype(jnp::int32) + 0 * v.astype(jnp::int32); }, edge, jnp::int32(2147483647));
}

TEST(BugCases, Jax39625DonationAndOutputOrder) {  // of the three new outputs and of the donated arguments
  for (const bool donated_first : {false, true}) {
    auto f = jit([=](Array a, Array b, Array c, Array v) {
      Arrays out;
      for (int i = 0; i < 3; ++i) out.push_back(v - v);
      out.insert(donated_first ? out.begin() : out.end(), {a, b, c});
      return out;
    }, {.donate_argnums = {0, 1, 2}});
    const Arrays got = f(jnp::float32(1), jnp::float32(2), jnp::float32(3), jnp::float32(5));
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(got[donated_first ? i : i + 3].item(), static_cast<double>(i + 1));
      EXPECT_EQ(got[donated_first ? i + 3 : i].item(), 0);
    }
  }
}

TEST(BugCases, Jax9635DonatedTwice) {
  const Array x = jnp::ones({4});
  EXPECT_ERROR_HAS(ValueError, jit([](Array a, Array b) { return a + b; }, {.donate_argnums = {0}})(x, x), "pass a copy");
  EXPECT_EQ(x.sum().item(), 4);
}

TEST(BugCases, Jax919ArrayOfManyScalars) {
  const auto f = [](Array x) {
    Arrays scalars;
    for (int i = 0; i < 2000; ++i) scalars.push_back(x(i));
    return jnp::sum(jnp::stack(scalars));
  };
  const Array x = jnp::array(std::vector<float>([] {
    std::vector<float> values;
    for (int i = 0; i < 2000; ++i) values.push_back(static_cast<float>(i % 13));
    return values;
  }()));
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(jit(f)(x).item(), 11989);
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), 15);
}

TEST(BugCases, Jax9046ScanOfWeakCarries) {
  using Three = std::tuple<Array, Array, Array>;
  auto sums = [](Array x) {
    auto step = [](Three c, Array v) {
      const auto& [a, b, d] = c;
      return std::pair{Three{a + v, b + a, d + b}, Empty{}};
    };
    return lax::scan(step, Three{0.0, 0.0, 0.0}, x).first;
  };
  const Array ones = jnp::ones({5}, jnp::float16);
  for (const auto& [a, b, c] : {sums(ones), jit(sums)(ones)}) {
    for (const Array& x : {a, b, c}) EXPECT_EQ(x.dtype(), jnp::float16);
    EXPECT_EQ(float(a), 5);
    EXPECT_EQ(float(b), 10);
    EXPECT_EQ(float(c), 10);
  }
}

TEST(BugCases, Jax19689FrexpOfSubnormals) {
  auto fraction = [](Array v) { return jnp::frexp(v).first; };
  auto exponent = [](Array v) { return jnp::frexp(v).second; };
  const double inf = jnp::inf, least = 5.96e-08;  // of float16
  const Array halves = jnp::array({least, 3 * least, 8.0, -0.75, 0.0, -inf, 65504.0, -6.1e-05}, jnp::float16);
  expect_both(fraction, halves, jnp::array({0.5, 0.75, 0.5, -0.75, 0.0, -inf, 0.99951171875, -0.9990234375}, jnp::float16));
  expect_both(exponent, halves, jnp::array({-23, -22, 4, 0, 0, 0, 16, -14}));
  const Array singles = jnp::array({1.401298464324817e-45, -1e-40, 3.4028234663852886e38, 1.0, -1.1754943508222875e-38});
  expect_both(exponent, singles, jnp::array({-148, -132, 128, 1, -125}));
  expect_both(fraction, singles, jnp::array({0.5, -71362 / 131072.0, 1 - 1 / 16777216.0, 0.5, -0.5}));
  const Array brains = jnp::array({9.183549615799121e-41, 1.5}, jnp::bfloat16);
  expect_both(exponent, brains, jnp::array({-132, 1}));
  expect_both(exponent, jnp::array({1, 7}), jnp::array({1, 3}));
  EXPECT_TRUE(bool(jnp::isnan(jnp::frexp(jnp::nan).first)));
  const config::Scope wide({{"enable_x64", true}});
  expect_both(exponent, jnp::array({4.9406564584124654e-324, 1.7976931348623157e308}), jnp::array({-1073, 1024}, jnp::int32));
}

TEST(BugCases, Jax20754Hypot) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const Array y = jnp::array({nan, inf, 4.0f, 1e30f, 1e-30f, -4.0f});
  expect_both([y](Array x) { return jnp::hypot(x, y)(slice(3)); }, jnp::array({inf, nan, 3.0f, 1e30f, 0.0f, -3.0f}), jnp::array({inf, inf, 5.0f}));
  expect_both([y](Array x) { return jnp::isclose(jnp::hypot(x, y)(slice(3, {})), jnp::array({1.4142135e30f, 1e-30f, 5.0f}), 1e-6, 0); },
              jnp::array({inf, nan, 3.0f, 1e30f, 0.0f, -3.0f}), jnp::array({true, true, true}));
}

}  // namespace
}  // namespace tenon::test
