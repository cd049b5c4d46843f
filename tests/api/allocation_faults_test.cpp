// Each allocation of memory for arrays and scratch fails in turn, in runs of programs of many kinds: an OutOfMemoryError, nothing stays, and the
// next run is right. (Each `new` of the library: package.allocation_faults.)
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/allocator.h"
#include "runtime/dispatcher.h"
#include "support/random_array.h"
#include "tenon/tenon.h"

namespace tenon {
namespace {

using test::normal;

int64_t live_bytes() {
  runtime::Dispatcher::get().wait_idle();
  return runtime::Allocator::get().stats().live_bytes;
}

template <class F, class... A>
void expect_recovery(const char* name, F f, A... args) {
  SCOPED_TRACE(name);
  runtime::Allocator& allocator = runtime::Allocator::get();
  for (bool is_async : {false, true}) {
    const config::Scope mode{{"cpu_enable_async_dispatch", is_async}};
    const auto want = tree::leaves(f(args...));
    for (const Array& x : want) x.block_until_ready();
    const int64_t live = live_bytes();
    int failed = 0;
    for (int n = 1;; ++n) {
      ASSERT_LT(n, 1000) << "it never succeeds";
      allocator.fail_nth(n);
      bool thrown = false;
      try {
        for (const Array& x : tree::leaves(f(args...))) x.block_until_ready();
        runtime::Dispatcher::get().wait_idle();
      } catch (const OutOfMemoryError&) {
        thrown = true;
      } catch (const RuntimeError& error) {  // from inside of a function of the host
        thrown = true;
        EXPECT_THAT(error.what(), testing::HasSubstr("the function of the host threw: allocate: out of memory"));
      }
      runtime::Dispatcher::get().wait_idle();
      allocator.fail_nth(0);
      EXPECT_EQ(live_bytes(), live) << "allocation " << n;
      const auto got = tree::leaves(f(args...));
      for (size_t i = 0; i < want.size(); ++i) ASSERT_TRUE(jnp::array_equal(got[i], want[i]).template item<bool>()) << "allocation " << n;
      if (!thrown) break;
      ++failed;
    }
    EXPECT_GT(failed, 0);
  }
}

TEST(AllocationFaults, OfRuns) {
  const Array x = normal(1, {300, 300}), small = normal(2, {5});
  const auto jitted = [](auto f) { return jit(f); };
  expect_recovery("small", jitted([](Array a) { return jnp::sin(a) * 2.0; }), small);
  expect_recovery("products", jitted([](Array a) { return jnp::tanh(jnp::matmul(jnp::matmul(a, a) * 0.01, a)); }), x);
  expect_recovery("sorts", jitted([](Array a) { return std::pair{jnp::sort(a), jnp::argsort(a)}; }), x);
  expect_recovery("transforms", jitted([](Array a) { return jnp::fft::fft(a.astype(jnp::complex64)); }), x);
  expect_recovery("running totals", jitted([](Array a) { return jnp::cumsum(a, {.axis = 0}); }), x);
  expect_recovery("scatters", jitted([](Array a) { return a.at(jnp::array({3, 1, 3})).add(1.0); }), x);
  expect_recovery("rows", jitted([](Array a) { return nn::softmax(jnp::matmul(nn::softmax(a), a)); }), x);
  expect_recovery("loops", jitted([](Array a) {
    return lax::fori_loop(0, 3, [](Array, Array v) { return jnp::sort(jnp::matmul(v, v) * 0.01); }, a);
  }), x);
  expect_recovery("calls of the host", jitted([](Array a) {
    return lax::host_call([](Array v) { return v * 2.0; }, a.aval(), a) + 1.0;
  }), x);
  expect_recovery("eager", [](Array a) { return jnp::sum(jnp::exp(a) + a.T(), {.axis = 0}); }, x);
}

// What was donated is gone or whole, and nothing is freed twice.
TEST(AllocationFaults, OfDonations) {
  const auto f = jit([](Array a, Array b) { return std::pair{jnp::sort(a) * 2.0, a + b}; }, {.donate_argnums = {0}});
  const Array b = normal(3, {400, 50});
  const auto want = f(b + 0.0, b);
  block_until_ready(want);
  const int64_t live = live_bytes();
  runtime::Allocator& allocator = runtime::Allocator::get();
  bool is_done = false;
  for (int n = 1; !is_done; ++n) {
    ASSERT_LT(n, 1000);
    const Array a = (b + 0.0).block_until_ready();
    allocator.fail_nth(n);
    try {
      block_until_ready(f(a, b));
      is_done = true;
    } catch (const OutOfMemoryError&) {
    }
    allocator.fail_nth(0);
    if (!a.is_deleted()) EXPECT_TRUE(jnp::array_equal(a, b).item<bool>()) << n;
  }
  EXPECT_EQ(live_bytes(), live);
  EXPECT_TRUE(jnp::array_equal(f(b + 0.0, b).first, want.first).item<bool>());
}

}  // namespace
}  // namespace tenon
