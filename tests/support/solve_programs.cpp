// The programs of library/solve_programs.py.
#include <map>

#include "tenon/tenon.h"

#include "support/program_list.h"  // last: it defines P and A

namespace tenon::test {
namespace {

Aval F(std::initializer_list<int64_t> shape = {}) { return of(DType::kFloat32, shape); }
Aval B(std::initializer_list<int64_t> shape = {}) { return of(DType::kBool, shape); }

using Map = lax::SelfMap<Array>;
Array over_ones(const Map& matvec, Array b) { return b / matvec(jnp::ones_like(b)); }
std::pair<Array, Array> with_sum(const Map& matvec, Array b) { return {b / matvec(jnp::ones_like(b)), b.sum()}; }
Array diagonal(Array a, Array b) {
  return lax::custom_linear_solve([a](Array x) { return a * x; }, b, over_ones, over_ones);
}
Array symmetric(Array a, Array b) {
  return lax::custom_linear_solve([a](Array x) { return a * x; }, b, over_ones, {.symmetric = true});
}

using Two = std::tuple<Array, Array>;
Two of_tree(Array a, Array b) {
  auto solve = [](const lax::SelfMap<Two>& matvec, const Two& right) {
    const auto& [first, second] = right;
    const auto [d, e] = matvec({jnp::ones_like(first), jnp::ones_like(second)});
    return Two{first / d, second / e};
  };
  auto matvec = [a](const Two& x) { return Two{a * std::get<0>(x), std::get<1>(x) / a}; };
  return lax::custom_linear_solve(matvec, Two{b, a}, solve, solve);
}
Arrays list(const Two& x) { return {std::get<0>(x), std::get<1>(x)}; }
template <class T>
Arrays list(const std::pair<T, T>& x) {
  return {x.first, x.second};
}

Array conjugate_gradients(const Map& matvec, Array b) {
  using State = std::tuple<Array, Array, Array, Array>;
  auto step = [&](const State& state) {
    const auto& [x, r, p, rr] = state;
    const Array ap = matvec(p);
    const Array alpha = rr / jnp::dot(p, ap);
    const Array rest = r - alpha * ap;
    const Array next = x + alpha * p, direction = rest + jnp::dot(rest, rest) / rr * p;
    return State{next, rest, direction, jnp::dot(rest, rest)};
  };
  const State start{jnp::zeros_like(b), b, b, jnp::dot(b, b)};
  return std::get<0>(lax::while_loop([](const State& state) { return std::get<3>(state) > 1e-6; }, step, start));
}
Array cg(Array a, Array b) {
  static const float nine[9] = {9, 0, 0, 0, 9, 0, 0, 0, 9};
  static const Array eye = device_put(HostView(nine, Shape{3, 3}));
  auto matvec = [a](Array x) {
    const Array normal = jnp::matmul(a.T(), jnp::matmul(a, x));
    return normal + jnp::matmul(eye, x);
  };
  return lax::custom_linear_solve(matvec, b, conjugate_gradients, {.symmetric = true});
}

Array newton(const Map& f, Array x) {
  return lax::fori_loop(0, 6, [&](Array, Array v) { return v - f(v) / 3.0; }, x);
}
Array square_root(Array a) {
  return lax::custom_root([a](Array x) { return x * x - a; }, 1.5, newton, [](const Map& g, Array y) { return y / g(1.0); });
}
Array of_vector(Array a) {
  return lax::custom_root([a](Array x) { return x * 2.0 - jnp::cos(a); }, jnp::zeros_like(a), newton,
                          [](const Map& g, Array y) { return y / g(jnp::ones_like(y)); });
}
std::pair<Array, Array> with_steps(Array a) {
  auto solve = [](const Map& f, Array x) {
    const Array root = newton(f, x);
    return std::pair{root, x + 1.0};
  };
  return lax::custom_root([a](Array x) { return x * 2.0 - a; }, a, solve, [](const Map& g, Array y) { return y / g(1.0); }, has_aux);
}

using custom_batching::Batched;
Array sine(Array x, Array y) {
  static const auto f = custom_batching::custom_vmap([](Array x, Array y) { return jnp::sin(x) * y; }, {.name = "sine", .rule_name = "rule"})
                            .def_vmap([](int64_t, const Batched&, Array x, Array y) { return std::pair{jnp::cos(x) * y, true}; });
  return f(x, y);
}
Array one_by_one(Array x, Array y) {
  static const auto f = custom_batching::sequential_vmap([](Array x, Array y) { return jnp::sin(x) * y; });
  return f(x, y);
}
std::pair<Array, Array> captures(Array x, Array y) {
  using Out = std::map<std::string, Array>;
  auto half = [](int64_t, const Batched&, Array z) {
    return std::pair{Out{{"a", z}, {"b", z[0]}}, std::vector<bool>{true, false}};
  };
  auto f = custom_batching::custom_vmap([x](Array z) { return Out{{"a", z * x}, {"b", z}}; }, {.rule_name = "half"}).def_vmap(half);
  const Out out = f(y + 1.0);
  return {out.at("a"), out.at("b")};
}

}  // namespace

std::vector<Program> solve_programs() {
  return {
      P("linear_solve", A(diagonal(x, y)), F(), F({3})),
      P("linear_solve_forwards", A(lax::custom_linear_solve([a = x](Array v) { return a * v; }, y, over_ones)), F(), F({3})),
      P("linear_solve_symmetric", A(symmetric(x, y)), F(), F({3})),
      P("linear_solve_aux", list(lax::custom_linear_solve([a = x](Array v) { return a * v; }, y, with_sum, has_aux, {.symmetric = true})), F(), F({3})),
      P("linear_solve_tree", list(of_tree(x, y)), F({3}), F({3})),
      P("linear_solve_cg", A(cg(x, y)), F({3, 3}), F({3})),
      P("linear_solve_jvp", list(jvp(diagonal, std::tuple{x, y}, std::tuple{x, y})), F(), F({3})),
      P("linear_solve_jvp_b", list(jvp([a = x](Array c) { return diagonal(a, c); }, std::tuple{y}, std::tuple{y})), F(), F({3})),
      P("linear_solve_grad", list(grad<0, 1>([](Array a, Array b) { return diagonal(a, b).sum(); })(x, y)), F(), F({3})),
      P("linear_solve_cg_grad", list(grad<0, 1>([](Array a, Array b) { return cg(a, b).sum(); })(x, y)), F({3, 3}), F({3})),
      P("linear_solve_hessian", A(jacfwd(grad([b = y](Array a) { return symmetric(a, b).sum(); }))(x)), F(), F({3})),
      P("linear_solve_vmap_a", A(vmap(diagonal, {.in_axes = {0, none}})(x, y)), F({2}), F({3})),
      P("linear_solve_vmap_b", A(vmap(diagonal, {.in_axes = {none, 1}})(x, y)), F(), F({3, 2})),
      P("linear_solve_vmap_both", A(vmap(symmetric)(x, y)), F({2}), F({2, 3})),
      P("linear_solve_vmap_tree", list(vmap(of_tree, {.in_axes = {0, none}})(x, y)), F({2, 3}), F({3})),
      P("linear_solve_jit", A(jit(diagonal)(x, y) * 2), F(), F({3})),
      P("linear_solve_in_scan", A(lax::scan([a = x](Array c, Empty) { return std::pair{symmetric(a, c), Empty{}}; }, y, Empty{}, 2).first), F(), F({3})),
      P("linear_solve_in_cond", A(lax::cond(x, [a = y](Array c) { return diagonal(a, c); }, [](Array c) { return c; }, z)), B(), F(), F({3})),
      P("root", A(square_root(x)), F()),
      P("root_vector", A(of_vector(x)), F({3})),
      P("root_aux", list(with_steps(x)), F()),
      P("root_jvp", list(jvp(square_root, std::tuple{x}, std::tuple{x})), F()),
      P("root_vmap", A(vmap(square_root)(x)), F({3})),
      P("root_jit", A(jit(square_root)(x) + 1), F()),
      P("root_in_scan", A(lax::scan([](Array c, Empty) { return std::pair{of_vector(c), Empty{}}; }, x, Empty{}, 2).first), F({3})),
      P("custom_vmap", A(sine(x, y)), F(), F()),
      P("custom_vmap_batched", A(vmap(sine)(x, y)), F({3}), F({3})),
      P("custom_vmap_twice", A(vmap(vmap(sine))(x, y)), F({2, 3}), F({2, 3})),
      P("custom_vmap_jvp", list(jvp(sine, std::tuple{x, y}, std::tuple{x, y})), F(), F()),
      P("custom_vmap_jvp_batched", list(vmap([](Array a, Array b) { return jvp(sine, std::tuple{a, b}, std::tuple{a, b}); })(x, y)), F({3}), F({3})),
      P("custom_vmap_batched_jvp", list(jvp(vmap(sine), std::tuple{x, y}, std::tuple{x, y})), F({3}), F({3})),
      P("custom_vmap_captures", list(captures(x, y)), F(), F()),
      P("custom_vmap_unbatched", list(vmap([](Array, Array b) { return captures(1.0, b); }, {.out_axes = {0, none}})(x, y)), F({3}), F({3})),
      P("custom_vmap_jit", A(vmap(jit<sine>())(x, y)), F({3}), F({3})),
      P("custom_vmap_in_scan",
        A(vmap([](Array a, Array b) { return lax::scan([b](Array c, Empty) { return std::pair{sine(c, b), Empty{}}; }, a, Empty{}, 2).first; })(x, y)),
        F({3}), F({3})),
      P("custom_vmap_in_cond", A(vmap([k = x](Array a, Array b) { return lax::cond(k, sine, [](Array a, Array) { return a; }, a, b); })(y, z)), B(),
        F({3}), F({3})),
      P("sequential_vmap", A(vmap(one_by_one)(x, y)), F({3}), F({3})),
      P("sequential_vmap_one", A(vmap(one_by_one, {.in_axes = {0, none}})(x, y)), F({3}), F()),
      P("sequential_vmap_twice", A(vmap(vmap(one_by_one, {.in_axes = {0, none}}), {.in_axes = {none, 0}})(x, y)), F({3}), F({2})),
  };
}

}  // namespace tenon::test
