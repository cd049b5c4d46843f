// Writes programs for the oracle: for each one the StableHLO text (with and without locations), HLO
// text before and after optimization, inputs and our results. judge.py hands them to JAX.
//   oracle_corpus OUTPUT_DIR
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "support/random_array.h"
#include "tenon/testkit.h"

using namespace tenon;
using test::normal;
using test::uniform;

namespace {

std::filesystem::path g_out;
int g_failures = 0;

void write(const std::filesystem::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

// Runs f on the arguments, jitted, and writes all that the oracle needs.
template <class F, class... A>
void program(const std::string& name, F f, A... args) {
  try {
    auto directory = g_out / name;
    std::filesystem::create_directories(directory);
    auto jitted = jit(f, {.name = name});
    auto lowered = jitted.lower(args...);
    write(directory / "program.mlir", lowered.as_text());
    write(directory / "program_debug.mlir", lowered.as_text({.debug_info = true}));
    write(directory / "before.hlo", lowered.as_text({.dialect = "hlo"}));
    write(directory / "after.hlo", lowered.compile().as_text());
    int k = 0;
    (save_npy((directory / ("in_" + std::to_string(k++) + ".npy")).string(), args), ...);
    k = 0;
    for (const Array& out : tree::leaves(jitted(args...))) save_npy((directory / ("out_" + std::to_string(k++) + ".npy")).string(), out);
  } catch (const Error& e) {
    std::fprintf(stderr, "%s: %s\n", name.c_str(), e.what());
    ++g_failures;
  }
}

Array integers(unsigned seed, const Shape& shape, int low, int high) {
  return jnp::floor(uniform(seed, shape, low, high)).astype(jnp::int32);
}

void elementwise() {
  for (Shape shape : {Shape{}, Shape{0, 3}, Shape{1}, Shape{7}, Shape{3, 17}}) {
    std::string suffix = "_" + std::to_string(shape.size()) + "_" + std::to_string(shape.num_elements());
    Array x = normal(1, shape), y = uniform(2, shape, 0.5, 2.0), i = integers(3, shape, -9, 9), j = integers(4, shape, 1, 5);
    program("unary" + suffix, [](Array a, Array b) {
      return Arrays{jnp::sin(a), jnp::cos(a), jnp::tanh(a), jnp::exp(a), jnp::log(b), jnp::sqrt(b), lax::rsqrt(b), jnp::square(a),
                    jnp::abs(a), jnp::sign(a), jnp::floor(a), -a, lax::integer_pow(a, 3), lax::integer_pow(b, -2)};
    }, x, y);
    program("binary" + suffix, [](Array a, Array b) {
      return Arrays{a + b, a - b, a * b, a / b, jnp::maximum(a, b), jnp::minimum(a, b), a * 2.0 + 1.0, 1.0 / b};
    }, x, y);
    program("integers" + suffix, [](Array a, Array b) {
      return Arrays{a + b, a - b, a * b, -a, jnp::abs(a), jnp::sign(a), jnp::maximum(a, b), a * 3, lax::div(a, b), jnp::square(a)};
    }, i, j);
    program("compare" + suffix, [](Array a, Array b, Array c) {
      return Arrays{a < b, a <= b, a > b, a >= b, a == b, a != b, c < 2, c == c, jnp::where(a > 0.0, a, b), jnp::where(c > 0, 1.0, a)};
    }, x, y, i);
    program("convert" + suffix, [](Array a, Array b) {
      return Arrays{a.astype(jnp::int32), b.astype(jnp::float32), a.astype(jnp::bool_), b.astype(jnp::bool_), (a > 0.0).astype(jnp::int32)};
    }, x * 3.0, i);
  }
}

void movement() {
  Array x = normal(5, {4, 6, 5}), m = normal(6, {9, 13}), i = integers(7, {5}, 0, 3);
  program("shapes", [](Array a) {
    return Arrays{a.reshape({24, 5}), a.reshape({-1}), a.transpose({2, 0, 1}), a.T(), jnp::expand_dims(a, 1), a(newaxis, all),
                  jnp::broadcast_to(a(all, 0), {3, 4, 5}), jnp::squeeze(a(slice(0, 1)))};
  }, x);
  program("slices", [](Array a) {
    return Arrays{a(0), a(-1), a(slice(1, 3)), a(slice(std::nullopt, std::nullopt, 2)), a(ellipsis, slice(1, 4)), a(all, 2, slice(0, 3)),
                  a(slice(std::nullopt, std::nullopt, -1))};
  }, x);
  program("gather", [](Array a, Array k) { return Arrays{a(k), a(all, k), a(k, slice(1, 4)), a(k, k)}; }, x, i);
  program("concatenate", [](Array a, Array b) {
    return Arrays{jnp::concatenate({a, b}, 0), jnp::concatenate({a, a}, 1), jnp::stack({a, b(slice(0, 9))}, 0)};
  }, m, normal(8, {10, 13}));
  program("create", [](Array a) {
    return Arrays{a + jnp::arange(13.0), jnp::arange(2, 20, 3), jnp::linspace(0.0, 1.0, 7), jnp::eye(4), jnp::zeros({2, 3}), jnp::ones({3}, jnp::int32)};
  }, m);
  program("transpose_elementwise", [](Array a) { return a.T() * 2.0 + 1.0; }, m);
  program("double_transpose", [](Array a) { return a.T().T(); }, m);
}

void reductions() {
  for (Shape shape : {Shape{5, 7, 33}, Shape{1, 1, 1}, Shape{3, 0, 2}, Shape{2, 300, 17}}) {
    std::string suffix = "_" + std::to_string(shape.num_elements());
    Array x = normal(9, shape), i = integers(10, shape, -50, 50);
    program("sums" + suffix, [](Array a, Array k) {
      return Arrays{jnp::sum(a), jnp::sum(a, {.axis = 0}), jnp::sum(a, {.axis = -1}), jnp::sum(a, {.axis = {0, 2}}), jnp::sum(a, {.axis = 1, .keepdims = true}),
                    jnp::sum(k), jnp::sum(k, {.axis = 2})};
    }, x, i);
    if (shape.num_elements() == 0) continue;
    program("extremes" + suffix, [](Array a, Array k) {
      return Arrays{jnp::max(a), jnp::min(a, {.axis = 0}), jnp::max(a, {.axis = {1, 2}}), jnp::max(k, {.axis = 1}), jnp::mean(a, {.axis = 1}),
                    jnp::argmax(a, {.axis = 1}), jnp::argmin(a, {.axis = 2}), jnp::argmax(a), jnp::argmin(k, {.axis = 0})};
    }, x, i);
  }
  program("softmax", [](Array t) {
    Array e = jnp::exp(t - jnp::max(t, {.axis = -1, .keepdims = true}));
    return e / jnp::sum(e, {.axis = -1, .keepdims = true});
  }, normal(11, {17, 100}));
  program("reduce_of_expression", [](Array a, Array b) { return jnp::sqrt(jnp::sum(jnp::square(a * 2.0 - b), {.axis = 1})); }, normal(12, {9, 70}), normal(13, {9, 70}));
}

void dots() {
  for (auto [m, k, n] : {std::array<int64_t, 3>{1, 1, 1}, {3, 5, 7}, {16, 64, 33}, {65, 17, 130}, {4, 0, 3}}) {
    std::string suffix = "_" + std::to_string(m) + "_" + std::to_string(k) + "_" + std::to_string(n);
    program("matmul" + suffix, [](Array a, Array b) {
      return Arrays{jnp::matmul(a, b), jnp::matmul(b.T(), a.T()), jnp::dot(a, b) * 2.0 + 1.0, jnp::dot(a, b(all, 0))};
    }, normal(14, {m, k}), normal(15, {k, n}));
  }
  program("dot_vectors", [](Array a, Array b) { return jnp::dot(a, b); }, normal(16, {100}), normal(17, {100}));
  program("matmul_batched", [](Array a, Array b) { return jnp::matmul(a, b); }, normal(18, {3, 4, 5}), normal(19, {3, 5, 6}));
  Array w = normal(20, {16, 16});
  program("captured", [w](Array a) { return jnp::sum(jnp::matmul(w, a)) + jnp::pi; }, normal(21, {16, 16}));
}

void programs() {
  auto inner = jit([](Array v) { return jnp::sin(v) * 2.0; }, {.name = "inner"});
  program("nested_jit", [inner](Array a) { return inner(a) + inner(a * 3.0); }, normal(22, {6}));
  program("barrier", [](Array t) { return jnp::exp(lax::optimization_barrier(t * 3.0 + 1.0)); }, normal(23, {6, 7}));
  program("scopes", [](Array t) {
    named_scope scope("my_scope");
    return jnp::sin(t) + 1.0;
  }, normal(24, {6}));
  program("folded", [](Array v) { return v * jnp::sin(2.0) + jnp::arange(4.0).sum(); }, normal(25, {4}));
  program("same_argument_out", [](Array a) { return Arrays{a, a + 1.0, a}; }, normal(26, {5}));
  program("pairwise", [](Array X, Array Y) {
    return jnp::sqrt(jnp::sum(jnp::square(X(all, newaxis, all) - Y(newaxis, all, all)), {.axis = -1}));
  }, normal(27, {20, 16}), normal(28, {30, 16}));
  program("centred", [](Array X, Array Y) {
    Array mu = jnp::mean(X, {.axis = 0});
    Array a = X - mu, b = Y - mu;
    Array squared = jnp::sum(jnp::square(a), {.axis = 1})(all, newaxis) - 2 * jnp::dot(a, b.T()) + jnp::sum(jnp::square(b), {.axis = 1})(newaxis, all);
    return jnp::sqrt(jnp::maximum(0.0, squared));
  }, normal(29, {20, 16}), normal(30, {30, 16}));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  g_out = argv[1];
  elementwise();
  movement();
  reductions();
  dots();
  programs();
  return g_failures == 0 ? 0 : 1;
}
