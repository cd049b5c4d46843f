// custom_linear_solve, custom_root: values, derivatives of all kinds, under every transformation, and what mistakes say.
// Printed programs and values against JAX: library/solve_programs.py.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "support/expect_error.h"
#include "tenon/testkit.h"

namespace tenon {
namespace {

using Floats = std::vector<float>;
Floats floats(const Array& x) { return x.to_vector<float>(); }
using Map = lax::SelfMap<Array>;

// A loop that has no reverse derivative.
Array conjugate_gradients(const Map& matvec, Array b) {
  using State = std::tuple<Array, Array, Array, Array>;
  auto step = [&](const State& state) {
    const auto& [x, r, p, rr] = state;
    const Array ap = matvec(p), alpha = rr / jnp::dot(p, ap), rest = r - alpha * ap, after = jnp::dot(rest, rest);
    return State{x + alpha * p, rest, rest + after / rr * p, after};
  };
  return std::get<0>(lax::while_loop([](const State& s) { return std::get<3>(s) > 1e-12; }, step, State{jnp::zeros_like(b), b, b, jnp::dot(b, b)}));
}
Array matrix() { return jnp::array({{4.0, 1.0, 0.0}, {1.0, 3.0, 1.0}, {0.0, 1.0, 5.0}}); }
Array cg(Array m, Array b) {
  return lax::custom_linear_solve([m](Array v) { return jnp::matmul(m, v); }, b, conjugate_gradients, {.symmetric = true});
}
// sum(x) by m is -y x^T with m^T y = 1, and by b it is y.
void expect_solution(const Array& x, const Array& m, const Array& b) {
  EXPECT_TRUE(bool(jnp::allclose(jnp::matmul(m, x), b, 1e-4, 1e-4))) << x.str();
}

TEST(LinearSolve, DerivativesComeFromTheEquation) {
  const Array m = matrix(), b = jnp::array({1.0, 2.0, 3.0}), ones = jnp::ones({3});
  const Array x = cg(m, b), y = cg(m, ones);
  expect_solution(x, m, b);
  auto loss = [](Array m, Array b) { return jnp::sum(cg(m, b)); };
  for (const auto& [by_m, by_b] : {grad<0, 1>(loss)(m, b), jit(grad<0, 1>(loss))(m, b), grad<0, 1>(jit(loss))(m, b)}) {
    EXPECT_TRUE(bool(jnp::allclose(by_m, -jnp::outer(y, x), 1e-4, 1e-5))) << by_m.str();
    EXPECT_TRUE(bool(jnp::allclose(by_b, y, 1e-4, 1e-5))) << by_b.str();
  }
  // Forwards: m dx = db - dm x.
  const auto [value, change] = jvp(cg, std::tuple{m, b}, std::tuple{m, ones});
  expect_solution(change, m, ones - jnp::matmul(m, x));
  EXPECT_TRUE(bool(jnp::allclose(jacfwd<1>(cg)(m, b), jacrev<1>(cg)(m, b), 1e-4, 1e-5)));
  // Twice: sum(x) is linear in b, and d2/db2 of sum(x^2) is 2 m^-1 m^-T.
  auto squares = [m](Array b) { return jnp::sum(jnp::square(cg(m, b))); };
  const Array inverse = jacfwd<1>(cg)(m, b);
  EXPECT_TRUE(bool(jnp::allclose(hessian(squares)(b), 2.0 * jnp::matmul(inverse.T(), inverse), 1e-3, 1e-4)));
}

TEST(LinearSolve, UnderBatchesBranchesAndLoops) {
  const Array m = matrix(), b = jnp::array({1.0, 2.0, 3.0}), many = jnp::stack({b, 2.0 * b});
  EXPECT_TRUE(bool(jnp::allclose(vmap(cg, {.in_axes = {none, 0}})(m, many), jnp::stack({cg(m, b), 2.0 * cg(m, b)}), 1e-4, 1e-5)));
  auto loss = [](Array m, Array b) { return jnp::sum(cg(m, b)); };
  const Array of_one = grad(loss)(m, b);
  EXPECT_TRUE(bool(jnp::allclose(vmap(grad(loss))(jnp::stack({m, m}), jnp::stack({b, b})), jnp::stack({of_one, of_one}), 1e-4, 1e-5)));
  EXPECT_TRUE(bool(jnp::allclose(jit(vmap(grad(loss), {.in_axes = {0, none}}))(jnp::stack({m, m}), b), jnp::stack({of_one, of_one}), 1e-4, 1e-5)));
  auto in_cond = [](Array m, Array b) { return jnp::sum(lax::cond(b[0] > 0, cg, [](Array, Array b) { return b; }, m, b)); };
  EXPECT_TRUE(bool(jnp::allclose(grad(in_cond)(m, b), of_one, 1e-4, 1e-5)));
  auto in_scan = [](Array m, Array b) {
    return jnp::sum(lax::scan([m](Array c, Empty) { return std::pair{cg(m, c), Empty{}}; }, b, Empty{}, 2).first);
  };
  auto twice = [](Array m, Array b) { return jnp::sum(cg(m, cg(m, b))); };
  EXPECT_TRUE(bool(jnp::allclose(grad(in_scan)(m, b), grad(twice)(m, b), 1e-4, 1e-5)));
}

TEST(LinearSolve, TreesAndMoreBesideTheSolution) {
  using Pair = std::map<std::string, Array>;
  auto matvec = [](const Pair& v) { return Pair{{"u", 2.0 * v.at("u")}, {"w", 4.0 * v.at("w")}}; };
  auto solve = [](const lax::SelfMap<Pair>& f, const Pair& b) {
    const Pair d = f({{"u", jnp::ones_like(b.at("u"))}, {"w", jnp::ones_like(b.at("w"))}});
    return std::pair{Pair{{"u", b.at("u") / d.at("u")}, {"w", b.at("w") / d.at("w")}}, std::tuple{jnp::int32(7), b.at("u")}};
  };
  const Pair b{{"u", jnp::ones({2})}, {"w", Array(3.0)}};
  const auto [x, more] = lax::custom_linear_solve(matvec, b, solve, has_aux, {.symmetric = true});
  EXPECT_EQ(floats(x.at("u")), (Floats{0.5, 0.5}));
  EXPECT_EQ(float(x.at("w")), 0.75f);
  EXPECT_EQ(int(std::get<0>(more)), 7);
  auto loss = [&](Pair b) {
    const auto [x, more] = lax::custom_linear_solve(matvec, b, solve, solve, has_aux);
    return jnp::sum(x.at("u")) + x.at("w");
  };
  const Pair g = grad(loss)(b);
  EXPECT_EQ(floats(g.at("u")), (Floats{0.5, 0.5}));
  EXPECT_EQ(float(g.at("w")), 0.25f);
}

TEST(LinearSolve, MistakesAreNamed) {
  auto over_ones = [](const Map& f, Array b) { return b / f(jnp::ones_like(b)); };
  const Array b = jnp::ones({2});
  EXPECT_ERROR(TypeError, lax::custom_linear_solve([](Array v) { return v[0]; }, b, over_ones),
               "custom_linear_solve: matvec must give the types of b: b is f32[2] and its result is f32[] (the shapes differ)");
  EXPECT_ERROR(TypeError, lax::custom_linear_solve([](Array v) { return v; }, b, [](const Map&, Array b) { return b > 0; }),
               "custom_linear_solve: solve must give the types of b: b is f32[2] and its result is bool[2] (the dtypes differ)");
  using List = std::vector<Array>;
  auto shorter = [](const List& v) { return List{v[0]}; };
  EXPECT_ERROR_HAS(TypeError, lax::custom_linear_solve(shorter, List{b, b}, [](const auto&, const List& v) { return v; }),
                   "matvec must give a tree of the structure of b; got 1 arrays [0] where b has 2 [0] and [1]");
  auto forwards = [&](Array a) { return jnp::sum(lax::custom_linear_solve([a](Array v) { return a * v; }, b, over_ones)); };
  EXPECT_EQ(float(jvp(forwards, std::tuple{2.0}, std::tuple{1.0}).second), -0.5f);
  EXPECT_ERROR_HAS(TypeError, grad(forwards)(2.0), "give transpose_solve, or set symmetric");
}

Array newton(const Map& f, Array x) {
  auto step = [&](Array v) { return v - f(v) / grad(f)(v); };
  return lax::while_loop([&](Array v) { return jnp::abs(f(v)) > 1e-5; }, step, x);
}
Array square_root(Array a) {
  return lax::custom_root([a](Array x) { return x * x - a; }, jnp::float32(1), newton, [](const Map& g, Array y) { return y / g(1.0); });
}

TEST(Root, DerivativesComeFromTheImplicitFunctionTheorem) {
  EXPECT_NEAR(float(square_root(2.0)), std::sqrt(2.0), 1e-5);
  for (const Array& slope : {grad(square_root)(2.0), jit(grad(square_root))(2.0), grad(jit(square_root))(2.0), jacfwd(square_root)(2.0),
                             jvp(square_root, std::tuple{2.0}, std::tuple{1.0}).second})
    EXPECT_NEAR(float(slope), 0.5 / std::sqrt(2.0), 1e-5);
  EXPECT_NEAR(float(grad(grad(square_root))(2.0)), -0.25 / std::pow(2.0, 1.5), 1e-5);
  EXPECT_NEAR(float(hessian(square_root)(2.0)), -0.25 / std::pow(2.0, 1.5), 1e-5);
  const Array many = jnp::array({2.0, 3.0});
  EXPECT_NEAR(float(vmap(square_root)(many)[1]), std::sqrt(3.0), 1e-5);
  EXPECT_NEAR(float(vmap(grad(square_root))(many)[1]), 0.5 / std::sqrt(3.0), 1e-5);
  EXPECT_NEAR(float(jit(vmap(grad(square_root)))(many)[1]), 0.5 / std::sqrt(3.0), 1e-5);
  EXPECT_NEAR(float(grad([](Array v) { return jnp::sum(vmap(square_root)(v)); })(many)[1]), 0.5 / std::sqrt(3.0), 1e-5);
  // x -> sqrt(sqrt(x)), by a loop and behind a branch.
  auto fourth = [](Array a) { return lax::scan([](Array c, Empty) { return std::pair{square_root(c), Empty{}}; }, a, Empty{}, 2).first; };
  EXPECT_NEAR(float(grad(fourth)(jnp::float32(2))), 0.25 * std::pow(2.0, -0.75), 1e-4);
  auto branch = [](Array a) { return lax::cond(a > 0, square_root, [](Array v) { return v; }, a); };
  EXPECT_NEAR(float(grad(branch)(jnp::float32(2))), 0.5 / std::sqrt(2.0), 1e-5);
}

TEST(Root, OfSystemsByJacobians) {
  // x0 x1 = a, x0 + x1 = 3.
  auto solution = [](Array a) {
    auto f = [a](Array x) { return jnp::stack({x[0] * x[1] - a, x[0] + x[1] - 3.0}); };
    auto two_by_two = [](const Map& g, Array y) {
      const Array m = jacfwd(g)(y);
      const Array determinant = m[0][0] * m[1][1] - m[0][1] * m[1][0];
      return jnp::stack({m[1][1] * y[0] - m[0][1] * y[1], m[0][0] * y[1] - m[1][0] * y[0]}) / determinant;
    };
    auto solve = [](const Map& f, Array x) {
      return lax::fori_loop(0, 8, [&](Array, Array v) {
        const Array value = f(v);
        // Newton's step by the same 2 x 2 solver: the map is linear.
        const Array m = jacfwd(f)(v);
        const Array determinant = m[0][0] * m[1][1] - m[0][1] * m[1][0];
        return v - jnp::stack({m[1][1] * value[0] - m[0][1] * value[1], m[0][0] * value[1] - m[1][0] * value[0]}) / determinant;
      }, x);
    };
    return lax::custom_root(f, jnp::array({1.0, 2.5}), solve, two_by_two);
  };
  EXPECT_NEAR(float(solution(2.0)[0]), 1, 1e-4);
  EXPECT_NEAR(float(solution(2.0)[1]), 2, 1e-4);
  // dx1 (x0 - x1) = da, dx0 = -dx1.
  EXPECT_NEAR(float(jacfwd(solution)(2.0)[0]), 1, 1e-3);
  EXPECT_NEAR(float(jacrev(solution)(2.0)[1]), -1, 1e-3);
  EXPECT_NEAR(float(jit(jacrev(solution))(2.0)[1]), -1, 1e-3);
}

TEST(Root, MoreBesideTheSolutionAndMistakes) {
  auto with_steps = [](const Map& f, Array x) { return std::pair{newton(f, x), jnp::int32(3)}; };
  auto divide = [](const Map& g, Array y) { return y / g(1.0); };
  auto root = [&](Array a) { return lax::custom_root([a](Array x) { return x * x - a; }, jnp::float32(1), with_steps, divide, has_aux); };
  EXPECT_EQ(int(root(4.0).second), 3);
  EXPECT_NEAR(float(grad([&](Array a) { return root(a).first; })(4.0)), 0.25, 1e-5);
  EXPECT_ERROR(TypeError, lax::custom_root([](Array x) { return jnp::stack({x, x}); }, jnp::float32(1), newton, divide),
               "custom_root: f must give the types of initial_guess: initial_guess is f32[] and its result is f32[2] (the shapes differ)");
  EXPECT_ERROR_HAS(TypeError, lax::custom_root([](Array x) { return x; }, jnp::float32(1), newton, [](const Map&, Array) { return jnp::ones({2}); }),
                   "tangent_solve must give the types of initial_guess");
}

}  // namespace
}  // namespace tenon
