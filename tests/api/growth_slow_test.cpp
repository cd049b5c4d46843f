// Compiling a program of n operations takes about n times as long as compiling one, whatever its form.
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>

#include "tenon/testkit.h"
#include "tools/bench/sized.h"

namespace tenon {
namespace {

/// Of the processor, which others may be using, for one operation, from the first traced one to the executable.
double seconds_per_operation(const bench::SizedProgram& program, int64_t n) {
  const std::clock_t start = std::clock();
  const auto function = [n, &program](Array x) { return program.trace(x, n); };
  const Compiled compiled = jit(function, {.name = program.name}).lower(ShapeDtype({16}, jnp::float32)).compile();
  const double elapsed = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  EXPECT_FALSE(compiled.out_avals().empty());
  return elapsed / static_cast<double>(n);
}

/// A quadratic stage that takes a tenth of the time at `small` is seen; n log n takes 1.3 times as long, and caches that are full some more.
void expect_linear(const bench::SizedProgram& program, int64_t small, int64_t large) {
  const double before = std::min(seconds_per_operation(program, small), seconds_per_operation(program, small));
  EXPECT_LT(seconds_per_operation(program, large), 2.5 * before) << program.name;
}

// Tracing, lowering and all passes; the evaluator makes no code.
TEST(Growth, OfThePassesIsLinear) {
  config::Scope scope({{"default_backend", "reference"}});
  for (const bench::SizedProgram& program : bench::kSizedPrograms) expect_linear(program, 4'000, 64'000);
}

TEST(Growth, OfTheCodeIsLinear) {
  for (const bench::SizedProgram& program : bench::kSizedPrograms) expect_linear(program, 500, 3'000);
}

}  // namespace
}  // namespace tenon
