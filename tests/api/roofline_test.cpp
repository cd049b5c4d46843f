// Kernels against the machine: names and sums are those of the text and of the cost analysis, bounds are what they must be,
// and times are measured. No test says how long anything takes.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <sstream>
#include <thread>

#include "support/expect_error.h"
#include "support/random_array.h"
#include "tenon/testkit.h"

namespace tenon {
namespace {

template <class F, class... A>
auto compile(F f, A... args) { return jit(f).lower(args...).compile(); }

using Names = std::vector<std::string>;

/// Instructions of the entry in the program's text that are more than names of memory.
Names launched_in_text(const Compiled& program) {
  std::istringstream text(program.as_text());
  Names names;
  bool entry = false;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("ENTRY")) entry = true;
    if (line.starts_with("}")) entry = false;
    const size_t equals = line.find(" = ");
    if (!entry || equals == std::string::npos) continue;
    bool is_name = false;
    for (const char* opcode : {" parameter(", " constant(", " bitcast(", " tuple(", " get-tuple-element("}) is_name |= line.find(opcode) != std::string::npos;
    const size_t percent = line.find('%');
    if (!is_name) names.push_back(line.substr(percent + 1, equals - percent - 1));
  }
  return names;
}
Names names_of(const RooflineReport& report) {
  Names names;
  for (const RooflineKernel& kernel : report)
    if (kernel.depth == 0) names.push_back(kernel.name);
  return names;
}
double cost(const Compiled& program, const char* key) { return program.cost_analysis().count(key) ? program.cost_analysis()[key] : 0; }

template <class Program>
void expect_agrees(const Program& program) {
  const RooflineReport report = static_cast<const Compiled&>(program).roofline();
  EXPECT_EQ(names_of(report), launched_in_text(program)) << program.as_text();
  const double flops = cost(program, "flops"), transcendentals = cost(program, "transcendentals"), bytes = cost(program, "bytes accessed");
  EXPECT_NEAR(report.flops(), flops, 1e-6 * flops) << program.as_text();
  EXPECT_NEAR(report.transcendentals(), transcendentals, 1e-6 * transcendentals);
  EXPECT_NEAR(report.bytes(), bytes, 1e-6 * bytes);
  for (const RooflineKernel& kernel : report) EXPECT_TRUE(kernel.predicted_seconds > 0) << kernel.name;
  EXPECT_EQ(report.calls(), 0);
}

TEST(Roofline, NamesAndSumsAreThoseOfTheProgram) {
  const Array x = test::normal(1, {128, 96}), w = test::normal(2, {96, 160}), v = test::normal(3, {160, 10});
  expect_agrees(compile([](Array x, Array w, Array v) { return nn::softmax(jnp::matmul(nn::relu(jnp::matmul(x, w)), v)); }, x, w, v));
  expect_agrees(compile([](Array x) { return std::tuple(jnp::sort(x), jnp::cumsum(jnp::sin(x), {.axis = 0}), x.sum()); }, x));
  expect_agrees(compile([](Array x) { return std::pair{x, x * 2.0}; }, x));
  expect_agrees(compile([](Array x) { return lax::cond(x.sum() > 0, [](Array v) { return jnp::sin(v); }, [](Array v) { return -v; }, x); }, x));
  expect_agrees(compile([](Array x) { return lax::while_loop([](Array s) { return s.sum() < 1e3; }, [](Array s) { return jnp::cumsum(s, {.axis = 0}); }, x); }, x));
  const config::Scope wide({{"enable_x64", true}});
  expect_agrees(compile([](Array x) { return jnp::exp(x).sum(); }, x.astype(jnp::float64)));
}

TEST(Roofline, OfAProgramWithoutKernels) {
  const auto same = compile([](Array x) { return x; }, jnp::ones({3}));
  expect_agrees(same);  // a copy
  EXPECT_EQ(same.roofline(jnp::ones({3}))[0].opcode, "copy");
  const auto constant = jit([] { return jnp::float32(3); }).lower().compile();
  expect_agrees(constant);
  EXPECT_GT(constant.roofline().calls(), 0);  // no arguments: it runs
  EXPECT_FALSE(constant.roofline().str().empty());
}

