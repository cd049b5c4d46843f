#include "ir_text.h"
#include "passes/fusion_boundaries.h"

namespace tenon::passes {
namespace {

std::string optimized_text(std::string_view signature, std::string_view body, const PipelineOptions& options = {}) {
  return optimized(main_text(signature, body), options).str();
}
std::vector<FusionBoundary> boundaries_of(std::string_view signature, std::string_view body) {
  PipelineOptions options;
  options.explain = true;
  return fusion_boundaries(optimized(main_text(signature, body), options));
}
constexpr const char* kUnary = "(%arg0: tensor<100x100xf32>) -> tensor<100x100xf32>";
constexpr const char* kBinary = "(%arg0: tensor<100x100xf32>, %arg1: tensor<100x100xf32>) -> tensor<100x100xf32>";
constexpr const char* kExpLog = R"(
    %0 = stablehlo.log %arg0 : tensor<100x100xf32>
    %1 = stablehlo.add %0, %arg1 : tensor<100x100xf32>
    %2 = stablehlo.exponential %1 : tensor<100x100xf32>
    return %2 : tensor<100x100xf32>)";

TEST(Fuse, AChainIsOneKernel) {
  EXPECT_IR(optimized_text(kBinary, kExpLog), R"(
    CHECK: %[[F:.+]] = tenon.fusion
    CHECK-SAME: "add_exponential_fusion"
    CHECK: stablehlo.log
    CHECK-NEXT: stablehlo.add
    CHECK-NEXT: stablehlo.exponential
    CHECK-NEXT: tenon.yield
    CHECK-NOT: tenon.fusion
    CHECK: return %[[F]]
  )");
}

TEST(Fuse, SwitchedOffEachOperationIsAKernelAndNothingIsAllocated) {
  PipelineOptions options;
  options.disable_passes = "fusion";
  std::string text = optimized_text(kBinary, kExpLog, options);
  EXPECT_IR(text, R"(
    CHECK: tenon.temp_size_bytes = 0 : i64
    CHECK: wrapped_log
    CHECK: wrapped_add
    CHECK: wrapped_exponential
  )");
}

TEST(Fuse, ABarrierMakesTwoKernels) {
  EXPECT_IR(optimized_text(kUnary, R"(
    %0 = stablehlo.log %arg0 : tensor<100x100xf32>
    %1 = stablehlo.optimization_barrier %0 : tensor<100x100xf32>
    %2 = stablehlo.exponential %1 : tensor<100x100xf32>
    return %2 : tensor<100x100xf32>)"),
            R"(
    CHECK: tenon.fusion
    CHECK: tenon.fusion
    CHECK-NOT: optimization_barrier
    CHECK: return
  )");
}

TEST(Fuse, PairwiseDistancesAreOneKernel) {
  EXPECT_IR(optimized_text("(%arg0: tensor<1000x64xf32>, %arg1: tensor<1500x64xf32>) -> tensor<1000x1500xf32>", R"(
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 2] : (tensor<1000x64xf32>) -> tensor<1000x1x64xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<1500x64xf32>) -> tensor<1x1500x64xf32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [0, 1, 2] : (tensor<1000x1x64xf32>) -> tensor<1000x1500x64xf32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2] : (tensor<1x1500x64xf32>) -> tensor<1000x1500x64xf32>
    %4 = stablehlo.subtract %2, %3 : tensor<1000x1500x64xf32>
    %5 = stablehlo.multiply %4, %4 : tensor<1000x1500x64xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.reduce(%5 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<1000x1500x64xf32>, tensor<f32>) -> tensor<1000x1500xf32>
    %7 = stablehlo.sqrt %6 : tensor<1000x1500xf32>
    return %7 : tensor<1000x1500xf32>)"),
            R"(
    CHECK: tenon.temp_size_bytes = 0 : i64
    CHECK: tenon.fusion {{.*}}input
    CHECK: stablehlo.reduce
    CHECK: stablehlo.sqrt
    CHECK-NOT: tenon.fusion
    CHECK: return
  )");
}

