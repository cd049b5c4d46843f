// Two solvers whose loops end when the residual is small. Newton's method takes the Jacobian from jacfwd and solves
// with it directly; conjugate gradients know a matrix only as a function that multiplies by it: the Hessian of an
// energy, by jvp of its gradient.
#include <tenon/tenon.h>

#include <cstdio>

using namespace tenon;

static constexpr int64_t kSize = 32, kMaxSteps = 200;
static constexpr double kTolerance = 1e-12;

// Steady heat in a rod whose conductivity grows with temperature: flows out of each cell, less the heat made there.
static Array imbalance(Array u) {
  Array walled = jnp::pad(u, {{1, 1}});
  Array conductivity = 1.0 + jnp::square(0.5 * (walled(slice(1, {})) + walled(slice({}, -1))));
  Array flow = conductivity * jnp::diff(walled) * static_cast<double>(kSize + 1);
  return jnp::diff(flow) * static_cast<double>(kSize + 1) + 10.0 * jnp::exp(-u);
}

// Gauss and Jordan on [matrix, right side], row by row with pivots.
static Array solve(Array matrix, Array right) {
  const int64_t n = right.shape()[0];
  Array rows = jnp::arange(n);
  Array both = lax::fori_loop(0, n, [&](Array k, Array m) {
    Array candidates = jnp::where(rows >= k, jnp::abs(m(all, k)), -1.0);
    Array pivot = jnp::argmax(candidates);
    Array row = m(pivot) / m(pivot, k);
    m = m.at(pivot).set(m(k));
    m = m - m(all, k)(all, newaxis) * row;
    return m.at(k).set(row);
  }, jnp::concatenate({matrix, right(all, newaxis)}, 1));
  return both(all, -1);
}

struct Iterate { Array x, residual, steps; };
static Array goes_on(Iterate i) { return (jnp::max(jnp::abs(i.residual)) > kTolerance * 1e3) & (i.steps < kMaxSteps); }

static Iterate newton(Array start) {
  return lax::while_loop(goes_on, [](Iterate i) {
    Array x = i.x - solve(jacfwd(imbalance)(i.x), i.residual);
    return Iterate{x, imbalance(x), i.steps + 1};
  }, Iterate{start, imbalance(start), 0});
}

struct Descent { Array x, residual, direction, squared, steps; };

// x with a(x) = b, for a linear map that is symmetric and positive.
template <class Map>
static Descent conjugate_gradients(Map a, Array b) {
  auto next = [=](Descent d) {
    Array image = a(d.direction), rate = d.squared / jnp::dot(d.direction, image);
    Array residual = d.residual - rate * image, squared = jnp::dot(residual, residual);
    return Descent{d.x + rate * d.direction, residual, residual + squared / d.squared * d.direction, squared, d.steps + 1};
  };
  Array squared = jnp::dot(b, b);
  return lax::while_loop([=](Descent d) { return (d.squared > kTolerance * kTolerance * squared) & (d.steps < kMaxSteps); }, next,
                         Descent{jnp::zeros_like(b), b, b, squared, 0});
}

// Springs that stiffen, and a load.
static Array energy(Array u) {
  Array stretch = jnp::diff(jnp::pad(u, {{1, 1}}));
  return jnp::sum(jnp::square(stretch) + jnp::square(jnp::square(stretch)));
}
static Array hessian_product(Array u, Array v) { return jvp(grad(energy), std::tuple{u}, std::tuple{v}).second; }
static Descent spring_step(Array u, Array load) {
  return conjugate_gradients([=](Array v) { return hessian_product(u, v); }, load);
}

int main() {
  try {
    config::update("enable_x64", true);
    Iterate heat = jit(newton)(jnp::zeros({kSize}));
    double imbalance_left = jnp::max(jnp::abs(imbalance(heat.x))).item();
    std::printf("Newton: %d steps, hottest %.6f, residual %.1e\n", heat.steps.item<int>(), jnp::max(heat.x).item(), imbalance_left);

    Array u = jnp::sin(jnp::arange(static_cast<double>(kSize))), load = jnp::linspace(1.0, 2.0, kSize);
    Descent d = jit(spring_step)(u, load);
    double residual = (jnp::max(jnp::abs(hessian_product(u, d.x) - load)) / jnp::max(load)).item();
    double to_direct = jnp::max(jnp::abs(d.x - jit(solve)(hessian(energy)(u), load))).item();
    std::printf("conjugate gradients: %d steps, relative residual %.1e, from a direct solution %.1e\n", d.steps.item<int>(), residual, to_direct);
    return imbalance_left < 1e-9 && heat.steps.item() < 15 && residual < 1e-10 && to_direct < 1e-9 ? 0 : 1;
  } catch (const Error& e) {
    std::fprintf(stderr, "newton_cg: %s\n", e.what());
    return 2;
  }
}