TEST(Roofline, BoundsAreWhatTheyMustBe) {
  const Array m = test::normal(1, {768, 768});
  const RooflineReport product = compile([](Array a, Array b) { return jnp::matmul(a, b); }, m, m).roofline(m, m);
  ASSERT_EQ(product.size(), 1u);
  EXPECT_EQ(product[0].opcode, "dot");
  EXPECT_EQ(product[0].bound, Bound::compute);
  const Array large = jnp::ones({24 << 20});
  const RooflineReport sum = static_cast<const Compiled&>(compile([](Array a, Array b) { return a + b; }, large, large)).roofline();
  ASSERT_EQ(sum.size(), 1u);
  EXPECT_EQ(sum[0].bound, Bound::memory);
  EXPECT_GT(sum[0].predicted_seconds, sum.machine().launch_seconds);
  const Array tiny = jnp::ones({4});
  const RooflineReport one = compile([](Array a, Array b) { return a + b; }, tiny, tiny).roofline(tiny, tiny);
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].bound, Bound::overhead);
  const Array cached = jnp::ones({64, 64});
  const RooflineReport functions = compile([](Array a) { return jnp::sin(jnp::exp(jnp::tanh(a))) * jnp::cos(jnp::log(a)); }, cached).roofline(cached);
  EXPECT_EQ(functions[0].bound, Bound::compute);
}

TEST(Roofline, MeasuresKernels) {
  const Array x = test::normal(1, {512, 256}), w = test::normal(2, {256, 512});
  const auto compiled = compile([](Array x, Array w) { return jnp::cumsum(jnp::sin(lax::optimization_barrier(jnp::matmul(x, w))), {.axis = 0}); }, x, w);
  const auto begin = std::chrono::steady_clock::now();
  const RooflineReport report = compiled.roofline(x, w);
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  ASSERT_EQ(names_of(report), launched_in_text(compiled));
  ASSERT_EQ(report.size(), 3u);
  EXPECT_GE(report.calls(), 5);
  EXPECT_LE(report.call_seconds() * report.calls() / 2, wall);  // half of the calls take the median or more
  double shares = 0;
  for (const RooflineKernel& kernel : report) {
    EXPECT_EQ(kernel.runs, 1) << kernel.name;
    EXPECT_GT(kernel.measured_seconds, 0) << kernel.name;
    EXPECT_DOUBLE_EQ(kernel.achieved, kernel.predicted_seconds / kernel.measured_seconds);
    EXPECT_DOUBLE_EQ(kernel.share, kernel.measured_seconds / report.call_seconds());
    shares += kernel.share;
  }
  EXPECT_LT(shares, 1.5);  // of medians, which are not of one call
  EXPECT_DOUBLE_EQ(report.measured_seconds(), shares * report.call_seconds());
}

TEST(Roofline, LoopsAndBranchesCountRuns) {
  const Array x = test::normal(1, {64, 64});
  const auto f = [](Array x, Array n) {
    const auto body = [](std::pair<Array, Array> c) {
      const Array odd = lax::cond(c.first % 2 == 1, [](Array v) { return jnp::tanh(jnp::matmul(v, v)); }, [](Array v) { return jnp::sort(v); }, c.second);
      return std::pair{c.first + 1, odd};
    };
    return lax::while_loop([n](std::pair<Array, Array> c) { return c.first < n; }, body, std::pair{jnp::int32(0), x}).second;
  };
  const auto compiled = compile(f, x, jnp::int32(0));
  expect_agrees(compiled);
  const RooflineReport report = compiled.roofline(x, 7);
  const RooflineKernel *loop = nullptr, *branch = nullptr, *product = nullptr, *sort = nullptr;
  for (const RooflineKernel& kernel : report) {
    if (kernel.opcode == "while") loop = &kernel;
    if (kernel.opcode == "conditional") branch = &kernel;
    if (kernel.opcode == "dot") product = &kernel;
    if (kernel.opcode == "sort") sort = &kernel;
  }
  ASSERT_TRUE(loop && branch && product && sort) << report.str();
  EXPECT_EQ(loop->runs, 1);
  EXPECT_EQ(loop->rounds, 7);
  EXPECT_EQ(branch->runs, 7);
  EXPECT_EQ(product->runs, 3);
  EXPECT_EQ(sort->runs, 4);
  EXPECT_EQ(branch->depth, loop->depth + 1);
  EXPECT_EQ(product->depth, branch->depth + 1);
  EXPECT_LT(branch->measured_seconds, loop->measured_seconds * 1.5);
  EXPECT_GT(loop->predicted_seconds, branch->predicted_seconds);
  const RooflineReport none = compiled.roofline(x, 1);  // one round, and no product
  for (const RooflineKernel& kernel : none) {
    if (kernel.opcode != "dot") continue;
    EXPECT_EQ(kernel.runs, 0);
    EXPECT_EQ(kernel.measured_seconds, 0);
    EXPECT_EQ(kernel.achieved, 0);
  }
}

