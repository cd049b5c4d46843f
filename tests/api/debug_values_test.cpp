// debug_nans and debug_infs: the operation and its line, in jitted programs and eager ones.
#include <gtest/gtest.h>

#include <cmath>

#include "support/expect_error.h"
#include "tenon/tenon.h"

namespace tenon {
namespace {

TEST(DebugNans, NamesTheOperationOfAJittedProgram) {
  const int line = __LINE__ + 3;
  auto f = jit([](Array x) {
    const Array shifted = x - 2.0;
    return jnp::exp(jnp::log(shifted)) * 2.0;
  }, {.name = "f"});
  EXPECT_TRUE(std::isnan(f(1.0).item()));
  const config::Scope scope{{"debug_nans", true}};
  EXPECT_EQ(f(3.0).item(), 2.0);
  try {
    f(1.0);
    FAIL();
  } catch (const FloatingPointError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("f: invalid value (nan) encountered in log at debug_values_test.cpp:" + std::to_string(line)));
  }
}

TEST(DebugNans, EagerOperationsSmallAndLarge) {
  EXPECT_TRUE(std::isnan(jnp::log(jnp::float32(-1)).item()));
  const config::Scope scope{{"debug_nans", true}};
  EXPECT_ERROR_HAS(FloatingPointError, jnp::log(jnp::float32(-1)), "log: invalid value (nan)");
  EXPECT_ERROR_HAS(FloatingPointError, jnp::sqrt(jnp::full({100'000}, -1.0)), "invalid value (nan)");
  EXPECT_NO_THROW(jnp::log(jnp::float32(0)));  // an infinity
  EXPECT_ERROR_HAS(FloatingPointError, jnp::zeros({2}).astype(jnp::complex64) / 0.0, "invalid value (nan)");
  EXPECT_ERROR_HAS(FloatingPointError, jnp::zeros({2}, jnp::bfloat16) / jnp::zeros({2}, jnp::bfloat16), "div: invalid value (nan)");
}

// What hands numbers on made none of them: library functions work with NaN inside.
TEST(DebugNans, EagerOperationsThatHandOn) {
  const config::Scope scope{{"debug_nans", true}, {"debug_infs", true}};
  const Array x = jnp::full({3, 4}, static_cast<double>(NAN)), large = jnp::full({100'000}, static_cast<double>(INFINITY));
  EXPECT_NO_THROW(x(0).T().reshape({2, 2}));
  EXPECT_NO_THROW(large(slice(5)));
  EXPECT_EQ(jnp::nanmax(jnp::concatenate({x(0), jnp::ones({2})})).item(), 1);
  EXPECT_ERROR_HAS(FloatingPointError, x + 1.0, "add: invalid value (nan)");
  EXPECT_ERROR_HAS(FloatingPointError, large * 2.0, "invalid value (inf) encountered in mul");
}

// As in JAX, where these are programs of their own: what they compute on the way may be what the options forbid.
TEST(DebugNans, LibraryFunctionsAreLookedAtAsAWhole) {
  const Array inf = jnp::float32(INFINITY), some = jnp::array({NAN, 1.0f, 2.0f}), none = jnp::ones({3});
  {
    const config::Scope scope{{"debug_nans", true}};
    EXPECT_NO_THROW(jnp::hypot(inf, inf));
    EXPECT_NO_THROW(jnp::logaddexp(inf, inf));
    EXPECT_EQ(jnp::nanvar(some).item(), 0.25);
    EXPECT_EQ(jnp::nanmedian(some).item(), 1.5);
    EXPECT_ERROR_HAS(FloatingPointError, jnp::hypot(jnp::float32(NAN), jnp::float32(1)), "nan");
  }
  const config::Scope scope{{"debug_infs", true}};
  EXPECT_EQ(jnp::nanmax(some).item(), 2);
  EXPECT_EQ(jnp::nanmin(some).item(), 1);
  EXPECT_TRUE(jnp::isinf(inf).item());
  EXPECT_NO_THROW(jnp::nan_to_num(inf));
  EXPECT_NO_THROW(nn::logsumexp(none));
}

TEST(DebugNans, InALoopThatIsBatched) {
  auto f = jit([](Array v) {
    return vmap([](Array s) { return lax::while_loop([](Array a) { return a < 5.0; }, [](Array a) { return jnp::log(a); }, s); })(v);
  });
  const config::Scope scope{{"debug_nans", true}};
  EXPECT_ERROR_HAS(FloatingPointError, f(jnp::array({-1.0f, 2.0f})), "encountered in log");
}

TEST(DebugNans, InsideOfDerivativesLoopsAndBranches) {
  const config::Scope scope{{"debug_nans", true}};
  const auto slope = jit(grad([](Array x) { return jnp::sqrt(x) * jnp::sqrt(x); }));
  EXPECT_ERROR_HAS(FloatingPointError, slope(0.0), "invalid value (nan) encountered in mul");  // 0 * inf
  EXPECT_ERROR_HAS(FloatingPointError, jit([](Array x) {
                     return lax::fori_loop(0, 5, [](Array, Array v) { return jnp::log(v); }, x);
                   })(10.0), "encountered in log");
  EXPECT_ERROR_HAS(FloatingPointError, jit([](Array x) {
                     return lax::cond(x > 0, [](Array v) { return v; }, [](Array v) { return jnp::sqrt(v); }, x);
                   })(-1.0), "encountered in sqrt");
  EXPECT_ERROR_HAS(FloatingPointError, grad([](Array x) { return jnp::log(x) * 0.0; })(-1.0), "invalid value (nan)");
}

// A NaN that no result holds is none of theirs.
TEST(DebugNans, LooksAtResults) {
  const config::Scope scope{{"debug_nans", true}};
  EXPECT_EQ(jit([](Array x) { return jnp::where(x > 0, jnp::log(x), 5.0); })(-1.0).item(), 5);
  EXPECT_ERROR_HAS(FloatingPointError, jit([](Array x) { return x.reshape({1}); })(static_cast<double>(NAN)), "it came with an argument");
}

TEST(DebugNans, KeepsDonatedArgumentsForTheSearch) {
  const config::Scope scope{{"debug_nans", true}};
  auto f = jit([](Array x) { return jnp::log(x); }, {.donate_argnums = {0}});
  const Array bad = jnp::full({100}, -1.0), good = jnp::ones({100});
  EXPECT_ERROR_HAS(FloatingPointError, f(bad), "encountered in log");
  EXPECT_EQ(f(good).to_vector<float>(), std::vector<float>(100, 0));
  EXPECT_TRUE(good.is_deleted());
}

TEST(DebugInfs, NamesTheOperation) {
  auto f = jit([](Array x) { return jnp::exp(x) + 1.0; });
  EXPECT_TRUE(std::isinf(f(1000.0).item()));
  const config::Scope scope{{"debug_infs", true}};
  EXPECT_ERROR_HAS(FloatingPointError, f(1000.0), "invalid value (inf) encountered in exp");
  EXPECT_ERROR_HAS(FloatingPointError, jnp::exp(jnp::float32(1000)), "exp: invalid value (inf)");
  EXPECT_TRUE(std::isnan(jnp::log(jnp::float32(-1)).item()));
}

}  // namespace
}  // namespace tenon