TEST(Fuse, ExpensiveWorkIsNotDoneTwice) {  // exp is read by two kernels
  EXPECT_IR(optimized_text("(%arg0: tensor<100x100xf32>) -> (tensor<100xf32>, tensor<100xf32>)", R"(
    %cst = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.exponential %arg0 : tensor<100x100xf32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<100x100xf32>, tensor<f32>) -> tensor<100xf32>
    %2 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<100x100xf32>, tensor<f32>) -> tensor<100xf32>
    return %1, %2 : tensor<100xf32>, tensor<100xf32>)"),
            R"(
    CHECK-COUNT-1: stablehlo.exponential
    CHECK-NOT: stablehlo.exponential
    CHECK: return
  )");
}

TEST(Fuse, CheapWorkIsRepeatedInsteadOfStored) {
  EXPECT_IR(optimized_text("(%arg0: tensor<100x100xf32>) -> (tensor<100x100xf32>, tensor<100xf32>)", R"(
    %cst = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.negate %arg0 : tensor<100x100xf32>
    %1 = stablehlo.sine %0 : tensor<100x100xf32>
    %2 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<100x100xf32>, tensor<f32>) -> tensor<100xf32>
    return %1, %2 : tensor<100x100xf32>, tensor<100xf32>)"),
            R"(
    CHECK: tenon.temp_size_bytes = 0 : i64
    CHECK-COUNT-2: stablehlo.negate
    CHECK: return
  )");
}

TEST(Fuse, TwoReductionsOfOneInputMeetInOneKernel) {
  EXPECT_IR(optimized_text("(%arg0: tensor<100x100xf32>) -> tensor<100xf32>", R"(
    %cst = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<100x100xf32>
    %1 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<100x100xf32>, tensor<f32>) -> tensor<100xf32>
    %2 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<100x100xf32>, tensor<f32>) -> tensor<100xf32>
    %3 = stablehlo.subtract %2, %1 : tensor<100xf32>
    return %3 : tensor<100xf32>)"),
            R"(
    CHECK-COUNT-1: tenon.fusion
    CHECK-NOT: tenon.fusion
    CHECK: return
  )");
}

TEST(Fuse, ReductionsOfOneInputAreOneKernelOfSeveralResults) {
  EXPECT_IR(optimized_text("(%arg0: tensor<100x100xf32>) -> (tensor<100xf32>, tensor<100xf32>)", R"(
    %cst = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<100x100xf32>
    %1 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<100x100xf32>, tensor<f32>) -> tensor<100xf32>
    %2 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<100x100xf32>, tensor<f32>) -> tensor<100xf32>
    return %1, %2 : tensor<100xf32>, tensor<100xf32>)"),
            R"(
    CHECK: %[[F:.+]]:2 = tenon.fusion input
    CHECK-NOT: tenon.fusion
    CHECK: return %[[F]]#0, %[[F]]#1
  )");
}

TEST(Fuse, AReductionThatNeedsAnotherStaysAlone) {
  EXPECT_IR(optimized_text("(%arg0: tensor<100x100xf32>) -> (tensor<100xf32>, tensor<100xf32>)", R"(
    %cst = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<100x100xf32>, tensor<f32>) -> tensor<100xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<100xf32>) -> tensor<100x100xf32>
    %2 = stablehlo.multiply %arg0, %1 : tensor<100x100xf32>
    %3 = stablehlo.reduce(%2 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<100x100xf32>, tensor<f32>) -> tensor<100xf32>
    return %0, %3 : tensor<100xf32>, tensor<100xf32>)"),
            R"(
    CHECK-COUNT-2: tenon.fusion
    CHECK: return
  )");
}

TEST(Fuse, ARowKernelWritesTheReductionsThatOthersNeed) {
  EXPECT_IR(optimized_text("(%arg0: tensor<100x100xf32>) -> (tensor<100x100xf32>, tensor<100xf32>)", R"(
    %cst = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<100x100xf32>, tensor<f32>) -> tensor<100xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<100xf32>) -> tensor<100x100xf32>
    %2 = stablehlo.divide %arg0, %1 : tensor<100x100xf32>
    %3 = stablehlo.log %0 : tensor<100xf32>
    return %2, %3 : tensor<100x100xf32>, tensor<100xf32>)"),
            R"(
    CHECK: %[[F:.+]]:2 = tenon.fusion input
    CHECK: stablehlo.divide
    CHECK: tenon.fusion
    CHECK: stablehlo.log
    CHECK-NOT: tenon.fusion
    CHECK: return %[[F]]#
  )");
}

