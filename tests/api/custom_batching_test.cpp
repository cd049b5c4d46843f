// custom_vmap and sequential_vmap: rules are used under vmap and nowhere else, in every transformation, and mistakes are named.
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
using custom_batching::Batched;
using custom_batching::custom_vmap;
using custom_batching::sequential_vmap;

TEST(CustomVmap, TheRuleIsForBatches) {
  std::vector<std::string> calls;
  auto rule = [&](int64_t size, const Batched& batched, Array xs, Array ys) {
    calls.push_back(std::to_string(size) + (batched[0] ? " x" : "") + (batched[1] ? " y" : ""));
    return std::pair{xs * ys, true};
  };
  auto f = custom_vmap([](Array x, Array y) { return x + y; }).def_vmap(rule);
  EXPECT_EQ(float(f(2.0, 3.0)), 5);
  EXPECT_EQ(float(jit(f)(2.0, 3.0)), 5);
  EXPECT_TRUE(calls.empty());
  const Array x = jnp::arange(3.0), y = jnp::arange(1.0, 4.0);
  EXPECT_EQ(floats(vmap(f)(x, y)), (Floats{0, 2, 6}));
  EXPECT_EQ(floats(jit(vmap(f))(x, y)), (Floats{0, 2, 6}));
  EXPECT_EQ(floats(vmap(jit(f))(x, y)), (Floats{0, 2, 6}));
  EXPECT_EQ(floats(vmap(f, {.in_axes = {0, none}})(x, 2.0)), (Floats{0, 2, 4}));
  EXPECT_EQ(floats(vmap(f, {.in_axes = {none, 0}})(2.0, x)), (Floats{0, 2, 4}));
  EXPECT_EQ(calls, (std::vector<std::string>{"3 x y", "3 x y", "3 x y", "3 x", "3 y"}));
  // Twice: the rule of the inner batch is batched itself.
  EXPECT_EQ(vmap(vmap(f))(jnp::ones({2, 3}), jnp::ones({2, 3})).shape(), Shape({2, 3}));
  // Nothing batched reaches it.
  EXPECT_EQ(floats(vmap([f](Array v) { return v + f(2.0, 3.0); })(x)), (Floats{5, 6, 7}));
  // In a loop, a branch and a checkpoint.
  auto loop = [f](Array a, Array b) { return lax::scan([f, b](Array c, Empty) { return std::pair{f(c, b), Empty{}}; }, a, Empty{}, 2).first; };
  EXPECT_EQ(float(loop(2.0, 3.0)), 8);
  EXPECT_EQ(floats(vmap(loop)(x, y)), (Floats{0, 4, 18}));
  auto branch = [f](Array a, Array b) { return lax::cond(a >= 0, f, [](Array a, Array) { return a; }, a, b); };
  EXPECT_EQ(floats(vmap(branch)(x, y)), (Floats{0, 2, 6}));
  EXPECT_EQ(floats(vmap(checkpoint(f))(x, y)), (Floats{0, 2, 6}));
}

TEST(CustomVmap, ForwardDerivativesDifferentiateTheRule) {
  auto f = custom_vmap([](Array x) { return jnp::sin(x); }, {.name = "f"}).def_vmap([](int64_t, const Batched&, Array x) { return std::pair{3.0 * x, true}; });
  EXPECT_NEAR(float(jvp(f, std::tuple{1.0}, std::tuple{2.0}).second), 2 * std::cos(1.0), 1e-6);
  EXPECT_NEAR(float(jacfwd([f](Array x) { return f(x) * 2.0; })(1.0)), 6, 1e-6);  // jacfwd is a vmap
  const Array x = jnp::arange(3.0);
  const auto [value, change] = jvp(vmap(f), std::tuple{x}, std::tuple{jnp::ones({3})});
  EXPECT_EQ(floats(change), (Floats{3, 3, 3}));
  auto along = [f](Array v) { return jvp(f, std::tuple{v}, std::tuple{Array(1.0)}).second; };  // a tangent that is not batched
  EXPECT_EQ(floats(vmap(along)(x)), (Floats{3, 3, 3}));
  EXPECT_EQ(floats(jit(vmap(along))(x)), (Floats{3, 3, 3}));
  EXPECT_ERROR_HAS(TypeError, grad([f](Array v) { return f(v); })(1.0), "f: reverse derivatives of a custom_vmap function do not exist");
  // With a rule for both.
  auto both = custom_vjp([f](Array v) { return f(v); }, [f](Array v) { return std::pair{f(v), v}; }, [](Array, Array ct) { return std::tuple{10.0 * ct}; });
  EXPECT_EQ(float(grad([both](Array v) { return both(v); })(1.0)), 10);
  EXPECT_EQ(floats(vmap([both](Array v) { return both(v); })(x)), (Floats{0, 3, 6}));
}

