// Solutions of equations as parts of programs, in the spelling of jax.lax: their derivatives come from the equation at its
// solution, and not from the steps of the solver.
#pragma once

#include "tenon/control_flow.h"

#pragma GCC visibility push(default)

namespace tenon {

namespace detail {

/// A function from trees to trees like them, with the types erased.
class FlatMap : public RefCounted {
 public:
  virtual ErasedTree call(const Arrays& leaves) const = 0;
};
using FlatMapRef = Ref<const FlatMap>;
template <class T, class F>
class FlatMapOf final : public FlatMap {
 public:
  FlatMapOf(F f, T like) : f_(std::move(f)), like_(std::move(like)) {}
  ErasedTree call(const Arrays& leaves) const override { return erase(static_cast<T>(f_(with_leaves(like_, leaves)))); }

 private:
  mutable F f_;
  T like_;
};

}  // namespace detail

namespace lax {

/// What a solver is given: a function from trees of type T to trees like them. Transformations take it like any function.
template <class T>
class SelfMap {
 public:
  using tenon_signature = T(T);
  SelfMap(detail::FlatMapRef map, T like) : map_(std::move(map)), like_(std::move(like)) {}
  T operator()(const T& x) const { return detail::with_leaves(like_, map_->call(tree::leaves(x)).leaves); }

