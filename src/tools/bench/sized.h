// Programs of about n operations, in the forms that long programs have: what compiling them costs must grow as n does.
#pragma once

#include <cmath>
#include <string>

#include "tenon/tenon.h"

namespace tenon::bench {

struct SizedProgram {
  const char* name;
  /// About so many operations on the one argument, f32[16].
  Arrays (*trace)(const Array& x, int64_t n);
};

/// One value through n elementwise operations.
inline Arrays sized_chain(const Array& x, int64_t n) {
  Array y = x;
  for (int64_t i = 0; i < n; ++i) y = i % 2 ? y * x : y + (0.5 + 0.001 * static_cast<double>(i % 100));
  return {y};
}

/// n / 2 different values, added two by two.
inline Arrays sized_tree(const Array& x, int64_t n) {
  Arrays level;
  for (int64_t i = 0; i < n / 2; ++i) level.push_back(x * (1 + 1e-4 * static_cast<double>(i)));
  while (level.size() > 1) {
    Arrays next;
    for (size_t i = 0; i + 1 < level.size(); i += 2) next.push_back(level[i] + level[i + 1]);
    if (level.size() % 2) next.push_back(level.back());
    level = std::move(next);
  }
  return level;
}

/// Small kernels that depend on nothing but the argument, n / 4 of them; each is needed by the next sum only.
inline Arrays sized_reductions(const Array& x, int64_t n) {
  Array total = x[0];
  for (int64_t i = 0; i < n / 4; ++i) total = total + jnp::sum(x * (1 + 1e-4 * static_cast<double>(i)));
  return {total};
}

/// n / 2 results, each of two operations.
inline Arrays sized_results(const Array& x, int64_t n) {
  Arrays results;
  for (int64_t i = 0; i < n / 2; ++i) results.push_back(jnp::sum(x + static_cast<double>(i)));
  return results;
}

/// A deep chain of products with an operation between them.
inline Arrays sized_products(const Array& x, int64_t n) {
  const Array weights = jnp::outer(x, x);
  Array y = weights;
  for (int64_t i = 0; i < n / 2; ++i) y = jnp::matmul(y, weights) * 0.5;
  return {y};
}

/// One array, a piece of it changed n / 3 times, and read.
inline Arrays sized_updates(const Array& x, int64_t n) {
  Array y = x;
  for (int64_t i = 0; i < n / 3; ++i) y = lax::dynamic_update_slice(y, lax::slice(y, {0}, {4}) + 1.0, {jnp::int32(static_cast<int>(i % 12))});
  return {y};
}

/// Residual blocks: each value is read twice, at once and later, with a reduction of rows between.
inline Arrays sized_layers(const Array& x, int64_t n) {
  Array y = jnp::outer(x, x);
  for (int64_t i = 0; i < n / 6; ++i) {
    const Array mean = jnp::mean(y, {.axis = 1, .keepdims = true});
    y = y + jnp::tanh((y - mean) * 0.5);
  }
  return {y};
}

inline constexpr SizedProgram kSizedPrograms[] = {
    {"chain", sized_chain},       {"tree", sized_tree},       {"reductions", sized_reductions}, {"results", sized_results},
    {"products", sized_products}, {"updates", sized_updates}, {"layers", sized_layers}};

}  // namespace tenon::bench
