// A double pendulum in double precision. Only its Lagrangian is written down: the equations of motion are
// derivatives of it, solved by Runge-Kutta steps in a scan. Then the angles from which it has to be let go to be at
// a target half a second later are found by gradient descent through all the steps.
#include <tenon/tenon.h>

#include <chrono>
#include <cmath>
#include <cstdio>

using namespace tenon;

static constexpr double kGravity = 9.81, kStep = 1e-3;
static constexpr int64_t kSteps = 10000, kFlight = 500;  // how long energy is watched; until the target
static constexpr int kDescents = 400;
static constexpr double kRate = 0.4, kEnergyError = 1e-7, kMiss = 1e-7;

struct State { Array angle, speed; };  // f64[2] each: upper and lower arm, both of length 1 and mass 1

// Kinetic less potential energy.
static Array lagrangian(Array angle, Array speed) {
  Array v0 = speed(0), v1 = speed(1);
  Array kinetic = v0 * v0 + 0.5 * v1 * v1 + v0 * v1 * jnp::cos(angle(0) - angle(1));
  return kinetic + kGravity * (2.0 * jnp::cos(angle(0)) + jnp::cos(angle(1)));
}
static Array energy(State s) {
  return jnp::dot(s.speed, grad<1>(lagrangian)(s.angle, s.speed)) - lagrangian(s.angle, s.speed);
}

// Euler and Lagrange: (d2L / dv dv) a = dL / dq - (d2L / dv dq) v.
static State rate_of_change(State s) {
  Array mass = hessian<1>(lagrangian)(s.angle, s.speed);
  Array mixed = jacfwd<0>(grad<1>(lagrangian))(s.angle, s.speed);
  Array force = grad<0>(lagrangian)(s.angle, s.speed) - jnp::dot(mixed, s.speed);
  Array determinant = mass(0, 0) * mass(1, 1) - mass(0, 1) * mass(1, 0);
  Array acceleration = jnp::array({mass(1, 1) * force(0) - mass(0, 1) * force(1), mass(0, 0) * force(1) - mass(1, 0) * force(0)});
  return {s.speed, acceleration / determinant};
}

static State runge_kutta(State s) {
  auto moved = [&](double h, State r) { return tree::map([&](Array x, Array dx) { return x + h * dx; }, s, r); };
  State a = rate_of_change(s), b = rate_of_change(moved(kStep / 2, a)), c = rate_of_change(moved(kStep / 2, b)),
        d = rate_of_change(moved(kStep, c));
  return moved(kStep / 6, tree::map([](Array a, Array b, Array c, Array d) { return a + 2.0 * b + 2.0 * c + d; }, a, b, c, d));
}

// The last state, and the energy before each step.
static std::pair<State, Array> swing(State start, int64_t steps) {
  return lax::scan([](State s, Empty) { return std::pair{runge_kutta(s), energy(s)}; }, start, Empty{}, steps);
}
static State released(Array angle) { return {angle, jnp::zeros_like(angle)}; }
static Array tip(Array angle) { return jnp::array({jnp::sum(jnp::sin(angle)), -jnp::sum(jnp::cos(angle))}); }
static Array lands_at(Array angle) { return tip(swing(released(angle), kFlight).first.angle); }
static Array miss(Array angle, Array target) { return jnp::sum(jnp::square(lands_at(angle) - target)); }

static double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

int main() {
  try {
    config::update("enable_x64", true);

    auto watch = jit([](Array angle) { return swing(released(angle), kSteps); });
    auto start = std::chrono::steady_clock::now();
    auto [last, energies] = watch(jnp::array({2.0, 2.5}));
    Array error = jnp::max(jnp::abs(energies / energies(0) - 1.0));
    std::printf("%lld steps: angles %s, relative energy error %.1e; %.2f s with compilation\n", static_cast<long long>(kSteps),
                last.angle.str().c_str(), error.item(), seconds_since(start));

    Array truth = jnp::array({0.9, 0.4}), angle = jnp::array({0.6, 0.6});
    Array target = jit(lands_at)(truth);
    auto descend = jit([](Array angle, Array target) {
      auto [value, gradient] = value_and_grad(miss)(angle, target);
      return std::pair{angle - kRate * gradient, value};
    });
    start = std::chrono::steady_clock::now();
    descend(angle, target).second.item();
    double compile_seconds = seconds_since(start);
    start = std::chrono::steady_clock::now();
    Array value;
    for (int i = 0; i < kDescents; ++i) {
      std::tie(angle, value) = descend(angle, target);
      if (i % 100 == 0) std::printf("descent %3d: misses the target by %.2e\n", i, std::sqrt(value.item()));
    }
    double distance = std::sqrt(miss(angle, target).item());
    std::printf("let go at %s, misses by %.1e; first call %.2f s, %.2f ms each\n", angle.str().c_str(), distance, compile_seconds,
                1e3 * seconds_since(start) / kDescents);
    return error.item() < kEnergyError && distance < kMiss && jnp::allclose(angle, truth, 1e-5).item<bool>() ? 0 : 1;
  } catch (const Error& e) {
    std::fprintf(stderr, "double_pendulum: %s\n", e.what());
    return 2;
  }
}