// A moment and the step made of it, as optimizers write them.
TEST(Fuse, AnElementwiseKernelWritesWhatOthersNeed) {
  EXPECT_IR(optimized_text("(%arg0: tensor<1000xf32>, %arg1: tensor<1000xf32>) -> (tensor<1000xf32>, tensor<1000xf32>)", R"(
    %0 = stablehlo.multiply %arg0, %arg1 : tensor<1000xf32>
    %1 = stablehlo.sine %0 : tensor<1000xf32>
    return %0, %1 : tensor<1000xf32>, tensor<1000xf32>)"),
            R"(
    CHECK: %[[F:.+]]:2 = tenon.fusion loop
    CHECK-NOT: tenon.fusion
    CHECK: return %[[F]]#1, %[[F]]#0
  )");
}

// Several threads make the sum of a large array, in a kernel of one result.
TEST(Fuse, ALargeSumIsAKernelOfOneResult) {
  EXPECT_IR(optimized_text("(%arg0: tensor<1000000xf32>) -> (tensor<f32>, tensor<f32>)", R"(
    %cst = stablehlo.constant dense<0.0> : tensor<f32>
    %half = stablehlo.constant dense<0.5> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<1000000xf32>, tensor<f32>) -> tensor<f32>
    %1 = stablehlo.multiply %0, %half : tensor<f32>
    %2 = stablehlo.log %1 : tensor<f32>
    return %1, %2 : tensor<f32>, tensor<f32>)"),
            R"(
    CHECK: tenon.fusion input
    CHECK-NEXT: constant
    CHECK-NEXT: reduce
    CHECK-NEXT: yield
    CHECK: %[[F:.+]]:2 = tenon.fusion loop
    CHECK: return %[[F]]#1, %[[F]]#0
  )");
}

// The sine needs columns that are summed of all of the product: the product cannot wait for it.
TEST(Fuse, AnElementwiseKernelDoesNotWriteWhatItsOperandsNeed) {
  EXPECT_IR(optimized_text("(%arg0: tensor<100x100xf32>, %arg1: tensor<100x100xf32>) -> (tensor<100x100xf32>, tensor<100x100xf32>)", R"(
    %cst = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.multiply %arg0, %arg1 : tensor<100x100xf32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<100x100xf32>, tensor<f32>) -> tensor<100xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [1] : (tensor<100xf32>) -> tensor<100x100xf32>
    %3 = stablehlo.subtract %0, %2 : tensor<100x100xf32>
    %4 = stablehlo.sine %3 : tensor<100x100xf32>
    return %0, %4 : tensor<100x100xf32>, tensor<100x100xf32>)"),
            R"(
    CHECK-COUNT-3: tenon.fusion
    CHECK: return
  )");
}

// What divides x depends on the sum by way of a kernel of its own: the sum cannot wait for the division.
TEST(Fuse, ARowKernelDoesNotWriteWhatItsOperandsNeed) {
  EXPECT_IR(optimized_text("(%arg0: tensor<100x100xf32>) -> tensor<100x100xf32>", R"(
    %cst = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<100x100xf32>, tensor<f32>) -> tensor<100xf32>
    %1 = stablehlo.log %0 : tensor<100xf32>
    %2 = stablehlo.optimization_barrier %1 : tensor<100xf32>
    %3 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<100xf32>) -> tensor<100x100xf32>
    %4 = stablehlo.broadcast_in_dim %2, dims = [1] : (tensor<100xf32>) -> tensor<100x100xf32>
    %5 = stablehlo.divide %arg0, %3 : tensor<100x100xf32>
    %6 = stablehlo.divide %5, %4 : tensor<100x100xf32>
    return %6 : tensor<100x100xf32>)"),
            R"(
    CHECK-COUNT-3: tenon.fusion
    CHECK-NOT: tenon.fusion
    CHECK: return
  )");
}

