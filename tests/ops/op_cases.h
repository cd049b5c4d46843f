// One record of an elementwise operation, many properties:
//
//   OP_CASES(sin, {
//       .function = [](const Arrays& x) { return jnp::sin(x[0]); },
//       .reference = [](const double* x) { return std::sin(x[0]); },
//   });
//
// For float32 inputs of awkward sizes and special values: the reference within `ulps`, and the same
// bits eager, jitted and by the evaluator.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "core/nodes.h"
#include "evaluator/prepare.h"
#include "lowering/lower.h"
#include "tenon/detail/host.h"
#include "tenon/tenon.h"
#include "trace/jaxpr_trace.h"

namespace tenon::test {

struct OpCase {
  Array (*function)(const Arrays& x);
  double (*reference)(const double* x);
  int operands = 1;
  double low = -10, high = 10;  // of the ordinary inputs
  double ulps = 2;
  bool specials = true;  // NaN, infinities, zeros, subnormals, huge ones
};

inline std::vector<float> special_values() {
  constexpr float inf = std::numeric_limits<float>::infinity(), max = std::numeric_limits<float>::max();
  return {0.0f, -0.0f, 1.0f, -1.0f, 0.5f, -0.5f, inf, -inf, NAN, max, -max, 1e-45f, -1e-45f, 1.17549435e-38f, 3.14159274f, 1e10f, -1e10f, 88.0f, -104.0f, 2147483648.0f};
}

/// Numbers without a pattern, the same each time.
inline std::vector<float> ordinary_values(size_t count, double low, double high, uint64_t seed) {
  std::vector<float> out;
  uint64_t state = seed * 0x9E3779B97F4A7C15u + 1;
  for (size_t i = 0; i < count; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    out.push_back(static_cast<float>(low + (high - low) * static_cast<double>(state >> 11) * 0x1p-53));
  }
  return out;
}

inline double ulp_of(double value) {
  const float f = static_cast<float>(std::abs(value));
  if (!std::isfinite(f)) return 0;
  return std::max<double>(std::nextafter(f, std::numeric_limits<float>::infinity()) - static_cast<double>(f), 1.4e-45);
}

inline std::string bytes_of(const Array& array) {
  array.block_until_ready();
  return std::string(static_cast<const char*>(detail::buffer_of(array, "bytes")->host_data()), static_cast<size_t>(array.nbytes()));
}

inline void check_inputs(const OpCase& op, const std::vector<std::vector<float>>& columns) {
  Arrays inputs;
  Avals avals;
  for (const auto& column : columns) {
    inputs.push_back(jnp::array(column));
    avals.push_back(inputs.back().aval());
  }
  auto list = [&op](const Arrays& x) -> Arrays { return {op.function(x)}; };
  const Array eager = op.function(inputs);
  const std::string bits = bytes_of(eager);
  EXPECT_EQ(bytes_of(jit(list, {.name = "op"})(inputs)[0]), bits) << "jit and eager differ";
  Module module = lower_jaxpr(detail::trace_to_jaxpr(list, avals, "jit", "op"), {.name = "op"});
  std::vector<evaluator::Tensor> tensors;
  for (size_t k = 0; k < columns.size(); ++k) tensors.emplace_back(avals[k], columns[k].data());
  const evaluator::Tensor evaluated = evaluator::run(*evaluator::prepare(module), tensors)[0];
  EXPECT_EQ(std::string(static_cast<const char*>(evaluated.data()), bits.size()), bits) << "evaluator and eager differ";
  const std::vector<double> got = eager.to_vector<double>();
  for (size_t i = 0; i < got.size(); ++i) {
    std::vector<double> x;
    for (const auto& column : columns) x.push_back(column[i]);
    const double exact = op.reference(x.data()), want = static_cast<double>(static_cast<float>(exact));
    const bool same = std::isnan(want) ? std::isnan(got[i]) : got[i] == want;
    const bool near = std::isfinite(got[i]) && std::isfinite(want) && std::abs(got[i] - exact) <= op.ulps * ulp_of(exact);
    EXPECT_TRUE(same || near) << "at " << x[0] << (x.size() > 1 ? ", " + std::to_string(x[1]) : "") << ": got " << got[i]
                              << ", want " << want;
  }
}

inline void check(const OpCase& op) {
  for (size_t count : {0, 1, 7, 8, 15, 16, 17, 33, 5000}) {
    SCOPED_TRACE("count " + std::to_string(count));
    std::vector<std::vector<float>> columns;
    for (int k = 0; k < op.operands; ++k) columns.push_back(ordinary_values(count, op.low, op.high, count + static_cast<size_t>(k)));
    check_inputs(op, columns);
  }
  if (!op.specials) return;
  const std::vector<float> specials = special_values();
  std::vector<std::vector<float>> columns(static_cast<size_t>(op.operands));
  for (size_t i = 0; i < specials.size(); ++i)
    for (size_t j = 0; j < (op.operands == 1 ? 1 : specials.size()); ++j) {
      columns[0].push_back(specials[i]);
      if (op.operands > 1) columns[1].push_back(specials[j]);
    }
  check_inputs(op, columns);
}

}  // namespace tenon::test

#define OP_CASES(name, ...) \
  TEST(OpCases, name) { ::tenon::test::check(::tenon::test::OpCase __VA_ARGS__); }