 private:
  detail::FlatMapRef map_;
  T like_;
};

}  // namespace lax

namespace detail {

/// What a solver gave: the solution and what comes beside it.
using Solution = Step;
using Solver = FunctionRef<Solution(const FlatMapRef& map, const Arrays& leaves)>;
struct Solved {
  Arrays solution;
  FlatResult aux;
};
/// `transpose_solve`: null where there is none.
Solved custom_linear_solve(const FlatMapRef& matvec, const ErasedTree& b, Solver solve, const Solver* transpose_solve, const Loc& loc, bool symmetric);
Solved custom_root(const FlatMapRef& f, const ErasedTree& guess, Solver solve, Solver tangent_solve, bool aux, const Loc& loc);

template <bool aux, class T, class S>
auto solver_of(S& solve, const T& like) {
  return [&solve, &like](const FlatMapRef& map, const Arrays& leaves) -> Solution {
    auto result = solve(lax::SelfMap<T>(map, like), with_leaves(like, leaves));
    if constexpr (aux) {
      static_assert(requires { std::get<0>(result); std::get<1>(result); }, "tenon: with has_aux a solver returns a pair {solution, more}");
      return {erase(static_cast<T>(std::get<0>(result))), outcome_of<lift_t<decltype(std::get<1>(result))>>(std::get<1>(result))};
    } else {
      return {erase(static_cast<T>(std::move(result))), {}};
    }
  };
}
template <bool aux, class T, class S>
auto typed_solution(Solved solved, const T& like) {
  T solution = with_leaves(like, solved.solution);
  if constexpr (aux) {
    using Result = std::invoke_result_t<S&, lax::SelfMap<T>, T>;
    using Aux = lift_t<std::tuple_element_t<1, Result>>;
    return std::pair<T, Aux>(std::move(solution), unflatten_result<Aux>(std::move(solved.aux)));
  } else {
    return solution;
  }
}
template <bool aux, class M, class B, class S, class T>
auto linear_solution(M matvec, const B& b, S solve, T* transpose_solve, bool symmetric, const Loc& loc) {
  using Tree = lift_t<B>;
  const Tree like(b);
  auto run = solver_of<aux>(solve, like);
  auto call = [&](const Solver* transposed) {
    const FlatMapRef map = make_ref<FlatMapOf<Tree, M>>(std::move(matvec), like);
    return typed_solution<aux, Tree, S>(custom_linear_solve(map, erase(like), run, transposed, loc, symmetric), like);
  };
  if constexpr (std::is_same_v<T, std::nullptr_t>) return call(nullptr);
  else {
    auto run_transposed = solver_of<aux>(*transpose_solve, like);
    const Solver transposed = run_transposed;
    return call(&transposed);
  }
}

}  // namespace detail

namespace lax {

struct LinearSolveOptions {
  TENON_NAMED;
  /// matvec is its own transpose: solve solves the transposed equation, too.
  bool symmetric = false;
};

/// x with matvec(x) = b, as `solve` finds it; its derivatives are solutions of the same equation with another right side.
///
///   matvec           linear, from trees like b to trees like b
///   b                a tree of arrays
///   solve            (matvec, b) -> x. It may use loops that have no derivative: it is not differentiated
///   transpose_solve  the same of the transposed equation, (vecmat, b) -> x: reverse derivatives need it, unless symmetric is set
///   result           x, a tree like b; with has_aux, where solve and transpose_solve return pairs {x, more}, the pair {x, more}
///
/// Functions are called to trace them, and may use arrays from around them. Throws TypeError that names the leaf where a result
/// is not like b, and TypeError for a reverse derivative without transpose_solve.
/// Source: jax.lax.custom_linear_solve.
///
///     auto solve = [](const lax::SelfMap<Array>& matvec, Array b) { return conjugate_gradients(matvec, b); };
///     Array x = lax::custom_linear_solve([m](Array v) { return jnp::dot(m, v); }, b, solve, {.symmetric = true});
template <class M, class B, class S>
auto custom_linear_solve(M matvec, const B& b, S solve, const LinearSolveOptions& options = {}, Loc loc = Loc::current()) {
  return detail::linear_solution<false>(std::move(matvec), b, std::move(solve), static_cast<std::nullptr_t*>(nullptr), options.symmetric, loc);
}
template <class M, class B, class S, class T>
  requires std::is_invocable_v<T&, SelfMap<detail::lift_t<B>>, detail::lift_t<B>>
auto custom_linear_solve(M matvec, const B& b, S solve, T transpose_solve, const LinearSolveOptions& options = {}, Loc loc = Loc::current()) {
  return detail::linear_solution<false>(std::move(matvec), b, std::move(solve), &transpose_solve, options.symmetric, loc);
}
template <class M, class B, class S>
auto custom_linear_solve(M matvec, const B& b, S solve, HasAux, const LinearSolveOptions& options = {}, Loc loc = Loc::current()) {
  return detail::linear_solution<true>(std::move(matvec), b, std::move(solve), static_cast<std::nullptr_t*>(nullptr), options.symmetric, loc);
}
template <class M, class B, class S, class T>
  requires std::is_invocable_v<T&, SelfMap<detail::lift_t<B>>, detail::lift_t<B>>
auto custom_linear_solve(M matvec, const B& b, S solve, T transpose_solve, HasAux, const LinearSolveOptions& options = {},
                         Loc loc = Loc::current()) {
  return detail::linear_solution<true>(std::move(matvec), b, std::move(solve), &transpose_solve, options.symmetric, loc);
}

/// x with f(x) = 0, as `solve` finds it; its derivatives, by what f captures, come from the implicit function theorem.
///
///   f              from trees like initial_guess to trees like it
///   initial_guess  a tree of arrays; x does not depend on it, as far as derivatives know
///   solve          (f, initial_guess) -> x. It may use loops that have no derivative: it is not differentiated
///   tangent_solve  (g, y) -> x with g(x) = y, for the linear function g that f is near its root: [](auto g, Array y) { return y / g(1.0); }
///                  where they are scalars. Reverse derivatives transpose it, second ones differentiate it
///   result         x; with has_aux, where solve returns a pair {x, more}, the pair {x, more}
///
/// Functions are called to trace them. Throws TypeError that names the leaf where a result is not like initial_guess.
/// Source: jax.lax.custom_root.
///
///     Array root = lax::custom_root([a](Array x) { return x * x - a; }, 1.0, newton, [](auto g, Array y) { return y / g(1.0); });
template <class F, class X, class S, class T>
auto custom_root(F f, const X& initial_guess, S solve, T tangent_solve, Loc loc = Loc::current()) {
  using Tree = detail::lift_t<X>;
  const Tree like(initial_guess);
  auto run = detail::solver_of<false>(solve, like);
  auto run_tangent = detail::solver_of<false>(tangent_solve, like);
  return detail::typed_solution<false, Tree, S>(
      detail::custom_root(detail::make_ref<detail::FlatMapOf<Tree, F>>(std::move(f), like), detail::erase(like), run, run_tangent, false, loc), like);
}
template <class F, class X, class S, class T>
auto custom_root(F f, const X& initial_guess, S solve, T tangent_solve, HasAux, Loc loc = Loc::current()) {
  using Tree = detail::lift_t<X>;
  const Tree like(initial_guess);
  auto run = detail::solver_of<true>(solve, like);
  auto run_tangent = detail::solver_of<false>(tangent_solve, like);
  return detail::typed_solution<true, Tree, S>(
      detail::custom_root(detail::make_ref<detail::FlatMapOf<Tree, F>>(std::move(f), like), detail::erase(like), run, run_tangent, true, loc), like);
}

}  // namespace lax
}  // namespace tenon

#pragma GCC visibility pop
