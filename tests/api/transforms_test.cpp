// Transformations as users call them: values, trees, options, value-dependent control flow, errors.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <optional>

#include "support/expect_error.h"
#include "tenon/testkit.h"

namespace tenon {
namespace {

using Floats = std::vector<float>;
Floats floats(const Array& x) { return x.to_vector<float>(); }

TEST(Grad, OfScalarFunctions) {
  auto f = [](Array x) { return jnp::sum(jnp::square(x)); };
  EXPECT_EQ(floats(grad(f)(jnp::arange(3.0))), (Floats{0, 2, 4}));
  EXPECT_EQ(floats(jit(grad(f))(jnp::arange(3.0))), (Floats{0, 2, 4}));
  EXPECT_EQ(floats(grad(jit(f))(jnp::arange(3.0))), (Floats{0, 2, 4}));
  const auto [value, g] = value_and_grad(f)(jnp::arange(3.0));
  EXPECT_EQ(float(value), 5);
  EXPECT_EQ(floats(g), (Floats{0, 2, 4}));
}

TEST(Grad, ByChosenArgumentsInTheirOrder) {
  auto f = [](Array a, Array b, Array c) { return a * b + c * c; };
  EXPECT_EQ(float(grad<2>(f)(2.0, 3.0, 4.0)), 8);
  const auto [by_b, by_a] = grad<1, 0>(f)(2.0, 3.0, 4.0);
  EXPECT_EQ(float(by_b), 2);
  EXPECT_EQ(float(by_a), 3);
}

TEST(Grad, OfTreesGivesTrees) {
  struct Layer {
    Array w, b;
  };
  struct Model {
    std::vector<Layer> layers;
    std::map<std::string, Array> scales;
    std::optional<Array> offset;
    int power = 2;  // not an Array: structure
  };
  auto loss = [](Model m, Array x) {
    for (const Layer& layer : m.layers) x = layer.w * x + layer.b;
    return m.scales["s"] * jnp::power(x, m.power) + *m.offset;
  };
  const Model model{{{2.0, 1.0}, {3.0, 0.5}}, {{"s", 4.0}}, Array(1.0)};
  const Model g = grad(loss)(model, 1.0);
  EXPECT_EQ(g.layers.size(), 2u);
  EXPECT_EQ(g.power, 2);
  EXPECT_EQ(float(g.scales.at("s")), 9.5f * 9.5f);
  EXPECT_EQ(float(*g.offset), 1);
  EXPECT_EQ(float(g.layers[1].w), 4 * 2 * 9.5f * 3);
  EXPECT_EQ(float(jit(grad(loss))(model, 1.0).layers[0].b), 4 * 2 * 9.5f * 3);
}

TEST(Grad, AuxiliaryResultsComeBackAsValues) {
  auto f = [](Array x) { return std::pair{jnp::sum(x * x), std::tuple{x + 1.0, jnp::max(x)}}; };
  const auto [g, aux] = grad(f, has_aux)(jnp::arange(2.0));
  EXPECT_EQ(floats(g), (Floats{0, 2}));
  EXPECT_EQ(floats(std::get<0>(aux)), (Floats{1, 2}));
  const auto [value, g2] = value_and_grad(f, has_aux)(jnp::arange(2.0));
  EXPECT_EQ(float(value.first), 1);
  EXPECT_EQ(float(std::get<1>(value.second)), 1);
  EXPECT_EQ(floats(g2), (Floats{0, 2}));
}

TEST(Grad, IsZeroOfWhatDoesNotDepend) {
  EXPECT_EQ(floats(grad([](Array x) { return jnp::sum(jnp::floor(x)); })(jnp::ones({2}))), (Floats{0, 0}));
  EXPECT_EQ(float(grad([](Array) { return jnp::float32(3); })(1.0)), 0);
  EXPECT_EQ(float(grad([](Array x) { return lax::stop_gradient(x) * x; })(3.0)), 3);
  EXPECT_EQ(float(grad([](Array x) { return x; })(3.0)), 1);
}

TEST(Grad, ErrorsNameTypesAndWaysOut) {
  EXPECT_ERROR_HAS(TypeError, grad([](Array x) { return x; })(jnp::ones({3})), "f32[3]");
  EXPECT_ERROR_HAS(TypeError, grad([](Array x) { return x; })(jnp::ones({3})), "jnp::sum");
  EXPECT_ERROR_HAS(TypeError, grad([](Array x) { return x * 1.0; })(3), "i32[]");
  EXPECT_ERROR_HAS(TypeError, grad([](Array x) { return x > 0; })(3.0), "bool");
  EXPECT_ERROR_HAS(TypeError, grad([](Array x) { return x * lax::complex(0.0f, 1.0f); })(1.0), "holomorphic");
}

TEST(Grad, HolomorphicOfComplexFunctions) {
  const Array z = lax::complex(1.0f, 2.0f);
  const Array g = grad([](Array w) { return w * w; }, {.holomorphic = true})(z);
  EXPECT_EQ(float(jnp::real(g)), 2);
  EXPECT_EQ(float(jnp::imag(g)), 4);
}

TEST(Grad, ValuesSteerControlFlowWhereThereAreValues) {
  int runs = 0;
  auto branchy = [&runs](Array v) {
    ++runs;
    return bool(v > 0) ? v * v : -v;
  };
  EXPECT_EQ(float(grad(branchy)(3.0)), 6);
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(float(grad(branchy)(-3.0)), -1);
  EXPECT_EQ(float(grad(grad(branchy))(3.0)), 2);
  EXPECT_EQ(float(std::get<0>(vjp(branchy, 3.0).second(1.0))), 6);
  EXPECT_EQ(float(jvp(branchy, std::tuple{3.0}, std::tuple{1.0}).second), 6);
  // The number of steps depends on the value.
  auto halvings = [](Array v) {
    while (float(v) > 1) v = v / 2.0;
    return v;
  };
  EXPECT_EQ(float(grad(halvings)(8.0)), 0.125f);
  // Not mapped: one value for all elements.
  EXPECT_EQ(floats(vmap([&](Array x, Array s) { return bool(s > 0) ? x : -x; }, {.in_axes = {0, none}})(jnp::ones({2}), 1.0)), (Floats{1, 1}));
  EXPECT_THROW(jit(grad(branchy))(3.0), TracerBoolConversionError);
  EXPECT_ERROR_HAS(TracerBoolConversionError, vmap(branchy)(jnp::ones({2})), "differs along a mapped axis of 2 elements");
  EXPECT_THROW(vmap(grad(branchy))(jnp::ones({2})), TracerBoolConversionError);
}

TEST(Grad, TracersThatOutliveItAreReported) {
  Array leaked;
  grad([&](Array x) { leaked = x * 2.0; return x; })(1.0);
  EXPECT_THROW(leaked + 1.0, UnexpectedTracerError);
  vmap([&](Array x) { leaked = x * 2.0; return x; })(jnp::ones({2}));
  EXPECT_THROW(leaked + 1.0, UnexpectedTracerError);
}

TEST(Grad, AFunctionThatThrowsLeavesNothingBehind) {
  auto bad = [](Array x) -> Array {
    (void)(x + 1.0);
    throw std::runtime_error("mine");
  };
  EXPECT_THROW(grad(bad)(1.0), std::runtime_error);
  EXPECT_THROW(vmap(bad)(jnp::ones({2})), std::runtime_error);
  EXPECT_THROW(jit(vmap(grad(bad)))(jnp::ones({2})), std::runtime_error);
  EXPECT_EQ(floats(grad([](Array x) { return jnp::sum(x * x); })(jnp::ones({2}))), (Floats{2, 2}));
}

TEST(Jvp, TangentsMustFit) {
  auto f = [](Array x) { return x * 2.0; };
  EXPECT_ERROR_HAS(TypeError, jvp(f, std::tuple{jnp::ones({2})}, std::tuple{jnp::ones({3})}), "f32[3]");
  EXPECT_ERROR_HAS(TypeError, jvp(f, std::tuple{3}, std::tuple{1.0}), "float0");
  EXPECT_ERROR_HAS(ValueError, vjp(f, jnp::ones({2})).second(jnp::ones({3})), "f32[3]");
}

TEST(Linearize, RunsOnceAndAppliesOften) {
  int runs = 0;
  auto [value, push] = linearize([&](Array x) { ++runs; return jnp::sin(x) * x; }, jnp::float32(2));
  EXPECT_EQ(float(push(jnp::float32(0))), 0);
  EXPECT_NEAR(float(push(jnp::float32(1))), std::sin(2.0) + 2 * std::cos(2.0), 1e-6);
  EXPECT_EQ(runs, 1);
  // A map like any other.
  EXPECT_EQ(vmap(push)(jnp::ones({3})).shape(), Shape({3}));
}

TEST(Jacobians, OfVectorsTreesAndTuples) {
  auto outer = [](Array v) { return jnp::outer(v, v); };
  const Array x = jnp::arange(1.0, 4.0);
  EXPECT_EQ(jacfwd(outer)(x).shape(), Shape({3, 3, 3}));
  EXPECT_TRUE(bool(jnp::array_equal(jacfwd(outer)(x), jacrev(outer)(x))));
  auto two = [](Array a, Array b) { return std::tuple{a * b, jnp::sum(a)}; };
  const auto by_a = jacrev(two)(x, x);
  EXPECT_EQ(std::get<0>(by_a).shape(), Shape({3, 3}));
  EXPECT_EQ(floats(std::get<1>(by_a)), (Floats{1, 1, 1}));
  const auto [value_by_a, value_by_b] = jacfwd<0, 1>([](Array a, Array b) { return jnp::sum(a * a * b); })(x, x);
  EXPECT_EQ(floats(value_by_a), (Floats{2, 8, 18}));
  EXPECT_EQ(floats(value_by_b), (Floats{1, 4, 9}));
  EXPECT_EQ(hessian([](Array v) { return jnp::sum(jnp::power(v, 3)); })(x).to_vector<float>(), (Floats{6, 0, 0, 0, 12, 0, 0, 0, 18}));
}

TEST(Jacobians, OfIntegersAreZero) {
  const Array x = jnp::arange(1.0, 4.0);
  auto f = [](Array v) { return std::tuple{v * v, jnp::argmax(v), v > 2.0}; };
  for (const auto& [by_float, by_int, by_bool] : {jacfwd(f)(x), jit(jacfwd(f))(x)}) {
    EXPECT_EQ(floats(by_float), (Floats{2, 0, 0, 0, 4, 0, 0, 0, 6}));
    EXPECT_EQ(by_int.aval().str_short(), "i32[3]");
    EXPECT_EQ(floats(by_int), (Floats{0, 0, 0}));
    EXPECT_EQ(by_bool.aval().str_short(), "bool[3,3]");
    EXPECT_FALSE(bool(jnp::any(by_bool)));
  }
  EXPECT_EQ(floats(grad([f](Array v) { return jnp::sum(std::get<0>(jacfwd(f)(v))); })(x)), (Floats{2, 2, 2}));
}

TEST(Vmap, AxesOfArgumentsAndResults) {
  const Array m = jnp::arange(6.0).reshape({2, 3});
  EXPECT_EQ(floats(vmap([](Array r) { return jnp::sum(r); })(m)), (Floats{3, 12}));
  EXPECT_EQ(floats(vmap([](Array r) { return jnp::sum(r); }, {.in_axes = -1})(m)), (Floats{3, 5, 7}));
  EXPECT_EQ(vmap([](Array r) { return r; }, {.out_axes = 1})(m).shape(), Shape({3, 2}));
  const auto [columns, ones] = vmap([](Array r) { return std::tuple{r, jnp::float32(1)}; }, {.out_axes = {-1, 0}})(m);
  EXPECT_EQ(columns.shape(), Shape({3, 2}));
  EXPECT_EQ(floats(ones), (Floats{1, 1}));
  EXPECT_EQ(floats(vmap([](Array r, Array s) { return jnp::sum(r) * s; }, {.in_axes = {0, none}})(m, 2.0)), (Floats{6, 24}));
  EXPECT_EQ(floats(vmap([](Array) { return jnp::float32(3); })(m)), (Floats{3, 3}));
  EXPECT_EQ(float(vmap([](Array) { return jnp::float32(3); }, {.out_axes = {none}})(m)), 3);
  EXPECT_EQ(floats(vmap([](Array s) { return s; }, {.in_axes = {none}, .axis_size = 2})(5.0)), (Floats{5, 5}));
  EXPECT_EQ(vmap(vmap([](Array a, Array b) { return a + b; }, {.in_axes = {none, 0}}), {.in_axes = {0, none}})(jnp::ones({2}), jnp::ones({3})).shape(),
            Shape({2, 3}));
}

TEST(Vmap, ErrorsNameSizesAndArguments) {
  auto f = [](Array a, Array b) { return a + b; };
  EXPECT_ERROR_HAS(ValueError, vmap(f)(jnp::ones({2}), jnp::ones({3})), "different sizes");
  EXPECT_ERROR_HAS(ValueError, vmap(f, {.in_axes = {0, 0, 0}})(jnp::ones({2}), jnp::ones({2})), "3 entries for 2 arguments");
  EXPECT_ERROR_HAS(ValueError, vmap(f, {.in_axes = {none, none}})(jnp::ones({2}), jnp::ones({2})), "axis_size");
  EXPECT_ERROR_HAS(ValueError, vmap(f, {.in_axes = 1})(jnp::ones({2}), jnp::ones({2})), "f32[2]");
  EXPECT_ERROR_HAS(ValueError, vmap(f, {.out_axes = {none}})(jnp::ones({2}), jnp::ones({2})), "out_axes none");
  EXPECT_ERROR_HAS(ValueError, vmap(f, {.out_axes = 3})(jnp::ones({2}), jnp::ones({2})), "out_axes");
}

TEST(Vmap, NamedAxes) {
  const Array x = jnp::arange(1.0, 4.0);
  const VmapOptions rows{.axis_name = "rows"};
  EXPECT_EQ(floats(vmap([](Array v) { return v / lax::psum(v, "rows"); }, rows)(x * 2.0)), (Floats{1 / 6.f, 2 / 6.f, 3 / 6.f}));
  EXPECT_EQ(floats(vmap([](Array v) { return lax::pmax(v, "rows") - lax::pmin(v, "rows"); }, rows)(x)), (Floats{2, 2, 2}));
  EXPECT_EQ(floats(vmap([](Array v) { return lax::pmean(v, "rows"); }, rows)(x)), (Floats{2, 2, 2}));
  EXPECT_EQ(vmap([](Array v) { return v * 0.0 + lax::axis_index("rows"); }, rows)(x).to_vector<float>(), (Floats{0, 1, 2}));
  EXPECT_EQ(vmap([](Array v) { return lax::all_gather(v, "rows"); }, rows)(x).shape(), Shape({3, 3}));
  EXPECT_EQ(floats(vmap([](Array v) { return v * static_cast<double>(lax::axis_size("rows")); }, rows)(x)), (Floats{3, 6, 9}));
  // Inside of jit, and differentiated.
  EXPECT_EQ(floats(vmap(jit([](Array v) { return v - lax::pmean(v, "rows"); }), rows)(x)), (Floats{-1, 0, 1}));
  EXPECT_EQ(floats(vmap(grad([](Array v) { return lax::psum(v * v, "rows"); }), rows)(x)), (Floats{6, 12, 18}));
  auto two = vmap(vmap([](Array v) { return lax::psum(v, "rows") + 10.0 * lax::psum(v, "columns"); }, {.axis_name = "columns"}), rows);
  EXPECT_EQ(floats(two(jnp::ones({2, 3}))), Floats(6, 32));
  EXPECT_ERROR_HAS(ValueError, lax::psum(x, "nowhere"), "no axis is called 'nowhere'");
}

TEST(CustomRules, AreUsedEverywhere) {
  auto twice = custom_jvp([](Array x) { return jnp::sin(x); }, [](Array x, Array t) { return std::pair{jnp::sin(x), 2.0 * t}; });
  auto f = [twice](Array x) { return twice(x); };
  EXPECT_EQ(float(grad(f)(1.0)), 2);
  EXPECT_EQ(float(jit(grad(f))(1.0)), 2);
  EXPECT_EQ(float(grad(jit(f))(1.0)), 2);
  EXPECT_EQ(floats(vmap(grad(f))(jnp::ones({2}))), (Floats{2, 2}));
  EXPECT_EQ(floats(grad([f](Array x) { return jnp::sum(vmap(f)(x)); })(jnp::ones({2}))), (Floats{2, 2}));
  EXPECT_EQ(float(jvp(f, std::tuple{1.0}, std::tuple{3.0}).second), 6);
  EXPECT_EQ(float(grad([f](Array x) { return lax::scan([f](Array c, Empty) { return std::pair{f(c), Empty{}}; }, x, Empty{}, 3).first; })(1.0)), 8);

  auto ten = custom_vjp([](Array x) { return x * x; }, [](Array x) { return std::pair{x * x, x}; },
                        [](Array x, Array ct) { return std::tuple{10.0 * ct * x}; });
  auto g = [ten](Array x) { return ten(x); };
  EXPECT_EQ(float(grad(g)(2.0)), 20);
  EXPECT_EQ(float(jit(grad(g))(2.0)), 20);
  EXPECT_EQ(float(grad(jit(g))(2.0)), 20);
  EXPECT_EQ(floats(vmap(grad(g))(jnp::ones({2}))), (Floats{10, 10}));
  EXPECT_EQ(floats(grad([g](Array x) { return jnp::sum(vmap(g)(x)); })(jnp::ones({2}))), (Floats{10, 10}));
  EXPECT_EQ(floats(jit(grad([g](Array x) { return jnp::sum(vmap(g)(x)); }))(jnp::ones({2}))), (Floats{10, 10}));
  EXPECT_EQ(float(grad([g](Array x) { return lax::cond(x > 0, g, g, x); })(2.0)), 20);
  EXPECT_THROW(jvp(g, std::tuple{1.0}, std::tuple{1.0}), TypeError);
  EXPECT_THROW(jit(jacfwd(g))(1.0), TypeError);
}

TEST(CustomRules, MistakesAreNamed) {
  auto wrong = custom_jvp([](Array x) { return x; }, [](Array x, Array) { return std::pair{x, jnp::ones({3})}; },
                          {.name = "f", .rule_name = "f_rule"});
  EXPECT_ERROR_HAS(TypeError, grad([=](Array x) { return wrong(x); })(1.0), "f_rule: the tangent of result 0 of f is f32[]");
  auto short_rule = custom_vjp([](Array x) { return x; }, [](Array x) { return std::pair{x, Empty{}}; },
                               [](Empty, Array) { return std::tuple{jnp::ones({2})}; }, {.name = "f", .backward_name = "back"});
  EXPECT_ERROR_HAS(ValueError, grad([=](Array x) { return short_rule(x); })(1.0), "back");
  // The rule does not know what the function captures.
  auto captured = [](Array x) {
    return custom_jvp([x](Array y) { return x * y; }, [x](Array y, Array t) { return std::pair{x * y, x * t}; })(2.0);
  };
  EXPECT_THROW(grad(jit(captured))(1.0), ValueError);
  EXPECT_THROW(grad(captured)(1.0), UnexpectedTracerError);
  EXPECT_THROW(jit(grad(captured))(1.0), UnexpectedTracerError);
  EXPECT_EQ(floats(vmap(captured)(jnp::arange(3.0))), (Floats{0, 2, 4}));  // batching is no derivative
}

using Policies = std::vector<CheckpointPolicy>;

TEST(Checkpoint, ComputesAgain) {
  auto f = [](Array x) { return jnp::sum(jnp::sin(jnp::sin(x))); };
  const Array x = jnp::arange(3.0);
  EXPECT_TRUE(bool(jnp::allclose(grad(checkpoint(f))(x), grad(f)(x), 1e-6)));
  EXPECT_TRUE(bool(jnp::allclose(jit(grad(checkpoint(f)))(x), grad(f)(x), 1e-6)));
  EXPECT_TRUE(bool(jnp::allclose(vmap(grad(checkpoint(f)))(x.reshape({3, 1})).reshape({3}), grad(f)(x), 1e-6)));
  auto dots = [](Array m) { return jnp::sum(jnp::sin(jnp::matmul(jnp::sin(m), m))); };
  const Array m = jnp::arange(4.0).reshape({2, 2});
  const auto count = [&](CheckpointOptions options) {
    const std::string text = make_jaxpr(grad(checkpoint(dots, options)))(m).str();
    size_t found = 0;
    for (size_t at = text.find("dot_general"); at != text.npos; at = text.find("dot_general", at + 1)) ++found;
    return found;
  };
  EXPECT_EQ(count({}), 4u);  // forward, again, and two of the derivative
  EXPECT_EQ(count({.policy = CheckpointPolicy::dots_saveable}), 3u);
  for (const auto& policy : Policies{CheckpointPolicy::nothing_saveable, CheckpointPolicy::everything_saveable, CheckpointPolicy::dots_saveable,
                                     CheckpointPolicy::dots_with_no_batch_dims_saveable})
    EXPECT_TRUE(bool(jnp::allclose(grad(checkpoint(dots, {.policy = policy}))(m), grad(dots)(m), 1e-5)));
}

// What is kept changes no derivative, wherever the checkpoint stands and whatever is inside.
TEST(Checkpoint, EveryPolicyGivesTheSame) {
  const Policies policies = {CheckpointPolicy::nothing_saveable, CheckpointPolicy::everything_saveable, CheckpointPolicy::dots_saveable,
                             CheckpointPolicy::dots_with_no_batch_dims_saveable, CheckpointPolicy::save_only_these_names({"h"}),
                             CheckpointPolicy::save_any_names_but_these({"h"}), CheckpointPolicy::save_anything_except_these_names({"h"}),
                             CheckpointPolicy::save_from_both_policies(CheckpointPolicy::dots_saveable, CheckpointPolicy::save_only_these_names({"h"}))};
  const Array x = jnp::arange(9.0).reshape({3, 3}) / 9;
  const auto check = [&](const char* name, auto f) {
    const Array wanted = grad(f)(x), second = grad([f](Array m) { return (grad(f)(m) * m).sum(); })(x);
    for (const CheckpointPolicy& policy : policies) {
      const auto again = checkpoint(f, {.policy = policy});
      EXPECT_TRUE(bool(jnp::allclose(grad(again)(x), wanted, 1e-5))) << name << " " << policy.str();
      EXPECT_TRUE(bool(jnp::allclose(jit(grad(again))(x), wanted, 1e-5))) << name << " " << policy.str();
      const auto outer = [again](Array m) { return (grad(again)(m) * m).sum(); };
      EXPECT_TRUE(bool(jnp::allclose(jit(grad(outer))(x), second, 1e-4))) << name << " " << policy.str();
      const auto nested = checkpoint([again](Array m) { return again(jnp::sin(m)); }, {.policy = policy});
      EXPECT_TRUE(bool(jnp::allclose(jit(grad(nested))(x), grad([f](Array m) { return f(jnp::sin(m)); })(x), 1e-5))) << name << " " << policy.str();
    }
  };
  check("layers", [](Array m) {
    const Array h = checkpoint_name(jnp::tanh(jnp::matmul(m, m)), "h");
    return jnp::tanh(jnp::matmul(h, m)).sum();
  });
  check("jit", [](Array m) {
    const auto layer = jit([](Array m) { return checkpoint_name(jnp::sin(jnp::matmul(jnp::sin(m), m)), "h"); });
    const Array h = layer(m);
    return layer(h).sum();
  });
  check("scan", [](Array m) {
    const auto step = [m](Array c, Array y) {
      const Array h = checkpoint_name(jnp::tanh(jnp::matmul(m, c)), "h");
      return std::pair{h * y, h.sum()};
    };
    const auto [c, ys] = lax::scan(step, m(0), m);
    const Array total = c.sum();
    return total + jnp::sin(ys).sum();
  });
  check("cond", [](Array m) {
    const auto yes = [](Array m) { return jnp::matmul(jnp::sin(m), m); };
    return jnp::sin(lax::cond(m(0, 1) > 0, yes, [](Array m) { return m; }, m)).sum();
  });
  check("fori", [](Array m) { return lax::fori_loop(0, 3, [m](Array, Array c) { return jnp::sin(jnp::matmul(c, m)); }, m).sum(); });
  check("relu", [](Array m) { return (nn::relu(m - 0.4) * nn::softmax(m)).sum(); });
}

TEST(Transforms, NothingRecursesOverALongProgram) {
  auto chain = [](Array v) {
    for (int i = 0; i < 200000; ++i) v = v * 1.000001;
    return v;
  };
  const Jaxpr g = make_jaxpr(grad(chain))(1.0);
  EXPECT_EQ(g.eqns().size(), 400000u);
  EXPECT_GT(g.str().size(), 400000u);
  EXPECT_GT(make_jaxpr(vmap(chain))(jnp::ones({2})).eqns().size(), 199999u);
}

TEST(Transforms, NestedBranchesAreDoneOnce) {
  // Each level of a derivative that did its branches twice would take 2^30 steps here.
  struct Nest {
    static Array at(Array x, int depth) {
      if (depth == 0) return jnp::sin(x);
      return lax::cond(x > 0, [depth](Array y) { return at(y, depth - 1) * y; }, [](Array y) { return y; }, x);
    }
  };
  const Array slope = grad([](Array x) { return Nest::at(x, 30); })(1.0);
  EXPECT_NEAR(float(slope), std::cos(1.0) + 30 * std::sin(1.0), 1e-3);
}

TEST(Checkpoint, OfLoopsSortsAndCustomRules) {
  auto cube = [](Array x) { return lax::fori_loop(0, 3, [](Array, Array y) { return y * y; }, x); };
  EXPECT_NEAR(float(grad(checkpoint(cube))(1.5)), 8 * std::pow(1.5, 7), 1e-3);
  auto sorted = [](Array v) { return jnp::sum(checkpoint([](Array x) { return jnp::sort(x) * x; })(v)); };
  EXPECT_EQ(floats(grad(sorted)(jnp::array({1.0, 2.0, 3.0}))), (Floats{2, 4, 6}));
  auto square = custom_vjp([](Array x) { return x * x; }, [](Array x) { return std::pair{x * x, x}; },
                           [](Array x, Array ct) { return std::tuple{2.0 * x * ct}; });
  EXPECT_NEAR(float(grad(checkpoint([square](Array x) { return jnp::sin(square(x)); }))(1.5)), std::cos(2.25) * 3, 1e-5);
}

TEST(Transforms, LeakedTracersAreReportedByJittedFunctionsToo) {
  Array leaked;
  auto ten = jit([](Array z) { return z * 10.0; });
  grad([&](Array y) { leaked = y * 2.0; return y; })(1.0);
  EXPECT_THROW(ten(leaked), UnexpectedTracerError);
  vmap([&](Array y) { leaked = y * 2.0; return y; })(jnp::ones({2}));
  EXPECT_THROW(ten(leaked), UnexpectedTracerError);
}

TEST(Transforms, AJittedFunctionIsNotCompiledAgain) {
  auto f = jit([](Array x) { return jnp::sum(jnp::sin(x) * x); }, {.name = "inner_of_grad"});
  const Array x = jnp::ones({4});
  grad(f)(x);
  NoCompileScope guard;
  for (int i = 0; i < 5; ++i) grad(f)(x);
}

TEST(EvalShape, ComputesNothing) {
  const auto [a, b] = eval_shape([](Array x, Array y) { return std::tuple{jnp::matmul(x, y), jnp::sum(x)}; }, ShapeDtype({2, 3}, jnp::float32),
                                 ShapeDtype({3, 4}, jnp::float32));
  EXPECT_EQ(a.shape(), Shape({2, 4}));
  EXPECT_EQ(b.shape(), Shape({}));
  EXPECT_THROW(a.to_vector<float>(), TypeError);
}

TEST(JaxprAsFun, RunsUnderEveryTrace) {
  const Jaxpr jaxpr = make_jaxpr([](Array x) { return jnp::sin(x) * x; })(1.0);
  auto f = jaxpr_as_fun(jaxpr);
  EXPECT_NEAR(float(f({Array(2.0)})[0]), 2 * std::sin(2.0), 1e-6);
  EXPECT_NEAR(float(grad([&](Array x) { return f({x})[0]; })(2.0)), std::sin(2.0) + 2 * std::cos(2.0), 1e-6);
  EXPECT_THROW(f({}), ValueError);
  EXPECT_THROW(f({jnp::ones({2})}), TypeError);
}

}  // namespace
}  // namespace tenon