// Sums of distances to 100 points, whose squares are sums of `neighbours` coordinates.
std::string distances(const std::string& neighbours) {
  const std::string type = "tensor<100x100x" + neighbours + "xf32>";
  return optimized_text("(%arg0: " + type + ") -> tensor<100xf32>", R"(
    %cst = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.multiply %arg0, %arg0 : )" + type + R"(
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [2] : ()" + type + R"(, tensor<f32>) -> tensor<100x100xf32>
    %2 = stablehlo.sqrt %1 : tensor<100x100xf32>
    %3 = stablehlo.reduce(%2 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<100x100xf32>, tensor<f32>) -> tensor<100xf32>
    return %3 : tensor<100xf32>)");
}

TEST(Fuse, ASumOfFewNeighboursJoinsAnotherReduction) {
  EXPECT_IR(distances("3"), R"(
    CHECK-COUNT-1: tenon.fusion
    CHECK-COUNT-2: stablehlo.reduce
    CHECK-NOT: tenon.fusion
    CHECK: return
  )");
}

TEST(Fuse, ASumOfManyNeighboursDoesNotJoinAnotherReduction) {
  EXPECT_IR(distances("9"), R"(
    CHECK-COUNT-2: tenon.fusion
    CHECK-NOT: tenon.fusion
    CHECK: return
  )");
}

constexpr const char* kSoftmax = R"(
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<100x100xf32>, tensor<f32>) -> tensor<100xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<100xf32>) -> tensor<100x1xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<100x1xf32>) -> tensor<100x100xf32>
    %3 = stablehlo.subtract %arg0, %2 : tensor<100x100xf32>
    %4 = stablehlo.exponential %3 : tensor<100x100xf32>
    %cst_0 = stablehlo.constant dense<0.0> : tensor<f32>
    %5 = stablehlo.reduce(%4 init: %cst_0) applies stablehlo.add across dimensions = [1] : (tensor<100x100xf32>, tensor<f32>) -> tensor<100xf32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0] : (tensor<100xf32>) -> tensor<100x100xf32>
    %7 = stablehlo.divide %4, %6 : tensor<100x100xf32>
    return %7 : tensor<100x100xf32>)";

TEST(Fuse, ASoftmaxIsOneKernelOfRows) {
  EXPECT_IR(optimized_text(kUnary, kSoftmax), R"(
    CHECK: tenon.temp_size_bytes = 0 : i64
    CHECK: tenon.fusion input
    CHECK-NOT: tenon.fusion
    CHECK: return
  )");
}

TEST(Fuse, ALayerNormIsOneKernelOfRows) {
  EXPECT_IR(optimized_text(kUnary, R"(
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %n = stablehlo.constant dense<100.0> : tensor<100x1xf32>
    %0 = stablehlo.reduce(%arg0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<100x100xf32>, tensor<f32>) -> tensor<100xf32>
    %1 = stablehlo.reshape %0 : (tensor<100xf32>) -> tensor<100x1xf32>
    %2 = stablehlo.divide %1, %n : tensor<100x1xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<100x1xf32>) -> tensor<100x100xf32>
    %4 = stablehlo.subtract %arg0, %3 : tensor<100x100xf32>
    %5 = stablehlo.multiply %4, %4 : tensor<100x100xf32>
    %6 = stablehlo.reduce(%5 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<100x100xf32>, tensor<f32>) -> tensor<100xf32>
    %7 = stablehlo.reshape %6 : (tensor<100xf32>) -> tensor<100x1xf32>
    %8 = stablehlo.rsqrt %7 : tensor<100x1xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<100x1xf32>) -> tensor<100x100xf32>
    %10 = stablehlo.multiply %4, %9 : tensor<100x100xf32>
    return %10 : tensor<100x100xf32>)"),
            R"(
    CHECK: tenon.temp_size_bytes = 0 : i64
    CHECK: tenon.fusion input
    CHECK-NOT: tenon.fusion
    CHECK: return
  )");
}

