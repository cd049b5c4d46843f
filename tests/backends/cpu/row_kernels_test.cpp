// Kernels that reduce rows and use the result along the same rows: the evaluator's bits for rows of
// every length around the vector, for all types, for NaN and infinities, on any number of threads.
#include "run_both.h"

namespace tenon::cpu {
namespace {

// "$X" is tensor<n x m>, "$R" tensor<n>, "$M" tensor<m>, "$S" a scalar.
std::string filled(std::string text, int64_t n, int64_t m, const std::string& element) {
  const std::string rows = std::to_string(n) + "x", columns = std::to_string(m) + "x";
  const std::pair<const char*, std::string> types[] = {
      {"$X", rows + columns}, {"$R", rows}, {"$M", columns}, {"$S", ""}};
  for (const auto& [name, dims] : types) {
    for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at))
      text.replace(at, 2, "tensor<" + dims + element + ">");
  }
  return text;
}

struct RowProgram {
  const char *name, *signature, *body;
};

constexpr const char* kRowMaximum = R"(
    %z = stablehlo.constant dense<0.0> : $S
    %low = stablehlo.constant dense<-1.0e4> : $S
    %max = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : ($X, $S) -> $R
    %maxes = stablehlo.broadcast_in_dim %max, dims = [0] : ($R) -> $X
    %shifted = stablehlo.subtract %x, %maxes : $X
    %e = stablehlo.exponential %shifted : $X
    %sum = stablehlo.reduce(%e init: %z) applies stablehlo.add across dimensions = [1] : ($X, $S) -> $R
)";

const RowProgram kPrograms[] = {
    {"softmax", "(%x: $X) -> $X", R"(
    %sums = stablehlo.broadcast_in_dim %sum, dims = [0] : ($R) -> $X
    %r = stablehlo.divide %e, %sums : $X
    return %r : $X)"},
    {"log_softmax", "(%x: $X) -> $X", R"(
    %log = stablehlo.log %sum : $R
    %logs = stablehlo.broadcast_in_dim %log, dims = [0] : ($R) -> $X
    %r = stablehlo.subtract %shifted, %logs : $X
    return %r : $X)"},
    {"logsumexp", "(%x: $X) -> $R", R"(
    %log = stablehlo.log %sum : $R
    %r = stablehlo.add %log, %max : $R
    return %r : $R)"},
    {"sum and maximum", "(%x: $X) -> ($R, $R)", R"(
    return %sum, %max : $R, $R)"},
    {"a user of one reduction before the other", "(%x: $X) -> ($R, $R, $R)", R"(
    %t = stablehlo.tanh %max : $R
    %least = stablehlo.reduce(%x init: %z) applies stablehlo.minimum across dimensions = [1] : ($X, $S) -> $R
    return %max, %t, %least : $R, $R, $R)"},
    {"softmax and its parts", "(%x: $X) -> ($X, $R, $R)", R"(
    %sums = stablehlo.broadcast_in_dim %sum, dims = [0] : ($R) -> $X
    %r = stablehlo.divide %e, %sums : $X
    return %r, %max, %sum : $X, $R, $R)"},
};

void check(const RowProgram& p, int64_t n, int64_t m, const std::string& element = "f32", bool special = false) {
  SCOPED_TRACE(std::string(p.name) + " of " + element + " " + std::to_string(n) + " x " + std::to_string(m));
  const DType dtype = DType::parse(element);
  expect_both_same(program(filled(p.signature, n, m, element), filled(std::string(kRowMaximum) + p.body, n, m, element)),
                   {random_tensor(41, {n, m}, dtype, -3, 3, special)});
}

TEST(RowKernels, RowsOfEveryLength) {
  for (int64_t m : {1, 2, 3, 15, 16, 17, 33, 1000, 4097}) check(kPrograms[0], 5, m);
  for (const RowProgram& p : kPrograms) {
    check(p, 40, 10);
    check(p, 5, 100);
    check(p, 3, 17000);  // more than a kernel keeps
  }
}

TEST(RowKernels, AnyNumberOfRows) {
  for (int64_t n : {0, 1, 15, 17, 41}) {
    check(kPrograms[0], n, 10);
    check(kPrograms[2], n, 50);
  }
  check(kPrograms[0], 3, 0);
}

TEST(RowKernels, EveryType) {
  for (const char* element : {"f64", "bf16", "f16"}) {
    check(kPrograms[0], 18, 10, element);
    for (const RowProgram& p : kPrograms) check(p, 5, 77, element);
  }
}

TEST(RowKernels, NotANumberStaysInItsRow) {
  for (const char* element : {"f32", "bf16"}) {
    check(kPrograms[0], 20, 9, element, true);
    for (const RowProgram& p : kPrograms) check(p, 9, 40, element, true);
  }
}

constexpr const char* kLayerNorm = R"(
    %z = stablehlo.constant dense<0.0> : $S
    %n = stablehlo.constant dense<3.3e-2> : $R
    %eps = stablehlo.constant dense<1.0e-2> : $R
    %sum = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : ($X, $S) -> $R
    %mean = stablehlo.multiply %sum, %n : $R
    %means = stablehlo.broadcast_in_dim %mean, dims = [0] : ($R) -> $X
    %d = stablehlo.subtract %x, %means : $X
    %d2 = stablehlo.multiply %d, %d : $X
    %sum2 = stablehlo.reduce(%d2 init: %z) applies stablehlo.add across dimensions = [1] : ($X, $S) -> $R
    %var = stablehlo.multiply %sum2, %n : $R
    %var1 = stablehlo.add %var, %eps : $R
    %inv = stablehlo.rsqrt %var1 : $R
    %invs = stablehlo.broadcast_in_dim %inv, dims = [0] : ($R) -> $X
    %gs = stablehlo.broadcast_in_dim %g, dims = [1] : ($M) -> $X
    %bs = stablehlo.broadcast_in_dim %b, dims = [1] : ($M) -> $X
    %0 = stablehlo.multiply %d, %invs : $X
    %1 = stablehlo.multiply %0, %gs : $X
    %2 = stablehlo.add %1, %bs : $X
    return %2 : $X)";

TEST(RowKernels, LayerNorm) {
  for (const char* element : {"f32", "f64", "bf16"}) {
    for (auto [n, m] : {std::pair{20, 10}, {7, 30}, {2, 1000}}) {
      SCOPED_TRACE(std::string(element) + " " + std::to_string(n) + " x " + std::to_string(m));
      const DType dtype = DType::parse(element);
      expect_both_same(program(filled("(%x: $X, %g: $M, %b: $M) -> $X", n, m, element), filled(kLayerNorm, n, m, element)),
                       {random_tensor(42, {n, m}, dtype), random_tensor(43, {m}, dtype), random_tensor(44, {m}, dtype)});
    }
  }
}

}  // namespace
}  // namespace tenon::cpu
