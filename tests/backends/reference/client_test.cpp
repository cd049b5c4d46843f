#include "backends/reference/client.h"

#include <gtest/gtest.h>

#include <vector>

#include "dialect/module.h"
#include "passes/pipeline.h"
#include "tenon/error.h"

namespace tenon::reference {
namespace {

constexpr const char kProgram[] = R"(
func.func public @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<f32> {
  %m = stablehlo.multiply %a, %b : tensor<4xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%m init: %z) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %s : tensor<f32>
})";

float run(const Module& module) {
  const std::vector<float> a{1, 2, 3, 4}, b{5, 6, 7, 8};
  const ExecutableRef executable = client().compile(module);
  const BufferRefs results = executable->execute(
      {client().copy_from_host(a.data(), 16, 0), client().copy_from_host(b.data(), 16, 0)}, {});
  return *static_cast<const float*>(results[0]->host_data());
}

TEST(Reference, RunsModulesBeforeAndAfterPasses) {
  const Module module = Module::parse(kProgram);
  EXPECT_EQ(run(module), 70);
  EXPECT_EQ(run(passes::optimize(module)), 70);
}

TEST(Reference, IsFoundByName) { EXPECT_EQ(&find_client("reference"), &client()); }

TEST(Reference, RefusesOtherArguments) {
  const ExecutableRef executable = client().compile(Module::parse(kProgram));
  EXPECT_THROW(executable->execute({}, {}), TypeError);
  const float one = 1;
  const BufferRef small = client().copy_from_host(&one, 4, 0);
  EXPECT_THROW(executable->execute({small, small}, {}), TypeError);
}

}  // namespace
}  // namespace tenon::reference