TEST(Fuse, ColumnsAreNotKeptForRows) {  // the mean of the columns must be there before the first row
  EXPECT_IR(optimized_text(kUnary, R"(
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<100x100xf32>, tensor<f32>) -> tensor<100xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<100xf32>) -> tensor<100x100xf32>
    %2 = stablehlo.subtract %arg0, %1 : tensor<100x100xf32>
    return %2 : tensor<100x100xf32>)"),
            R"(
    CHECK: tenon.fusion input "reduce_fusion"
    CHECK: tenon.fusion loop
  )");
}

TEST(Fuse, LongRowsAreReadAgain) {
  EXPECT_IR(optimized_text("(%arg0: tensor<10x100000xf32>) -> tensor<10x100000xf32>", R"(
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<10x100000xf32>, tensor<f32>) -> tensor<10xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<10xf32>) -> tensor<10x100000xf32>
    %2 = stablehlo.divide %arg0, %1 : tensor<10x100000xf32>
    return %2 : tensor<10x100000xf32>)"),
            R"(
    CHECK: tenon.fusion input
    CHECK: tenon.fusion loop
  )");
}

constexpr const char* kSumOfProduct = R"(
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<100x100xf32>, tensor<100x100xf32>) -> tensor<100x100xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<100x100xf32>, tensor<f32>) -> tensor<f32>
    return %1 : tensor<f32>)";
constexpr const char* kSumOfProductSignature = "(%arg0: tensor<100x100xf32>, %arg1: tensor<100x100xf32>) -> tensor<f32>";

TEST(Fuse, ASmallProductThatIsReducedStaysInScratch) {
  PipelineOptions options;
  options.fuse_products = true;
  EXPECT_IR(optimized_text(kSumOfProductSignature, kSumOfProduct, options), R"(
    CHECK: tenon.temp_size_bytes = 0 : i64
    CHECK: tenon.fusion custom "dot_reduce_fusion"
    CHECK: stablehlo.dot_general
    CHECK: stablehlo.reduce
    CHECK: return
  )");
}

TEST(Fuse, ABackendWithoutProductsInKernelsGetsTwoSteps) {
  EXPECT_IR(optimized_text(kSumOfProductSignature, kSumOfProduct), R"(
    CHECK: tenon.temp_size_bytes = 40000 : i64
    CHECK: stablehlo.dot_general {{.*}}#tenon.buffer<temp, 0, 0>
    CHECK: tenon.fusion input "reduce_fusion"
  )");
}

TEST(Fuse, RemarksNameTheRule) {
  const auto remarks = boundaries_of(kUnary, R"(
    %0 = stablehlo.log %arg0 : tensor<100x100xf32>
    %1 = stablehlo.optimization_barrier %0 : tensor<100x100xf32>
    %2 = stablehlo.exponential %1 : tensor<100x100xf32>
    return %2 : tensor<100x100xf32>)");
  ASSERT_EQ(remarks.size(), 1u);
  EXPECT_EQ(remarks[0].rule, "an optimization barrier stands between, of lax::optimization_barrier or of checkpoint");
  EXPECT_EQ(remarks[0].consumer, "exponential");
  EXPECT_EQ(remarks[0].bytes, 2 * 40000);
}

TEST(Fuse, AReturnedArgumentIsCopied) {
  EXPECT_IR(optimized_text(kUnary, "    return %arg0 : tensor<100x100xf32>"), R"(
    CHECK: tenon.copy %arg0
    CHECK-NOT: tenon.fusion
  )");
}

// Each rotation reads at two places: in one kernel, 2^n of them.
TEST(Fuse, RotationsOfRotationsAreSeveralKernels) {
  std::string body, last = "%arg0";
  for (int i = 0; i < 12; ++i) {
    const std::string n = std::to_string(i);
    body += "    %a" + n + " = stablehlo.slice " + last + " [1:100, 0:100] : (tensor<100x100xf32>) -> tensor<99x100xf32>\n";
    body += "    %b" + n + " = stablehlo.slice " + last + " [0:1, 0:100] : (tensor<100x100xf32>) -> tensor<1x100xf32>\n";
    body += "    %r" + n + " = stablehlo.concatenate %a" + n + ", %b" + n +
            ", dim = 0 : (tensor<99x100xf32>, tensor<1x100xf32>) -> tensor<100x100xf32>\n";
    body += "    %s" + n + " = stablehlo.negate %r" + n + " : tensor<100x100xf32>\n";
    last = "%s" + n;
  }
  const auto remarks = boundaries_of(kUnary, body + "    return " + last + " : tensor<100x100xf32>");
  ASSERT_FALSE(remarks.empty());
  EXPECT_EQ(remarks[0].rule, "read at more than 32 places for one element: its work would be repeated");
}

