// What becomes one kernel and what it costs: the facts that users are promised (acceptance a3, a6).
#include <gtest/gtest.h>

#include "support/expect_error.h"
#include "support/random_array.h"
#include "tenon/testkit.h"

namespace tenon {
namespace {

// Tiles of one kernel have as many lanes as its widest numbers leave: two of float32 beside float64 in SSE.
TEST(Transposes, OfNarrowNumbersBesideWideOnes) {
  const config::Scope wide({{"enable_x64", true}});
  for (const char* target : {"baseline", "native"}) {
    for (const DType& from : {jnp::float32, jnp::int32, jnp::uint32, jnp::float16, jnp::int8, jnp::float64}) {
      for (const DType& to : {jnp::float64, jnp::int64, jnp::float32}) {
        for (const Shape& shape : {Shape{4, 15}, Shape{15, 4}, Shape{2, 2}, Shape{33, 70}}) {
          SCOPED_TRACE(testing::Message() << target << ", " << from << " to " << to << ", " << shape);
          const Array x = (jnp::arange(shape.num_elements()).reshape(shape) % 101).astype(from), mask = jnp::array({true, false, true});
          const auto f = [=](Array a, Array m) {
            const Array y = jnp::broadcast_to(a.astype(to).T(), {3, shape[1], shape[0]});
            return jnp::where(m.reshape({3, 1, 1}), -y, y);
          };
          const Array got = jit(f, {.compile_options = {.config = {{"cpu_target", target}}}})(x, mask);
          EXPECT_TRUE(jnp::array_equal(got, jit(f, {.backend = "reference"})(x, mask)).item<bool>());
        }
      }
    }
  }
}

template <class F, class... A>
auto compile(F f, A... args) { return jit(f).lower(args...).compile(); }

constexpr double kN = 1000.0 * 1000.0;

class Fusion : public testing::Test {
 protected:
  Array x = test::uniform(0, {1000, 1000}), y = test::uniform(1, {1000, 1000});
};

TEST_F(Fusion, AChainIsOneKernel) {
  auto chain = [](Array a, Array b) { return jnp::exp(jnp::log(a) + b); };
  auto fused = compile(chain, x, y);
  EXPECT_EQ(testkit::fusions(fused), 1);
  EXPECT_EQ(testkit::bytes_accessed(fused), 3 * 4 * kN);
  EXPECT_EQ(fused(x, y).to_vector<float>(), chain(x, y).to_vector<float>());
}

TEST_F(Fusion, SwitchedOffEachOperationIsAKernelAndLivesInTheOutput) {
  auto chain = [](Array a, Array b) { return jnp::exp(jnp::log(a) + b); };
  auto fused = compile(chain, x, y);
  config::Scope scope({{"disable_passes", "fusion"}});
  auto unfused = compile(chain, x, y);
  EXPECT_EQ(testkit::fusions(unfused), 3);
  EXPECT_EQ(testkit::bytes_accessed(unfused), 7 * 4 * kN);
  EXPECT_EQ(testkit::temp_bytes(unfused), 0);
  EXPECT_EQ(unfused(x, y).to_vector<float>(), fused(x, y).to_vector<float>());
}

TEST_F(Fusion, ABarrierMakesTwoKernels) {
  auto chain = [](Array t) { return jnp::exp(jnp::log(jnp::abs(t) + 1.0) * 2.0); };
  auto barrier = [](Array t) { return jnp::exp(lax::optimization_barrier(jnp::log(jnp::abs(t) + 1.0)) * 2.0); };
  EXPECT_EQ(testkit::fusions(compile(chain, x)), 1);
  EXPECT_EQ(testkit::fusions(compile(barrier, x)), 2);
  EXPECT_EQ(jit(barrier)(x).to_vector<float>(), jit(chain)(x).to_vector<float>());
}

TEST_F(Fusion, KernelsAndBytesOfAnExercise) {
  auto h1 = [](Array t) { return jnp::square(jnp::tanh(t * 3.0 + 1.0)); };
  auto h2 = [](Array t) { return jnp::square(jnp::tanh(lax::optimization_barrier(t * 3.0 + 1.0))); };
  Array t = test::normal(123, {256, 384});
  double nbytes = static_cast<double>(t.nbytes());
  auto c1 = compile(h1, t), c2 = compile(h2, t);
  EXPECT_EQ(testkit::fusions(c1), 1);
  EXPECT_EQ(testkit::fusions(c2), 2);
  EXPECT_EQ(testkit::bytes_accessed(c1), 2 * nbytes);
  EXPECT_EQ(testkit::bytes_accessed(c2), 4 * nbytes);
  EXPECT_EQ(jit(h1)(t).to_vector<float>(), jit(h2)(t).to_vector<float>());
}

Array simple_computation(Array x, Array a, Array b) { return a * jnp::sin(x) + b; }

TEST(Stages, OfTheSimpleComputation) {
  Array xs = jnp::ones({1000, 1000});
  auto lowered = jit<simple_computation>().lower(xs, 2.0, 1.0);
  EXPECT_TRUE(testkit::check_ir(lowered.as_text(), "CHECK: module @jit_simple_computation\nCHECK: stablehlo.sine"));
  EXPECT_EQ(lowered.as_text({.dialect = "hlo"}).find(" fusion("), std::string::npos);
  EXPECT_ERROR_HAS(ValueError, lowered.as_text({.dialect = "bytecode"}), "there is no dialect 'bytecode'");
  auto compiled = lowered.compile();
  std::string hlo = compiled.as_text();
  EXPECT_TRUE(hlo.starts_with("HloModule jit_simple_computation"));
  EXPECT_EQ(testkit::fusions(compiled), 1);
  EXPECT_THAT(hlo, testing::HasSubstr("kind=kLoop"));
  EXPECT_THAT(hlo, testing::HasSubstr("f32[1000,1000]{1,0}"));
  auto cost = compiled.cost_analysis();
  EXPECT_EQ(cost["flops"], 2 * kN);
  EXPECT_EQ(cost["transcendentals"], kN);
  EXPECT_EQ(cost["bytes accessed"], 2 * 4 * kN + 8);
  EXPECT_EQ(cost.count("bytes accessed0{}"), 1);
  EXPECT_ERROR_HAS(ValueError, cost["flips"], "there is no key 'flips'");
  auto memory = compiled.memory_analysis();
  EXPECT_EQ(memory.argument_size_in_bytes, 4 * kN + 8);
  EXPECT_EQ(memory.output_size_in_bytes, 4 * kN);
  EXPECT_EQ(memory.temp_size_in_bytes, 0);
  EXPECT_EQ(memory.alias_size_in_bytes, 0);
  EXPECT_NEAR(compiled(xs, 2.0, 1.0).to_vector<float>()[5], 2.0 * std::sin(1.0) + 1.0, 1e-6);
}

TEST(Stages, FoldingHappensInTheCompiler) {
  auto fold = jit([](Array v) { return v * jnp::sin(2.0) + jnp::arange(4.0).sum(); });
  auto lowered = fold.lower(jnp::ones({4}));
  EXPECT_TRUE(testkit::check_ir(lowered.as_text(), "CHECK: stablehlo.sine\nCHECK: stablehlo.reduce"));
  auto compiled = lowered.compile();
  EXPECT_FALSE(testkit::has_instruction(compiled, "sine"));
  EXPECT_FALSE(testkit::has_instruction(compiled, "reduce"));
}

TEST(Stages, IdentitiesGoAndIeeeStays) {
  Array xs = jnp::ones({1000, 1000});
  auto simple = jit([](Array v) { return v * 1.0 + 0.0; }).lower(xs).compile();
  EXPECT_FALSE(testkit::has_instruction(simple, "multiply") || testkit::has_instruction(simple, "add"));
  EXPECT_EQ(testkit::bytes_accessed(simple), 8 * kN);
  auto cancel = jit([](Array p, Array q) { return (p + q) - p; });
  auto compiled = cancel.lower(xs, xs).compile();
  EXPECT_TRUE(testkit::has_instruction(compiled, "add") && testkit::has_instruction(compiled, "subtract"));
  EXPECT_EQ(float(cancel(jnp::float32(1e8), jnp::float32(1.0))), 0.0f);
}

TEST(Truth, WhatTheTextSaysIsWhatHappens) {
  auto f = jit([](Array v) { return jnp::exp(lax::optimization_barrier(v * 2.0)) + 1.0; });
  Array x = test::normal(3, {333, 77});
  auto compiled = f.lower(x).compile();
  testkit::RunCounters run;
  compiled(x).block_until_ready();
  EXPECT_EQ(run.kernels(), testkit::fusions(compiled));
  EXPECT_EQ(run.temp_bytes(), testkit::temp_bytes(compiled));
}

// Each array is read once and written once: moments are results and go into the step.
TEST_F(Fusion, AnOptimizersStepIsOneKernel) {
  const auto adam = [](Array p, Array g, Array m, Array v) {
    const Array m2 = 0.9 * m + 0.1 * g, v2 = 0.999 * v + 0.001 * g * g;
    return std::tuple(p - 0.01 * m2 / (jnp::sqrt(v2) + 1e-8), m2, v2);
  };
  const Array m = x * 0.5, v = y * y;
  const auto step = compile(adam, x, y, m, v);
  EXPECT_EQ(testkit::fusions(step), 1) << step.as_text();
  EXPECT_EQ(testkit::bytes_accessed(step), 7 * 4 * kN + 12);
  EXPECT_EQ(testkit::temp_bytes(step), 0);
  config::Scope scope({{"disable_passes", "fusion"}});
  const auto unfused = compile(adam, x, y, m, v);
  const auto got = step(x, y, m, v), expected = unfused(x, y, m, v);
  EXPECT_EQ(std::get<0>(got).to_vector<float>(), std::get<0>(expected).to_vector<float>());
  EXPECT_EQ(std::get<1>(got).to_vector<float>(), std::get<1>(expected).to_vector<float>());
  EXPECT_EQ(std::get<2>(got).to_vector<float>(), std::get<2>(expected).to_vector<float>());
}

// The row's sum, its quotients and what is made of them leave one kernel, which reads x once.
TEST_F(Fusion, ARowKernelWritesSeveralArraysOfItsShape) {
  const auto f = [](Array a) {
    const Array p = jnp::exp(a) / jnp::sum(jnp::exp(a), {.axis = 1, .keepdims = true});
    return std::tuple(p, jnp::log(p) + a);
  };
  const auto fused = compile(f, x);
  EXPECT_EQ(testkit::fusions(fused), 1) << fused.as_text();
  EXPECT_EQ(testkit::bytes_accessed(fused), 3 * 4 * kN + 8);
  config::Scope scope({{"disable_passes", "fusion"}});
  const auto got = fused(x), expected = compile(f, x)(x);
  EXPECT_EQ(std::get<0>(got).to_vector<float>(), std::get<0>(expected).to_vector<float>());
  EXPECT_EQ(std::get<1>(got).to_vector<float>(), std::get<1>(expected).to_vector<float>());
}

TEST_F(Fusion, TheReportSaysWhatStaysBetweenKernelsAndWhy) {
  const int line = __LINE__ + 1;
  auto f = [](Array a, Array b) { return jnp::cumsum(jnp::exp(lax::optimization_barrier(jnp::log(a) * 2.0)) + b, {.axis = 0}); };
  auto compiled = compile(f, x, y);
  const FusionReport report = compiled.fusion_report();
  ASSERT_EQ(report.size(), 2u) << report.str();
  EXPECT_EQ(report[0].producer, "multiply");
  EXPECT_EQ(report[0].consumer, "exponential");
  EXPECT_EQ(report[0].rule, "an optimization barrier stands between, of lax::optimization_barrier or of checkpoint");
  EXPECT_EQ(report[0].bytes, 2 * x.nbytes());
  EXPECT_NE(report[0].producer_source.find("fusion_test.cpp:" + std::to_string(line)), std::string::npos) << report[0].producer_source;
  EXPECT_NE(report[0].consumer_source.find("fusion_test.cpp:" + std::to_string(line)), std::string::npos);
  EXPECT_NE(compiled.as_text().find("%" + report[0].producer_kernel + " = "), std::string::npos) << report.str();
  EXPECT_EQ(report[1].producer, "add");
  EXPECT_EQ(report[1].consumer, "reduce-window");
  EXPECT_NE(report[1].consumer_source.find("fusion_test.cpp:" + std::to_string(line)), std::string::npos) << "inside of jnp::cumsum";
  EXPECT_EQ(report[1].rule, "what reads it is no kernel, but a routine of the runtime");
  EXPECT_EQ(report.bytes(), 4 * x.nbytes());
  EXPECT_TRUE(testkit::check_ir(report.str(), R"(
    CHECK: 2 arrays between kernels, 15.26 MiB written and read
    CHECK-NEXT: multiply in broadcast_multiply_fusion
    CHECK-SAME: -> exponential in
    CHECK-SAME: 7.63 MiB
    CHECK-NEXT: an optimization barrier stands between
  )")) << report.str();
}

TEST_F(Fusion, TheReportTellsOfProducts) {
  auto rules = [](const FusionReport& report) {
    std::vector<std::string> rules;
    for (const FusionBoundary& boundary : report) rules.push_back(boundary.rule);
    return rules;
  };
  using Rules = std::vector<std::string>;
  auto one = [](Array a, Array b) { return jnp::tanh(jnp::matmul(a, b)); };
  EXPECT_EQ(rules(compile(one, x, y).fusion_report()), Rules());  // one stream
  auto columns = [](Array a, Array b) { return nn::softmax(jnp::matmul(a, b), {.axis = 0}); };
  const FusionReport report = compile(columns, x, y).fusion_report();
  ASSERT_GE(report.size(), 1u);
  EXPECT_EQ(report[0].producer, "dot");
  auto right = [](Array a, Array b) { return jnp::matmul(b, jnp::matmul(a, b)); };
  EXPECT_EQ(rules(compile(right, x, y).fusion_report()), Rules{"it is the right operand of a product, which is read again for each row; the transposed product has it on the left"});
  Array small = jnp::ones({20, 20});
  EXPECT_EQ(rules(compile(one, small, small).fusion_report()), Rules{"so small that it stays in the cache (stream_min_bytes)"});
  config::Scope scope({{"disable_passes", "fusion"}});
  auto off = compile([](Array a) { return jnp::exp(jnp::log(a)); }, x).fusion_report();
  EXPECT_EQ(rules(off), Rules{"fusion is switched off, or its limit is reached (disable_passes, bisect_limit)"});
}

std::string rule_between(const FusionReport& report, std::string_view producer, std::string_view consumer) {
  for (const FusionBoundary& boundary : report)
    if (boundary.producer == producer && boundary.consumer == consumer) return boundary.rule;
  return "no such boundary\n" + report.str();
}

TEST_F(Fusion, TheReportTellsOfSecondReaders) {
  const char* rule = "several read it, or it is a result: all of it must be in memory";
  const auto operand = compile([](Array a, Array b) {
    const Array e = jnp::exp(a);
    return std::pair{jnp::matmul(e, b), jnp::sum(e, {.axis = 0})};
  }, x, y).fusion_report();
  EXPECT_EQ(rule_between(operand, "exponential", "dot"), rule);
  const auto product = compile([](Array a, Array b) {
    const Array p = jnp::matmul(a, b);
    return std::pair{jnp::tanh(p), jnp::sum(p, {.axis = 0})};
  }, x, y).fusion_report();
  EXPECT_EQ(rule_between(product, "dot", "tanh"), rule);
  EXPECT_EQ(rule_between(product, "dot", "reduce"), rule);
  const auto result = compile([](Array a, Array b) {
    const Array p = jnp::matmul(a, b);
    return std::pair{p, jnp::tanh(p)};
  }, x, y).fusion_report();
  EXPECT_EQ(rule_between(result, "dot", "tanh"), rule);
  config::Scope scope({{"disable_passes", "stream-rows"}});
  const auto without_streams = compile([](Array a, Array b) {
    const Array p = jnp::matmul(a, b);
    return std::pair{p, jnp::tanh(p)};
  }, x, y).fusion_report();
  EXPECT_EQ(rule_between(without_streams, "dot", "tanh"), "the product is needed elsewhere as well");
}

TEST_F(Fusion, TheReportTellsOfBarriersBesideProducts) {
  const char* rule = "an optimization barrier stands between, of lax::optimization_barrier or of checkpoint";
  EXPECT_EQ(rule_between(compile([](Array a, Array b) { return jnp::matmul(lax::optimization_barrier(jnp::exp(a)), b); }, x, y).fusion_report(), "exponential", "dot"), rule);
  EXPECT_EQ(rule_between(compile([](Array a, Array b) { return jnp::tanh(lax::optimization_barrier(jnp::matmul(a, b))); }, x, y).fusion_report(), "dot", "tanh"), rule);
  const auto reshaped = [](Array a, Array b) { return jnp::tanh(lax::optimization_barrier(jnp::matmul(a, b)).reshape({100, 100, 100})); };
  EXPECT_EQ(rule_between(compile(reshaped, x, y).fusion_report(), "dot", "tanh"), rule);
}

TEST_F(Fusion, TheReportTellsOfKernelsWithSmallProducts) {
  const Array a = test::normal(1, {100, 100}), b = test::normal(2, {100, 100});
  const auto maker = [](Array a, Array b) {
    const Array sums = jnp::sum(jnp::matmul(a, b), {.axis = 1, .keepdims = true});
    return jnp::matmul(jnp::tanh(a + sums), b);
  };
  const auto compiled = compile(maker, a, b);
  EXPECT_NE(compiled.as_text().find("kind=kCustom"), std::string::npos);
  const FusionReport report = compiled.fusion_report();
  EXPECT_EQ(rule_between(report, "tanh", "dot"), "what makes it is a kernel with a small product inside");
  const auto reader = [](Array a, Array b) { return jnp::sum(jnp::matmul(a, b) * jnp::matmul(b, a), {.axis = 1}); };
  const FusionReport both = compile(reader, a, b).fusion_report();
  ASSERT_EQ(both.size(), 1u) << both.str();
  EXPECT_EQ(both[0].rule, "what reads it is a kernel with a small product inside");
}

TEST_F(Fusion, TheReportKnowsTheLineOfFunctionsWithDerivativesOfTheirOwn) {
  const int line = __LINE__ + 1;
  const auto f = [](Array a) { return nn::relu6(lax::optimization_barrier(nn::relu(lax::optimization_barrier(a * 2.0)))); };
  const FusionReport report = compile(f, x).fusion_report();
  ASSERT_EQ(report.size(), 2u) << report.str();
  const std::string here = "fusion_test.cpp:" + std::to_string(line);
  EXPECT_EQ(report[0].consumer, "maximum");
  for (const FusionBoundary& boundary : report) {
    EXPECT_NE(boundary.producer_source.find(here), std::string::npos) << boundary.producer_source;
    EXPECT_NE(boundary.consumer_source.find(here), std::string::npos) << boundary.consumer_source;
  }
}

}  // namespace
}  // namespace tenon
