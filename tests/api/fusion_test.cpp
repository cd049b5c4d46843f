// What becomes one kernel and what it costs: the facts that users are promised (acceptance a3, a6).
#include <gtest/gtest.h>

#include "support/expect_error.h"
#include "support/random_array.h"
#include "tenon/testkit.h"

namespace tenon {
namespace {

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

}  // namespace
}  // namespace tenon
