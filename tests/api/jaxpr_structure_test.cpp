// The part of acceptance/a2_jaxpr.cc that needs no transform and no control flow: structure, constants, literals,
// nested programs, custom derivatives, errors of tracing.
#include <gtest/gtest.h>

#include <map>

#include "tenon/tenon.h"
#include "tenon/testkit.h"

namespace tenon {
namespace {

using Counts = std::map<std::string, int>;
using Names = std::vector<std::string>;

Counts count_primitives(const Jaxpr& jaxpr, Counts counts = {}) {
  for (const Eqn& eqn : jaxpr.eqns()) {
    counts[eqn.primitive().name()]++;
    for (const Jaxpr& sub : jaxprs_in_params(eqn.params())) counts = count_primitives(sub, std::move(counts));
  }
  return counts;
}
Names names(const Jaxpr& jaxpr) {
  Names out;
  for (const Eqn& eqn : jaxpr.eqns()) out.push_back(eqn.primitive().name());
  return out;
}

Array inner(Array x) { return nn::relu(x) * 2.0; }

TEST(JaxprStructure, VariablesEquationsLiterals) {
  auto example = [](Array x, Array y) {
    Array a = jnp::sin(x);
    Array b = jnp::cos(y);
    return a + b * 2.0;
  };
  Array x = jnp::ones({10}), y = jnp::ones({10});
  Jaxpr j = make_jaxpr(example)(x, y);
  EXPECT_EQ(j.str(),
            "{ lambda ; a:f32[10] b:f32[10]. let\n"
            "    c:f32[10] = sin a\n"
            "    d:f32[10] = cos b\n"
            "    e:f32[10] = mul d 2.0:f32[]\n"
            "    f:f32[10] = add c e\n"
            "  in (f,) }");
  EXPECT_TRUE(j.invars().size() == 2 && j.outvars().size() == 1 && j.constvars().empty());
  EXPECT_EQ(names(j), (Names{"sin", "cos", "mul", "add"}));
  EXPECT_TRUE(j.eqns()[2].invars()[1].is_literal() && !j.eqns()[2].invars()[0].is_literal());
  EXPECT_EQ(j.invars()[0].aval().str_short(), "f32[10]");
}

TEST(JaxprStructure, ACapturedArrayIsAConstantAScalarALiteral) {
  Array W = jnp::arange(9.0).reshape({3, 3});
  Jaxpr c = make_jaxpr([W](Array v) { return jnp::dot(W, v) + jnp::pi; })(jnp::ones({3}));
  ASSERT_EQ(c.constvars().size(), 1u);
  EXPECT_EQ(c.consts()[0].shape(), Shape({3, 3}));
  EXPECT_EQ(c.constvars()[0].aval().str_short(), "f32[3,3]");
  EXPECT_TRUE(c.eqns()[1].invars()[1].is_literal());
}

TEST(JaxprStructure, NestedJitAndCustomDerivatives) {
  auto nested = jit<inner>();
  Jaxpr co = make_jaxpr([nested](Array v) { return nested(v).sum() + jnp::logaddexp(v, 1.0).sum(); })(jnp::ones({3}));
  Counts counts = count_primitives(co);
  EXPECT_EQ(co.eqns()[0].primitive().name(), "jit");
  EXPECT_EQ(co.eqns()[0].params().at("name").str(), "inner");
  EXPECT_EQ(counts["custom_jvp_call"], 2);
  EXPECT_EQ(counts["jit"], 2);
  EXPECT_GE(counts["max"], 1);
  EXPECT_EQ(counts.count("pjit"), 0u);
  auto target = [](Array t) { return jnp::sum(jit([](Array s) { return nn::relu(jnp::sin(s)); })(t)); };
  counts = count_primitives(make_jaxpr(target)(jnp::ones({4})));
  EXPECT_TRUE(counts["custom_jvp_call"] == 1 && counts["sin"] == 1 && counts["jit"] == 2);
}

TEST(JaxprStructure, ABranchOnATracedValueIsAnErrorOnAStaticOneAProgram) {
  auto value_branch = [](Array v, Array flag) { return bool(flag > 0.5) ? jnp::sin(v) : jnp::cos(v); };
  EXPECT_THROW(jit(value_branch)(jnp::ones({3}), 0.7), TracerBoolConversionError);
  auto static_branch = [](Array v, double flag) { return flag > 0.5 ? jnp::sin(v) : jnp::cos(v); };
  EXPECT_EQ(names(make_jaxpr(static_branch)(jnp::ones({3}), 0.7)), Names{"sin"});
  EXPECT_EQ(names(make_jaxpr(static_branch)(jnp::ones({3}), 0.3)), Names{"cos"});
  auto jitted = jit(static_branch, {.name = "static_branch"});
  testkit::CompileCounter compiles("static_branch");
  for (double flag : {0.7, 0.7, 0.3, 0.3}) jitted(jnp::ones({3}), flag);
  EXPECT_EQ(compiles.count(), 2);
}

TEST(JaxprStructure, ATracerThatOutlivesItsTraceIsReportedWhereItIsUsed) {
  Array leaked;
  jit([&leaked](Array t) { leaked = t * 2.0; return t; })(jnp::ones({3}));
  EXPECT_THROW(leaked + 1.0, UnexpectedTracerError);
}

}  // namespace
}  // namespace tenon