// A value that elementwise operations read at places of their own is read at all of these: in one kernel, 2^n times.
// (The gradient of a running maximum is such a program.)
TEST(Fuse, ShiftsOfProductsAreSeveralKernels) {
  std::string body = "    %zero = stablehlo.constant dense<0.0> : tensor<f32>\n", last = "%arg0";
  for (int i = 0; i < 12; ++i) {
    const std::string n = std::to_string(i), pad = " = stablehlo.pad %", types = " : (tensor<100x100xf32>, tensor<f32>) -> tensor<100x100xf32>\n";
    body += "    %a" + n + " = stablehlo.negate " + last + " : tensor<100x100xf32>\n";
    body += "    %b" + n + " = stablehlo.abs " + last + " : tensor<100x100xf32>\n";
    body += "    %p" + n + pad + "a" + n + ", %zero, low = [1, 0], high = [-1, 0], interior = [0, 0]" + types;
    body += "    %q" + n + pad + "b" + n + ", %zero, low = [-1, 0], high = [1, 0], interior = [0, 0]" + types;
    body += "    %s" + n + " = stablehlo.add %p" + n + ", %q" + n + " : tensor<100x100xf32>\n";
    last = "%s" + n;
  }
  const auto remarks = boundaries_of(kUnary, body + "    return " + last + " : tensor<100x100xf32>");
  ASSERT_FALSE(remarks.empty());
  EXPECT_EQ(remarks[0].rule, "read at more than 32 places for one element: its work would be repeated");
}

TEST(Fuse, LongChainsDoNotRecurse) {
  std::string body;
  for (int i = 0; i < 20000; ++i) {
    body += "    %" + std::to_string(i) + " = stablehlo.negate " + (i == 0 ? "%arg0" : "%" + std::to_string(i - 1)) + " : tensor<100x100xf32>\n";
    if (i % 2 == 0) body.replace(body.rfind("negate"), 6, "abs");
  }
  std::string text = optimized_text(kUnary, body + "    return %19999 : tensor<100x100xf32>");
  EXPECT_NE(text.find("tenon.fusion"), std::string::npos);
}

TEST(Pipeline, UnknownPassesAreNamed) {
  PipelineOptions options;
  options.disable_passes = "fusion, cse";
  try {
    optimized_text(kUnary, "    return %arg0 : tensor<100x100xf32>", options);
    FAIL();
  } catch (const ValueError& error) {
    EXPECT_IR(std::string(error.what()), "CHECK: disable_passes: there is no pass 'cse' that can be switched off; there are: {{.*}}fusion");
  }
}

TEST(Pipeline, AllThatCanBeSwitchedOffCanBeAtOnce) {
  PipelineOptions options;
  options.disable_passes = "all";
  std::vector<std::string> ran;
  options.on_pass = [&](int, std::string_view name, const Module&) { ran.emplace_back(name); };
  EXPECT_EQ(optimized_text(kBinary, kExpLog, options).find("add_exponential_fusion"), std::string::npos);
  EXPECT_FALSE(ran.empty());
  for (const std::string& name : ran) {
    if (name == "canonicalize-dots") continue;  // the evaluator does without it
    options.disable_passes = name;
    EXPECT_THROW(optimized_text(kBinary, kExpLog, options), ValueError) << name;
  }
}

TEST(Pipeline, EachPassCanBeSwitchedOff) {
  for (const PassInfo& pass : list_passes()) {
    PipelineOptions options;
    options.disable_passes = std::string(pass.name);
    try {
      EXPECT_NE(optimized_text(kBinary, kExpLog, options).find("tenon.buffers"), std::string::npos);
    } catch (const ValueError&) {  // one that the backend needs
    }
  }
}

}  // namespace
}  // namespace tenon::passes
