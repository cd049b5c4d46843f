// Arrays that a function captures stay where they are: what compiling costs does not grow with them.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "dialect/module.h"
#include "runtime/allocator.h"
#include "runtime/dispatcher.h"
#include "support/random_array.h"
#include "tenon/testkit.h"

namespace tenon {
namespace {

using test::normal;

void expect_equal(const Array& got, const Array& expected) {
  ASSERT_EQ(got.aval(), expected.aval());
  EXPECT_TRUE(jnp::array_equal(got, expected).item<bool>());
}

TEST(CapturedArrays, ComputeAsArguments) {
  config::Scope scope({{"enable_x64", true}});
  const Array x = normal(1, {100, 200}, 40.0);
  for (const DType& dtype : {jnp::float32, jnp::float64, jnp::bfloat16, jnp::int8, jnp::uint8, jnp::int64, jnp::complex64}) {
    SCOPED_TRACE(testing::Message() << dtype);
    const Array captured = x.astype(dtype), y = captured + captured;
    const auto f = [](Array a, Array b) { return jnp::sum(a * b, {.axis = 0}) + b; };
    expect_equal(jit([=](Array b) { return f(captured, b); })(y), jit(f)(captured, y));
  }
  const Array mask = x > 0.0;
  expect_equal(jit([=](Array b) { return jnp::where(mask, b, 0.0f); })(x), jnp::where(mask, x, 0.0f));
}

TEST(CapturedArrays, InsideOfLoopsAndBranches) {
  const Array table = normal(2, {64, 128}), start = normal(3, {128});
  const auto f = [=](Array x) {
    const auto step = [=](Array i, Array carry) { return jnp::sin(carry + table(i)); };
    return lax::cond(jnp::sum(x) > 1e9, [=](Array y) { return y + table(0); }, [=](Array y) { return lax::fori_loop(0, 64, step, y); }, x);
  };
  Array expected = start;
  for (int i = 0; i < 64; ++i) expected = jnp::sin(expected + table(i));
  expect_equal(jit(f)(start), expected);
}

// As text the program is the one it would be with its elements written out: what reads text finds them.
TEST(CapturedArrays, AreDenseConstantsInText) {
  config::Scope scope({{"enable_x64", true}});
  const Array x = normal(4, {100, 203}, 40.0);
  for (const DType& dtype : {jnp::float32, jnp::float64, jnp::int8, jnp::complex64, jnp::bool_}) {
    SCOPED_TRACE(testing::Message() << dtype);
    const Array captured = (x * (x > 0.0f)).astype(dtype);
    const std::string text = jit([=](Array a) { return a == captured; }).lower(captured).as_text();
    EXPECT_NE(text.find("stablehlo.constant dense<\"0x"), std::string::npos);
    EXPECT_EQ(text.find("dense_resource"), std::string::npos);
    EXPECT_EQ(Module::parse(text).str(), text);
  }
}

TEST(CapturedArrays, AreNotCopied) {
  const Array captured = normal(5, {4096, 4096}), x = normal(6, {4096});
  const auto f = jit([=](Array a) { return jnp::matmul(captured, a) + jnp::sum(captured, {.axis = 0}); });
  runtime::Dispatcher::get().wait_idle();
  const int64_t before = runtime::Allocator::get().stats().live_bytes;
  const auto compiled = f.lower(x).compile();
  EXPECT_LT(runtime::Allocator::get().stats().live_bytes - before, 1 << 20);
  EXPECT_LT(compiled.memory_analysis().generated_code_size_in_bytes, 64 << 10);
  expect_equal(compiled(x), jit([](Array c, Array a) { return jnp::matmul(c, a) + jnp::sum(c, {.axis = 0}); })(captured, x));
}

TEST(CapturedArrays, OutliveTheirDeletionAndDonation) {
  const Array deleted = normal(7, {300, 300}), donated = normal(8, {300, 300}), x = normal(9, {300, 300});
  const Array expected = x * deleted + donated;
  auto compiled = jit([=](Array a) { return a * deleted + donated; }).lower(x).compile();
  deleted.delete_buffer();
  const Array changed = jit([](Array a) { return a + 1.0f; }, {.donate_argnums = {0}})(donated);
  changed.block_until_ready();
  EXPECT_TRUE(donated.is_deleted());
  expect_equal(compiled(x), expected);
}

TEST(CapturedArrays, SmallPartsOfThemAreKnown) {
  const Array captured = jnp::arange(1 << 16, jnp::float32);
  const auto compiled = jit([=](Array a) { return a + captured(12345); }).lower(jnp::ones({4})).compile();
  EXPECT_NE(compiled.as_text().find("constant(12345)"), std::string::npos) << compiled.as_text();
}

TEST(CapturedArrays, CompileTimeDoesNotGrowWithThem) {
  const auto seconds = [](int64_t rows) {
    const Array captured = jnp::ones({rows, 1024}), x = jnp::ones({1024});
    captured.block_until_ready();
    double best = 1e9;
    for (int i = 0; i < 7; ++i) {
      const auto start = std::chrono::steady_clock::now();
      jit([=](Array a) { return jnp::sum(captured * a, {.axis = 1}); }).lower(x).compile();
      best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    return best;
  };
  const double small = seconds(64), large = seconds(64 << 10);  // 256 KiB, 256 MiB
  EXPECT_LT(large, 3 * small);
}

}  // namespace
}  // namespace tenon
