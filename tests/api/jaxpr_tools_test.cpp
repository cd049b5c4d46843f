// What users do with jaxprs: make them from shapes, look into them, check them, run them.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "support/expect_error.h"
#include "tenon/testkit.h"

namespace tenon {
namespace {

TEST(MakeJaxpr, OfShapesAndWithTheShapeOfTheResult) {
  struct Out {
    Array sum;
    std::vector<Array> rows;
    int tag = 3;
  };
  auto f = [](Array x, Array y) { return Out{jnp::sum(x), {x * y, y > 0}}; };
  const ShapeDtype shape({2, 3}, jnp::float32);
  const auto [jaxpr, out] = make_jaxpr(f, return_shape)(shape, 2.0);
  EXPECT_EQ(jaxpr.str(), make_jaxpr(f)(jnp::ones({2, 3}), 2.0).str());
  EXPECT_EQ(out.sum.aval().str_short(), "f32[]");
  EXPECT_EQ(out.rows[0].aval().str_short(), "f32[2,3]");
  EXPECT_EQ(out.rows[1].aval().str_short(), "bool[]");
  EXPECT_EQ(out.tag, 3);
  EXPECT_THROW(out.sum.to_vector<float>(), TypeError);
  const auto [generic, scalar] = make_jaxpr([](auto x) { return jnp::cos(x); }, return_shape)(shape);
  EXPECT_EQ(scalar.shape(), Shape({2, 3}));
  EXPECT_EQ(generic.eqns().size(), 1u);
}

void collect(const Jaxpr& jaxpr, std::set<std::string>& names) {
  for (const Eqn& eqn : jaxpr.eqns()) {
    names.insert(eqn.primitive().name());
    for (const Jaxpr& inner : jaxprs_in_params(eqn.params())) collect(inner, names);
  }
}

TEST(JaxprsInParams, AreThoseOfEveryOperationThatHoldsPrograms) {
  auto solve = [](const lax::SelfMap<Array>& f, Array b) { return b / jnp::exp(f(jnp::ones_like(b))); };
  auto f = [solve](Array x) {
    Array y = jit([](Array v) { return jnp::sin(v); })(x);
    y = lax::cond(y > 0, [](Array v) { return jnp::cos(v); }, [](Array v) { return jnp::tan(v); }, y);
    y = lax::while_loop([](Array v) { return jnp::floor(v) < 0; }, [](Array v) { return jnp::ceil(v); }, y);
    y = lax::scan([](Array c, Empty) { return std::pair{jnp::sinh(c), Empty{}}; }, y, Empty{}, 2).first;
    return lax::custom_linear_solve([](Array v) { return jnp::tanh(v); }, y, solve, {.symmetric = true});
  };
  std::set<std::string> names;
  collect(make_jaxpr(f)(1.0), names);
  for (const char* name : {"sin", "cos", "tan", "floor", "ceil", "sinh", "tanh", "exp"}) EXPECT_TRUE(names.contains(name)) << name;
}

TEST(CheckJaxpr, TakesWhatTransformationsMake) {
  auto inner = jit([](Array x) { return jnp::sin(x) * x; });
  auto twice = custom_jvp([](Array x) { return x * 2.0; }, [](Array x, Array t) { return std::pair{x * 2.0, t * 2.0}; });
  auto square = custom_vjp([](Array x) { return x * x; }, [](Array x) { return std::pair{x * x, x}; },
                           [](Array x, Array ct) { return std::tuple{2.0 * x * ct}; });
  auto rule = [](int64_t, const custom_batching::Batched&, Array x) { return std::pair{x + 1.0, true}; };
  auto batched = custom_batching::custom_vmap([](Array x) { return x + 1.0; }).def_vmap(rule);
  auto over_ones = [](const lax::SelfMap<Array>& g, Array b) { return b / g(jnp::ones_like(b)); };
  auto f = [=](Array x) {
    Array y = checkpoint(inner)(twice(square(x)));
    y = lax::cond(y > 0, [](Array v) { return v * v; }, [](Array v) { return -v; }, y);
    y = lax::scan([](Array c, Array t) { return std::pair{c * t, c}; }, y, jnp::arange(1.0, 4.0)).first;
    y = lax::custom_linear_solve([y](Array v) { return y * v; }, x, over_ones, {.symmetric = true});
    return lax::custom_root([y](Array v) { return v * y - y; }, y, over_ones, over_ones);
  };
  const Array many = jnp::ones({3});
  for (const Jaxpr& jaxpr : {make_jaxpr(f)(2.0), make_jaxpr(grad(f))(2.0), make_jaxpr(vmap(f))(many), make_jaxpr(vmap(grad(f)))(many),
                             make_jaxpr(grad(grad(f)))(2.0), make_jaxpr(jit(grad(f)))(2.0)})
    EXPECT_NO_THROW(check_jaxpr(jaxpr)) << jaxpr;
  auto g = [=](Array x) { return batched(f(x)); };
  auto along = [=](Array x) { return jvp(g, std::tuple{x}, std::tuple{x}).second; };
  for (const Jaxpr& jaxpr : {make_jaxpr(g)(2.0), make_jaxpr(vmap(g))(many), make_jaxpr(along)(2.0)})
    EXPECT_NO_THROW(check_jaxpr(jaxpr)) << jaxpr;
}

// An equation of `jaxpr` with other operands or parameters.
Jaxpr with_eqn(const Jaxpr& jaxpr, size_t i, const Vars& invars, const EqnParams& params) {
  auto node = detail::make_ref<detail::JaxprNode>(*jaxpr.id());
  const Eqn eqn = node->eqns[i];
  node->eqns[i] = Eqn(eqn.primitive(), invars, eqn.outvars(), params, eqn.source(), eqn.effects());
  return Jaxpr(detail::Ref<const detail::JaxprNode>(node));
}

TEST(CheckJaxpr, RefusesProgramsThatAreCalledWithOtherTypes) {
  auto f = jit([](Array v) { return jnp::sin(v); }, {.name = "f"});
  const Jaxpr jaxpr = make_jaxpr([f](Array x, Array y) { return f(x) + jnp::sum(y); })(1.0, jnp::ones({3}));
  check_jaxpr(jaxpr);
  const Eqn& call = jaxpr.eqns()[0];
  EXPECT_ERROR_HAS(InternalError, (check_jaxpr(with_eqn(jaxpr, 0, {jaxpr.invars()[1]}, call.params())), 0),
                   "its rule refuses the operands: jit: input 0 of the program is f32[]; got an operand f32[3]");
  EXPECT_ERROR_HAS(InternalError, (check_jaxpr(with_eqn(jaxpr, 0, {}, call.params())), 0), "jit: the program has 1 inputs; got 0 operands");
  const Jaxpr other = make_jaxpr([](Array v) { return jnp::stack({v, v}); })(1.0);
  EXPECT_ERROR_HAS(InternalError, (check_jaxpr(with_eqn(jaxpr, 0, call.invars(), call.params().with("jaxpr", other))), 0),
                   "result 0 is f32[] and its rule gives f32[2]");
}

TEST(EvalJaxpr, UnderEveryTraceAndWithConstants) {
  const Array w = jnp::arange(3.0);
  const Jaxpr jaxpr = make_jaxpr([w](Array x) { return std::tuple{jnp::sum(w * x), x}; })(jnp::ones({3}));
  ASSERT_EQ(jaxpr.consts().size(), 1u);
  const Arrays out = eval_jaxpr(jaxpr, {jnp::ones({3})});
  EXPECT_EQ(float(out[0]), 3);
  EXPECT_EQ(out[1].shape(), Shape({3}));
  auto f = jaxpr_as_fun(jaxpr);
  EXPECT_EQ(grad([f](Array x) { return f({x})[0]; })(jnp::ones({3})).to_vector<float>(), (std::vector<float>{0, 1, 2}));
  EXPECT_EQ(vmap([f](Array x) { return f({x})[0]; })(jnp::ones({2, 3})).to_vector<float>(), (std::vector<float>{3, 3}));
  EXPECT_EQ(float(jit([f](Array x) { return f({x})[0]; })(jnp::ones({3}))), 3);
  EXPECT_EQ(make_jaxpr([f](Array x) { return f({x}); })(jnp::ones({3})).str(), jaxpr.str());
  EXPECT_ERROR(ValueError, eval_jaxpr(jaxpr, {}), "eval_jaxpr: the jaxpr has 1 inputs; got 0 arguments");
  EXPECT_ERROR(TypeError, eval_jaxpr(jaxpr, {jnp::ones({2})}), "eval_jaxpr: input 0 is f32[3]; got f32[2]");
}

}  // namespace
}  // namespace tenon