TEST(Roofline, DonatedArgumentsStay) {
  const auto f = jit([](Array t) { return t + 1.0; }, {.donate_argnums = {0}});
  const Array x = jnp::ones({64, 64});
  const auto compiled = f.lower(x).compile();
  EXPECT_EQ(compiled.roofline(x).size(), 1u);
  EXPECT_EQ(x.to_vector<float>()[9], 1.0f);
}

TEST(Roofline, SaysWhatIsWrong) {
  const auto compiled = compile([](Array x) { return x * 2.0; }, jnp::ones({3}));
  EXPECT_ERROR_HAS(TypeError, compiled.roofline(jnp::ones({4})), "was compiled for f32[3]; got f32[4]");
  EXPECT_ERROR_HAS(ValueError, Compiled().roofline(), "the Compiled is empty");
  const config::Scope reference({{"default_backend", "reference"}});
  const auto evaluated = compile([](Array x) { return x * 2.0; }, jnp::ones({3}));
  EXPECT_EQ(evaluated.roofline().size(), 1u);
  EXPECT_ERROR_HAS(UnimplementedError, evaluated.roofline(jnp::ones({3})), "the backend 'reference' does not tell when its kernels run");
}

TEST(Roofline, TheTextIsATable) {
  const Array x = test::normal(1, {128, 128});
  const auto compiled = compile([](Array x) { return std::pair{jnp::matmul(x, x), jnp::sort(x)}; }, x);
  EXPECT_TRUE(testkit::check_ir(static_cast<const Compiled&>(compiled).roofline().str(), R"(
    CHECK: roofline of jit_{{.*}}: 2 kernels
    CHECK: machine 1 thread
    CHECK: L1, {{[0-9]+}} KiB
    CHECK: memory
    CHECK: kernel flops transc. bytes in bound predicted
    CHECK-NOT: measured
    CHECK: dot.1 4.19 M 0
    CHECK: sum
  )"));
  const std::string text = compiled.roofline(x).str();
  EXPECT_TRUE(testkit::check_ir(text, R"(
    CHECK: a call (median of
    CHECK: predicted runs measured share achieved
    CHECK: dot.1 {{.*}} {{[0-9.]+}} %
    CHECK: sum
  )")) << text;
}

TEST(Roofline, TheMachineIsMeasuredOnceForASizeOfThePool) {
  const config::Scope two({{"num_threads", 2}});
  std::vector<const MachineRoofline*> seen(4);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < seen.size(); ++i) {
    threads.emplace_back([&, i] {
      const config::Scope scope({{"num_threads", 2}});
      seen[i] = &machine_roofline();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const MachineRoofline* machine : seen) EXPECT_EQ(machine, &machine_roofline());
  const MachineRoofline& machine = machine_roofline();
  EXPECT_EQ(machine.pool.threads, 2);
  EXPECT_EQ(machine.thread.threads, 1);
  for (const MachineRoofline::Rates& rates : {machine.thread, machine.pool}) {
    EXPECT_GT(rates.f32_flops, 1e8);
    EXPECT_GT(rates.f64_flops, 1e8);
    EXPECT_GT(rates.f32_flops, rates.f32_transcendentals);
    EXPECT_GT(rates.f64_flops, rates.f64_transcendentals);
    ASSERT_GE(rates.memories.size(), 2u);
    EXPECT_EQ(rates.memories.back().name, "memory");
    for (const MachineRoofline::Memory& memory : rates.memories) EXPECT_GT(memory.bytes_per_second, 1e8) << memory.name;
    EXPECT_EQ(rates.memory_of(1).name, rates.memories.front().name);
    EXPECT_EQ(rates.memory_of(1e12).name, "memory");
  }
  EXPECT_GT(machine.launch_seconds, 0);
  EXPECT_GT(machine.region_seconds, 0);
  const config::Scope one({{"num_threads", 1}});
  EXPECT_EQ(machine_roofline().pool.threads, 1);
  EXPECT_EQ(machine_roofline().thread.f32_flops, machine.thread.f32_flops);
  EXPECT_EQ(machine_roofline().region_seconds, 0);
}

}  // namespace
}  // namespace tenon
