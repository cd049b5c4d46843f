// What tenon-fuzz found to be wrong, and its judges.
#include <gtest/gtest.h>

#include <limits>

#include "tenon/tenon.h"

namespace tenon::test {
namespace {

template <class F, class... A>
void expect_both(F f, const Array& want, const A&... x) {
  for (const Array& got : {f(x...), jit(f)(x...)}) EXPECT_TRUE(bool(jnp::allclose(got, want, 1e-6))) << got.str() << "\nwant " << want.str();
}

// JAX 0.12 throws here: its rule selects between an array and the scalar's tangent.
TEST(FuzzFinds, ClampByItsScalarBounds) {
  const Array x = jnp::array({-2.0f, -3.0f, 0.5f, 3.0f}), low = jnp::float32(-1), high = jnp::float32(1);
  const auto f = [](Array a, Array v, Array b) { return jnp::sum(lax::clamp(a, v, b) * jnp::array({1.0f, 2.0f, 3.0f, 4.0f})); };
  expect_both(grad<0>(f), jnp::float32(3), low, x, high);
  expect_both(grad<1>(f), jnp::array({0.0f, 0.0f, 3.0f, 0.0f}), low, x, high);
  expect_both(grad<2>(f), jnp::float32(4), low, x, high);
  expect_both(vmap(grad<0>(f), {.in_axes = {0, none, none}}), jnp::array({3.0f, 0.0f}), jnp::array({-1.0f, -5.0f}), x, high);
}

TEST(FuzzFinds, ComplexNumbersThatAreNotFinite) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const Array z = lax::complex(jnp::array({1.0f, inf, 1.0f, nan, -inf}), jnp::array({0.0f, 0.0f, -inf, 1.0f, nan}));
  EXPECT_EQ(jnp::isfinite(z).to_vector<bool>(), (std::vector<bool>{true, false, false, false, false}));
  EXPECT_EQ(jnp::isinf(z).to_vector<bool>(), (std::vector<bool>{false, true, true, false, true}));
  EXPECT_EQ(make_jaxpr([](Array x) { return jnp::isfinite(x); })(z).str(), R"({ lambda ; a:c64[5]. let
    b:f32[5] = real a
    c:bool[5] = is_finite b
    d:f32[5] = imag a
    e:bool[5] = is_finite d
    f:bool[5] = and c e
  in (f,) })");
}

}  // namespace
}  // namespace tenon::test