TEST(CustomVmap, TreesAndResultsThatAreNotBatched) {
  using Tree = std::map<std::string, std::vector<Array>>;
  auto f = custom_vmap([](Tree t, int power) { return Tree{{"s", {jnp::power(t["a"][0], power), t["a"][1]}}}; })
               .def_vmap([](int64_t, const Batched& batched, Tree t, int power) {
                 EXPECT_EQ(batched.leaves(0), (std::vector<bool>{true, false}));
                 EXPECT_FALSE(batched[1]);
                 return std::pair{Tree{{"s", {jnp::power(t["a"][0], power), t["a"][1]}}}, std::vector<bool>{true, false}};
               });
  auto g = [f](Array x) { return f(Tree{{"a", {x, jnp::float32(5)}}}, 2); };
  const Tree out = vmap(g)(jnp::arange(3.0));
  EXPECT_EQ(floats(out.at("s")[0]), (Floats{0, 1, 4}));
  EXPECT_EQ(floats(out.at("s")[1]), (Floats{5, 5, 5}));
}

TEST(CustomVmap, MistakesAreNamed) {
  const Array x = jnp::arange(3.0);
  auto with = [](auto rule) { return custom_vmap([](Array v) { return v; }, {.name = "f", .rule_name = "f_rule"}).def_vmap(rule); };
  EXPECT_ERROR(ValueError, vmap(with([](int64_t, const Batched&, Array v) { return std::pair{v[0], true}; }))(x),
               "f_rule: result 0 of the rule of f must be f32[3] (batched); got f32[]");
  EXPECT_ERROR(ValueError, vmap(with([](int64_t, const Batched&, Array v) { return std::pair{v, false}; }))(x),
               "f_rule: result 0 of the rule of f must be f32[] (not batched); got f32[3]");
  EXPECT_ERROR(ValueError, vmap(with([](int64_t, const Batched&, Array v) { return std::pair{v, std::vector<bool>{true, true}}; }))(x),
               "f_rule: the rule of f says of 2 arrays whether they are batched and gives 1");
  auto list = custom_vmap([](Array v) { return std::vector<Array>{v}; }, {.name = "f", .rule_name = "f_rule"})
                  .def_vmap([](int64_t, const Batched&, Array v) { return std::pair{std::vector<Array>{v, v}, true}; });
  EXPECT_ERROR(ValueError, vmap(list)(x), "f_rule: the rule of f gives a tree of another structure than the function, whose is PyTreeDef([*])");
  auto captures = [](Array v) {
    return custom_vmap([v](Array w) { return v * w; }, {.name = "f"}).def_vmap([](int64_t, const Batched&, Array w) { return std::pair{w, true}; })(v);
  };
  EXPECT_ERROR_HAS(ValueError, vmap(captures)(x), "f: a custom_vmap function captures a f32[3] that is batched");
}

TEST(SequentialVmap, IsALoop) {
  auto f = sequential_vmap([](Array x, Array y) { return std::tuple{x + y, x * y}; });
  EXPECT_EQ(float(std::get<1>(f(2.0, 3.0))), 6);
  const Array x = jnp::arange(3.0);
  auto [sums, products] = vmap(f, {.in_axes = {0, none}})(x, 2.0);
  EXPECT_EQ(floats(sums), (Floats{2, 3, 4}));
  EXPECT_EQ(floats(products), (Floats{0, 2, 4}));
  EXPECT_EQ(floats(std::get<1>(jit(vmap(f))(x, x))), (Floats{0, 1, 4}));
  EXPECT_EQ(std::get<0>(vmap(vmap(f, {.in_axes = {0, none}}), {.in_axes = {none, 0}})(x, jnp::ones({2}))).shape(), Shape({2, 3}));
  EXPECT_NE(make_jaxpr(vmap(f))(x, x).str().find("scan["), std::string::npos);
  const auto [value, change] = jvp(vmap(f), std::tuple{x, x}, std::tuple{jnp::ones({3}), jnp::ones({3})});
  EXPECT_EQ(floats(std::get<1>(change)), (Floats{0, 2, 4}));
}

}  // namespace
}  // namespace tenon
