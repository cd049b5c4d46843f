// A user's program that takes each transformation once: their templates must compile with every compiler.
#include <tenon/tenon.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <tuple>
#include <utility>
#include <vector>

using namespace tenon;

static int failures = 0;
static void expect(const char* what, const Array& got, const Array& want) {
  if (bool(jnp::allclose(got, want, 1e-5, 1e-5))) return;
  ++failures;
  std::printf("%s: %s, not %s\n", what, got.str().c_str(), want.str().c_str());
}

struct Point {  // a tree without registration
  Array x, y;
  int order = 2;
};
static Array cube(Array x) { return x * x * x; }
static Array norm(const Point& p) { return jnp::sum(p.x * p.x + p.order * p.y); }

static void derivatives(const Array& x) {
  const Array slope = 3.0 * x * x;
  const auto total = [](Array v) { return jnp::sum(v * v * v); };
  const auto [y, dy] = jvp(cube, std::tuple{x}, std::tuple{jnp::ones_like(x)});
  expect("jvp, value", y, cube(x));
  expect("jvp", dy, slope);
  const auto [z, pull] = vjp(cube, x);
  expect("vjp", std::get<0>(pull(jnp::ones_like(z))), slope);
  const auto [w, push] = linearize(cube, x);
  expect("linearize", push(jnp::ones_like(w)), slope);
  expect("grad", grad(total)(x), slope);
  expect("grad of a function pointer", grad(cube)(2.0), 12.0);
  expect("grad of std::function", grad(std::function<Array(Array)>(total))(x), slope);
  const Point p{x, 2.0 * x};
  const Point g = grad(norm)(p);
  expect("grad by a tree", g.x + g.y, 2.0 * x + 2.0);
  const auto [value, gradients] = value_and_grad<0, 1>([](Array a, Array b) { return jnp::dot(a, b); })(x, 2.0 * x);
  expect("value_and_grad", value, jnp::dot(x, 2.0 * x));
  expect("value_and_grad, gradients", std::get<0>(gradients) - std::get<1>(gradients), x);
  const auto with_more = [](Array v) { return std::pair{jnp::sum(v * v), v + 1.0}; };
  const auto [gradient, more] = grad(with_more, has_aux)(x);
  expect("has_aux", gradient - more, x - 1.0);
  expect("jacfwd", jacfwd(cube)(x), jnp::diag(slope));
  expect("jacrev", jacrev(cube)(x), jnp::diag(slope));
  expect("hessian", hessian(total)(x), jnp::diag(6.0 * x));
  expect("vmap", vmap(grad(cube))(x), slope);
  expect("vmap with axes", vmap([](Array a, Array b) { return a * b; }, {.in_axes = {0, none}})(x, 2.0), 2.0 * x);
  expect("checkpoint", grad(checkpoint(total))(x), slope);
  expect("jit", jit(value_and_grad(total))(x).second, slope);
}

static void rules(const Array& x) {
  const auto twice = custom_jvp([](Array v) { return 2.0 * v; }, [](Array v, Array t) { return std::pair{2.0 * v, 5.0 * t}; });
  expect("custom_jvp", grad([=](Array v) { return jnp::sum(twice(v)); })(x), jnp::full_like(x, 5.0));
  const auto clipped = custom_vjp([](Array v, int) { return v; }, [](Array v, int n) { return std::pair{v, jnp::float32(n)}; },
                                  [](Array n, Array ct) { return std::tuple{n * ct, 0}; });
  expect("custom_vjp", jit(grad([=](Array v) { return jnp::sum(clipped(v, 7)); }))(x), jnp::full_like(x, 7.0));
}

static void control(const Array& x) {
  const auto sums = [](Array v) {
    return lax::scan([](Array c, Array t) { return std::pair{c + t, c * t}; }, 0.0, v);
  };
  expect("scan", sums(x).first, jnp::sum(x));
  expect("grad of scan", grad([=](Array v) { return jnp::sum(sums(v).second); })(x), jnp::sum(x) - x);
  const auto pick = [](Array v) { return lax::cond(v > 1.5, [](Array t) { return t * t; }, [](Array t) { return -t; }, v); };
  expect("cond", vmap(pick)(x), jnp::where(x > 1.5, x * x, -x));
  expect("switch_", lax::switch_(1, std::tuple{[](Array v) { return v; }, [](Array v) { return v + 1.0; }}, x), x + 1.0);
  using Count = std::pair<Array, Array>;
  const auto doubled = lax::while_loop([](Count c) { return c.first < 3; }, [](Count c) { return Count{c.first + 1, c.second * 2}; }, Count{0, x});
  expect("while_loop", doubled.second, 8.0 * x);
  expect("fori_loop", grad([](Array v) { return lax::fori_loop(0, 3, [v](Array, Array a) { return a * v; }, 1.0); })(2.0), 12.0);
  expect("map", lax::map([](Array v) { return v * v; }, x), x * x);
  expect("associative_scan", lax::associative_scan([](Array a, Array b) { return a * b; }, x), jnp::cumprod(x));
}

int main() {
  const Array x = jnp::array({1.0f, 2.0f, 3.0f});
  derivatives(x);
  rules(x);
  control(x);
  return failures == 0 ? 0 : 1;
}
