// Random numbers: the bits of JAX (random_values.txt, made by random_values.py), eager and jitted; what is refused.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <map>
#include <sstream>

#include "core/nodes.h"
#include "support/expect_error.h"
#include "tenon/detail/host.h"
#include "tenon/tenon.h"

namespace tenon::test {
namespace {

namespace r = random;

Array K() { return r::key(7); }
Array W() { return r::PRNGKey(11); }
Array logits() { return jnp::array({{0.0, 1.0, -1.0, 0.5}, {2.0, 0.0, 0.0, -3.0}}); }
Array rows() { return jnp::arange(12).reshape({4, 3}); }

struct RandomProgram {
  const char* name;
  Array (*function)();
  int ulps = 0;  // where there is a logarithm or an erf_inv
};
#define R(name, expression, ...) {name, [] { return Array(expression); }, ##__VA_ARGS__}

const RandomProgram kPrograms[] = {
    R("key", r::key(0)),
    R("key_negative", r::key(-5)),
    R("key_wide", r::key((int64_t{1} << 40) + 5)),
    R("key_array", r::key(jnp::array(std::vector<uint32_t>{4000000000u}).reshape({}))),
    R("key_i8", r::key(jnp::int8(-3))),
    R("prng_key", r::PRNGKey(42)),
    R("split", r::split(K())),
    R("split_5", r::split(K(), 5)),
    R("split_0", r::split(K(), 0)),
    R("split_shape", r::split(K(), {2, 3})),
    R("split_words", r::split(W(), 3)),
    R("fold_in", r::fold_in(K(), 3)),
    R("fold_in_large", r::fold_in(K(), jnp::array(std::vector<uint32_t>{4294967295u}).reshape({}))),
    R("fold_in_words", r::fold_in(W(), 9)),
    R("key_data", r::key_data(r::split(K(), 3))),
    R("wrap_key_data", r::wrap_key_data(jnp::array({{1, 2}, {3, 4}}, jnp::uint32))),
    R("keys_move", jnp::concatenate({r::split(K(), 3), r::split(K(), 3)(slice({}, {}, -1))}).reshape({2, 3}).T()(slice(1, {}), 0)),
    R("keys_gather", r::split(K(), 5)(jnp::array({{4, 0}, {-1, 9}}))),
    R("keys_equal", r::split(K(), 3) == r::split(K(), 3)(slice({}, {}, -1))),
    R("bits", r::bits(K(), {5})),
    R("bits_scalar", r::bits(K())),
    R("bits_empty", r::bits(K(), {0, 3})),
    R("bits_3d", r::bits(K(), {2, 3, 5})),
    R("bits_8", r::bits(K(), {7}, jnp::uint8)),
    R("bits_16", r::bits(K(), {3, 3}, jnp::uint16)),
    R("bits_words", r::bits(W(), {17})),
    R("bits_many", r::bits(K(), {5000})(slice({}, {}, 97))),
    R("uniform", r::uniform(K(), {9})),
    R("uniform_scalar", r::uniform(K())),
    R("uniform_matrix", r::uniform(K(), {3, 5})),
    R("uniform_many", r::uniform(K(), {70, 90})(slice({}, {}, 13), slice({}, {}, 17))),
    R("uniform_f16", r::uniform(K(), {9}, jnp::float16)),
    R("uniform_bf16", r::uniform(K(), {9}, jnp::bfloat16)),
    R("uniform_range", r::uniform(K(), {9}, {.minval = -3.0, .maxval = 5})),
    R("uniform_bounds", r::uniform(K(), {2, 3}, {.minval = jnp::array({0.0, 10.0, 20.0}), .maxval = jnp::array({{30.0}, {40.0}})})),
    R("uniform_words", r::uniform(W(), {4})),
    R("randint", r::randint(K(), {9}, 0, 10)),
    R("randint_scalar", r::randint(K(), {}, -100, 100)),
    R("randint_none", r::randint(K(), {3}, 5, 2)),
    R("randint_wide", r::randint(K(), {4}, -2147483648, 2147483647)),
    R("randint_i8", r::randint(K(), {7}, -128, 128, jnp::int8)),
    R("randint_u8", r::randint(K(), {7}, 0, 300, jnp::uint8)),
    R("randint_i16", r::randint(K(), {7}, -300, 300, jnp::int16)),
    R("randint_u32", r::randint(K(), {7}, 0, 1000, jnp::uint32)),
    R("randint_bounds", r::randint(K(), {2, 3}, jnp::array({0, 10, 20}), jnp::array({{30}, {2000}}))),
    R("randint_float_bounds", r::randint(K(), {4}, 0.5, 7.9)),
    R("bernoulli", r::bernoulli(K())),
    R("bernoulli_p", r::bernoulli(K(), 0.3, Shape{20})),
    R("bernoulli_ps", r::bernoulli(K(), jnp::array({0.0, 0.5, 1.0}), Shape{2, 3})),
    R("normal_words", r::normal(W(), {6}), 4),
    R("normal", r::normal(K(), {33}), 4),
    R("normal_scalar", r::normal(K()), 4),
    R("normal_f16", r::normal(K(), {33}, jnp::float16), 1),
    R("normal_bf16", r::normal(K(), {33}, jnp::bfloat16), 1),
    R("normal_many", r::normal(K(), {50, 200})(slice({}, {}, 7), slice({}, {}, 3)), 4),
    R("gumbel", r::gumbel(K(), {9}), 2),
    R("categorical", r::categorical(K(), logits())),
    R("categorical_axis", r::categorical(K(), logits(), {.axis = 0})),
    R("categorical_shape", r::categorical(K(), logits(), {.shape = Shape{5, 2}})),
    R("permutation", r::permutation(K(), 10)),
    R("permutation_rows", r::permutation(K(), rows())),
    R("permutation_axis", r::permutation(K(), rows(), {.axis = 1})),
    R("permutation_independent", r::permutation(K(), rows(), {.axis = 1, .independent = true})),
    R("permutation_large", r::permutation(K(), 5000)(slice({}, {}, 101))),
    R("choice", r::choice(K(), 10, {5})),
    R("choice_of", r::choice(K(), jnp::arange(10.0) * 2, {2, 3})),
    R("choice_rows", r::choice(K(), rows(), {2})),
    R("choice_without", r::choice(K(), 10, {5}, {.replace = false})),
    R("choice_axis_without", r::choice(K(), jnp::arange(12).reshape({3, 4}), {2}, {.replace = false, .axis = 1})),
    R("x64_key", r::key((int64_t{1} << 40) + 5)),
    R("x64_key_negative", r::key(-5)),
    R("x64_bits", r::bits(K(), {5})),
    R("x64_uniform", r::uniform(K(), {9})),
    R("x64_uniform_f32", r::uniform(K(), {9}, jnp::float32)),
    R("x64_randint", r::randint(K(), {5}, -10, int64_t{1000000000000})),
    R("x64_randint_i32", r::randint(K(), {5}, 0, int64_t{1000000000000}, jnp::int32)),
    R("x64_normal", r::normal(K(), {33}), 4),
};

// Lines of random_values.txt, by program.
const std::map<std::string, std::string>& given_by_jax() {
  static const auto all = [] {
    std::map<std::string, std::string> lines;
    std::ifstream file(TENON_TEST_DATA "/library/random_values.txt");
    std::string line, name;
    while (std::getline(file, line)) {
      if (line.starts_with("### ")) name = line.substr(4);
      else lines[name] = line;
    }
    return lines;
  }();
  return all;
}

std::vector<uint64_t> words_of(const Array& x) {
  const Array words = x.dtype().is_prng_key() ? r::key_data(x) : x;
  words.block_until_ready();
  const size_t item = static_cast<size_t>(words.dtype().itemsize());
  const auto* data = static_cast<const char*>(detail::buffer_of(words, "words")->host_data());
  std::vector<uint64_t> out(static_cast<size_t>(words.size()), 0);
  for (size_t i = 0; i < out.size(); ++i) std::memcpy(&out[i], data + i * item, item);
  return out;
}

// Numbers in the order of the floating numbers that the bits are.
int64_t place(uint64_t bits, int width) {
  const uint64_t sign = uint64_t{1} << (width - 1);
  return bits & sign ? -static_cast<int64_t>(bits - sign) : static_cast<int64_t>(bits);
}

void expect_as_jax(const Array& got, const std::string& line, int ulps) {
  std::istringstream words(line);
  std::string dtype, shape;
  words >> dtype >> shape >> std::hex;
  EXPECT_EQ(got.dtype().str(), dtype);
  std::string own_shape;
  for (int64_t size : got.shape()) own_shape += (own_shape.empty() ? "" : "x") + std::to_string(size);
  EXPECT_EQ(own_shape.empty() ? "scalar" : own_shape, shape);
  std::vector<uint64_t> want;
  for (uint64_t word; words >> word;) want.push_back(word);
  const std::vector<uint64_t> own = words_of(got);
  ASSERT_EQ(own.size(), want.size());
  const int width = got.dtype().bits();
  for (size_t i = 0; i < own.size(); ++i) {
    if (ulps == 0) EXPECT_EQ(own[i], want[i]) << "element " << i;
    else EXPECT_LE(std::abs(place(own[i], width) - place(want[i], width)), ulps) << "element " << i;
  }
}

class Random : public testing::TestWithParam<RandomProgram> {};

TEST_P(Random, GivesJaxsBits) {
  const RandomProgram& program = GetParam();
  config::Scope scope({{"enable_x64", std::string_view(program.name).starts_with("x64_")}});
  const Array eager = program.function();
  expect_as_jax(eager, given_by_jax().at(program.name), program.ulps);
  const Array jitted = jit([&program] { return program.function(); }, {.name = program.name})();
  EXPECT_EQ(jitted.aval().str(), eager.aval().str());
  EXPECT_EQ(words_of(jitted), words_of(eager));
}

INSTANTIATE_TEST_SUITE_P(Library, Random, testing::ValuesIn(kPrograms), [](const auto& info) { return std::string(info.param.name); });

TEST(Random, HasAProgramForEachValue) { EXPECT_EQ(std::size(kPrograms), given_by_jax().size()); }

// Of acceptance/a1_profiling.cc.
TEST(Keys, OldFormIsUint32AndTheTypedFormRefusesArithmetic) {
  Array old_key = r::PRNGKey(0), new_key = r::key(0);
  EXPECT_TRUE(old_key.dtype() == jnp::uint32 && old_key.shape() == Shape{2});
  EXPECT_TRUE(new_key.dtype().is_prng_key() && new_key.shape() == Shape{});
  EXPECT_THROW(new_key + 1, TypeError);
  auto keys = r::split(r::key(0));
  Array kx = keys[0], ky = keys[1];
  EXPECT_EQ(r::normal(kx, {20, 20}).shape(), Shape({20, 20}));
  EXPECT_FALSE(bool(jnp::array_equal(r::uniform(kx, {3}), r::uniform(ky, {3}))));
}

TEST(Keys, TakeNoArithmetic) {
  Array k = r::key(0), ks = r::split(k);
  using Function = Array (*)(const Array&, const Array&);
  const Function refused[] = {
      [](const Array& x, const Array&) { return x + 1; },
      [](const Array& x, const Array&) { return x * 2.0; },
      [](const Array& x, const Array& y) { return x * y; },
      [](const Array& x, const Array& y) { return x - y; },
      [](const Array& x, const Array& y) { return x < y; },
      [](const Array& x, const Array&) { return -x; },
      [](const Array& x, const Array&) { return ~x; },
      [](const Array& x, const Array& y) { return x & y; },
      [](const Array& x, const Array&) { return x == 1; },
      [](const Array& x, const Array&) { return x.sum(); },
      [](const Array& x, const Array&) { return jnp::max(x); },
      [](const Array& x, const Array&) { return jnp::sin(x); },
      [](const Array& x, const Array&) { return jnp::abs(x); },
      [](const Array& x, const Array& y) { return jnp::maximum(x, y); },
      [](const Array& x, const Array&) { return x.astype(jnp::uint32); },
      [](const Array& x, const Array&) { return jnp::ones({2}).astype(x.dtype()); },
      [](const Array& x, const Array& y) { return jnp::dot(x, y); },
      [](const Array& x, const Array&) { return jnp::argmax(x); },
      [](const Array& x, const Array&) { return lax::convert_element_type(x, jnp::float32); },
      [](const Array& x, const Array&) { return lax::bitcast_convert_type(x, jnp::uint64); },
      [](const Array& x, const Array&) { return jnp::mean(x); },
      [](const Array& x, const Array&) { return lax::clamp(x, x, x); },
      [](const Array& x, const Array& y) { return jnp::stack({x, y.astype(jnp::uint32)}); },
      [](const Array& x, const Array&) { return jnp::arange(5)(x); },
      [](const Array& x, const Array&) { return Array(float(x(0))); },
      [](const Array& x, const Array&) { return Array(bool(x(0))); },
  };
  for (size_t i = 0; i < std::size(refused); ++i) {
    SCOPED_TRACE(i);
    EXPECT_THROW(refused[i](ks, ks), TypeError);
    EXPECT_THROW(jit([&](Array x, Array y) { return refused[i](x, y); })(ks, ks), TypeError);
  }
  EXPECT_TRUE(bool(jnp::all(k == k)) && !bool(ks(0) == ks(1)) && bool(ks(0) != ks(1)));
}

TEST(Keys, Print) {
  EXPECT_EQ(r::key(0).str(), "Array((), dtype=key<fry>) overlaying:\n[0 0]");
  EXPECT_EQ(r::split(r::key(7)).str(), "Array((2,), dtype=key<fry>) overlaying:\n[[3625411723 1954958720]\n [ 195045567 4062205631]]");
  EXPECT_EQ(r::key(0).nbytes(), 8);
}

TEST(Keys, ErrorsSayWhatIsWrong) {
  Array k = r::key(0), ks = r::split(k);
  EXPECT_ERROR(ValueError, r::uniform(ks), "uniform: accepts a single key; got a key array of shape (2,); use vmap for batching");
  EXPECT_ERROR(ValueError, r::split(ks), "split: accepts a single key; got a key array of shape (2,); use vmap for batching");
  EXPECT_ERROR(TypeError, r::split(3), "random key: the data of a key must be uint32; got i32[]; make one by random::key");
  EXPECT_ERROR(TypeError, r::uniform(jnp::arange(3, jnp::uint32)),
               "random key: the data of a key must have a last axis of size 2; got u32[3]");
  EXPECT_THROW(r::key(1.5), TypeError);
  EXPECT_THROW(r::key(jnp::arange(2)), TypeError);
  EXPECT_THROW(r::key(k), TypeError);
  EXPECT_THROW(r::fold_in(k, jnp::arange(2)), TypeError);
  EXPECT_THROW(r::fold_in(k, -1), ValueError);
  EXPECT_ERROR(ValueError, r::normal(k, {2}, jnp::int32), "normal: dtype must be floating or complex; got int32");
  EXPECT_ERROR(ValueError, r::bits(k, {3}, jnp::int32), "bits: dtype must be an unsigned dtype; got int32");
  EXPECT_ERROR(TypeError, r::randint(k, {3}, 0, 5, jnp::float32), "randint: dtype must be an integer dtype; got float32");
  EXPECT_THROW(r::bernoulli(k, 1), TypeError);
  EXPECT_THROW(r::uniform(k, {3}, {.minval = jnp::ones({2})}), ValueError);
  EXPECT_ERROR(ValueError, r::choice(k, 5, {7}, {.replace = false}), "choice: cannot take 7 elements of 5 without putting them back");
  EXPECT_THROW(r::choice(k, 0, {7}), ValueError);
  EXPECT_THROW(r::permutation(k, 1.5), TypeError);
}

}  // namespace
}  // namespace tenon::test
