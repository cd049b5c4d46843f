// The module around the operations: names, functions, inputs, locations, missing rules.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lowering/lower.h"
#include "support/programs.h"
#include "tenon/error.h"
#include "tenon/detail/jitted.h"

namespace tenon {
namespace {

using testing::HasSubstr;

const Aval kVector{{3}, DType(DType::kFloat32)};

Jaxpr traced(Arrays (*function)(const Arrays&), const Avals& avals) {
  return detail::trace_to_jaxpr(function, avals, "make_jaxpr", "f");
}
Arrays increment(const Arrays& in) { return {in[0] + 1.0}; }
Arrays twice(const Arrays& in) {
  Arrays once = detail::call_jitted("inner", &increment, in);
  return detail::call_jitted("inner", &increment, once);
}

TEST(Lower, NamesTheModule) {
  Module module = lower_jaxpr(traced(&increment, {kVector}), {.name = "f"});
  EXPECT_EQ(module.name(), "jit_f");
  EXPECT_THAT(module.str(), HasSubstr("module @jit_f attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {"));
  EXPECT_EQ(lower_jaxpr(traced(&increment, {kVector}), {.name = "<lambda>"}).name(), "jit__lambda");
}

TEST(Lower, EqualCallsShareOneFunction) {
  std::string text = lower_jaxpr(traced(&twice, {kVector}), {.name = "f"}).str();
  EXPECT_THAT(text, HasSubstr("%0 = call @inner(%arg0)"));
  EXPECT_THAT(text, HasSubstr("%1 = call @inner(%0)"));
  EXPECT_EQ(text.find("@inner_0"), std::string::npos);
}

TEST(Lower, FunctionsFollowTheirFirstCallers) {
  // main calls outer (which calls inner) and then last.
  auto program = [](const Arrays& in) -> Arrays {
    Arrays y = detail::call_jitted("outer", &twice, in);
    return detail::call_jitted("last", &increment, y);
  };
  Jaxpr jaxpr = detail::trace_to_jaxpr(program, {kVector}, "make_jaxpr", "f");
  std::string text = lower_jaxpr(jaxpr, {.name = "f"}).str();
  size_t outer = text.find("private @outer"), inner = text.find("private @inner"), last = text.find("private @last");
  ASSERT_NE(last, std::string::npos);
  EXPECT_LT(outer, inner);
  EXPECT_LT(inner, last);
}

TEST(Lower, DifferentFunctionsOfOneNameGetNumbers) {
  auto program = [](const Arrays& in) -> Arrays {
    Array y = detail::call_jitted("g", [](const Arrays& x) -> Arrays { return {x[0] * 2.0}; }, in)[0];
    return detail::call_jitted("g", [](const Arrays& x) -> Arrays { return {x[0] * 3.0}; }, {y});
  };
  std::string text = lower_jaxpr(detail::trace_to_jaxpr(program, {kVector}, "make_jaxpr", "f"), {.name = "f"}).str();
  EXPECT_THAT(text, HasSubstr("call @g(%arg0)"));
  EXPECT_THAT(text, HasSubstr("call @g_0(%0)"));
}

TEST(Lower, QuotesNamesThatAreNoIdentifiers) {
  auto program = [](const Arrays& in) -> Arrays { return detail::call_jitted("<lambda>", &increment, in); };
  std::string text = lower_jaxpr(detail::trace_to_jaxpr(program, {kVector}, "make_jaxpr", "f"), {.name = "f"}).str();
  EXPECT_THAT(text, HasSubstr("call @\"<lambda>\"(%arg0)"));
}

TEST(Lower, KeepsAllInputsUnlessAsked) {
  Jaxpr jaxpr = traced([](const Arrays& in) -> Arrays { return {in[1] + 1.0}; }, {kVector, kVector});
  EXPECT_THAT(lower_jaxpr(jaxpr, {.name = "f"}).str(), HasSubstr("@main(%arg0: tensor<3xf32>, %arg1: tensor<3xf32>)"));
  std::vector<bool> kept;
  EXPECT_THAT(lower_jaxpr(jaxpr, {.name = "f"}, kept).str(), HasSubstr("@main(%arg0: tensor<3xf32>) ->"));
  EXPECT_EQ(kept, (std::vector<bool>{false, true}));
}

TEST(Lower, NamesResults) {
  Jaxpr jaxpr = traced([](const Arrays& in) -> Arrays { return {in[0], in[0]}; }, {kVector});
  EXPECT_THAT(lower_jaxpr(jaxpr, {.name = "f"}).str(), HasSubstr("{jax.result_info = \"result[1]\"}"));
  EXPECT_THAT(lower_jaxpr(jaxpr, {.name = "f", .result_names = {"result['a']", "result['b']"}}).str(),
              HasSubstr("{jax.result_info = \"result['b']\"}"));
}

TEST(Lower, LocatesOperations) {
  auto program = [](const Arrays& in) -> Arrays {
    named_scope scope("middle");
    return {jnp::sin(in[0])};
  };
  Jaxpr jaxpr = detail::trace_to_jaxpr(program, {kVector}, "make_jaxpr", "f");
  std::string text = lower_jaxpr(jaxpr, {.name = "f", .arg_names = {"x"}}).str({.debug_info = true});
  EXPECT_THAT(text, HasSubstr("loc(\"jit(f)/middle/sin\""));
  EXPECT_THAT(text, HasSubstr("lower_test.cpp\":"));
  EXPECT_THAT(text, HasSubstr("loc(\"x\")"));
}

TEST(Lower, SurvivesDeepNesting) {
  detail::FunctionRef<Arrays(const Arrays&)>* body = nullptr;
  int depth = 200;
  auto nested = [&](const Arrays& in) -> Arrays {
    if (--depth == 0) return increment(in);
    return detail::call_jitted("deep", *body, {in[0] * depth});
  };
  detail::FunctionRef<Arrays(const Arrays&)> self(nested);
  body = &self;
  std::string text = lower_jaxpr(detail::trace_to_jaxpr(nested, {kVector}, "make_jaxpr", "f"), {.name = "f"}).str();
  EXPECT_THAT(text, HasSubstr("@deep_197"));
}

TEST(Lower, NamesThePrimitiveWithoutARule) {
  static constinit const Primitive mystery_p{
      .name = "mystery", .abstract_eval = [](const Avals& in, const EqnParams&) -> Avals { return in; }};
  Jaxpr jaxpr = traced([](const Arrays& in) -> Arrays { return {bind(mystery_p, in)}; }, {kVector});
  try {
    lower_jaxpr(jaxpr, {.name = "f"});
    FAIL();
  } catch (const UnimplementedError& e) {
    EXPECT_STREQ(e.what(), "mystery: no lowering rule; write one in src/ops/mystery.cpp");
  }
}

}  // namespace
}  // namespace tenon
