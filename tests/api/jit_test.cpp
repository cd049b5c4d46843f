// jit: what is traced, what is static, what makes a new program, trees, donation, nesting.
#include <gtest/gtest.h>

#include <map>
#include <tuple>

#include "support/expect_error.h"
#include "support/random_array.h"
#include "tenon/testkit.h"

namespace tenon {
namespace {

using test::normal;

Array scale_by(Array v, Array a) { return v * a; }
Array twice(Array v) { return v * 2; }

TEST(Jit, EqualsEagerBitForBit) {
  auto f = [](Array x, Array y) { return jnp::exp(jnp::sin(x) * 2.0 + y) / (1.0 + jnp::abs(y)); };
  for (Shape shape : {Shape{}, Shape{0}, Shape{1}, Shape{7}, Shape{8}, Shape{9}, Shape{3, 5}, Shape{100, 100}}) {
    Array x = normal(1, shape), y = normal(2, shape);
    EXPECT_EQ(jit(f)(x, y).to_vector<float>(), f(x, y).to_vector<float>()) << shape.str();
  }
}

TEST(Jit, DropsArgumentsThatNoResultNeeds) {
  auto f = [](Array used, Array unused) { return used + 1.0; };
  Array x = jnp::ones({4}), y = jnp::ones({1000});
  auto lowered = jit(f).lower(x, y);
  EXPECT_THAT(lowered.as_text(), testing::Not(testing::HasSubstr("tensor<1000xf32>")));
  EXPECT_EQ(lowered.compile().memory_analysis().argument_size_in_bytes, 16);
  EXPECT_EQ(lowered.compile().in_avals().size(), 2u);
  EXPECT_EQ(jit(f)(x, y).to_vector<float>(), std::vector<float>(4, 2.0f));
  EXPECT_EQ(lowered.compile()(x, y).to_vector<float>(), std::vector<float>(4, 2.0f));

  auto kept = jit(f, {.keep_unused = true}).lower(x, y);
  EXPECT_THAT(kept.as_text(), testing::HasSubstr("tensor<1000xf32>"));
  EXPECT_EQ(kept.compile().memory_analysis().argument_size_in_bytes, 4016);
}

TEST(Jit, RefusesToDonateWhatIsPassedTwice) {
  Array x = jnp::ones({4});
  auto add = [](Array a, Array b) { return a + b; };
  EXPECT_ERROR_HAS(ValueError, jit(add, {.donate_argnums = {0, 1}})(x, x), "donated as one argument and passed as another");
  EXPECT_ERROR_HAS(ValueError, jit(add, {.donate_argnums = {0}})(x, x), "pass a copy");
  EXPECT_FALSE(x.is_deleted());
}

// The evaluator answers small eager calls; not where its bits are others.
TEST(Jit, HasTheBitsOfEagerProducts) {
  for (auto [m, k, n] : {std::tuple{2, 8, 2}, {3, 4, 5}, {1, 53, 29}, {2, 100, 3}, {1, 2000, 1}, {37, 53, 1}}) {
    Array a = normal(1, {m, k}), b = normal(2, {k, n});
    auto f = [](Array x, Array y) { return jnp::matmul(x, y); };
    EXPECT_EQ(f(a, b).to_vector<float>(), jit(f)(a, b).to_vector<float>()) << m << " " << k << " " << n;
  }
}

TEST(Jit, DonatesAroundDroppedArguments) {
  auto f = jit([](Array unused, Array used) { return used * 2.0; }, {.donate_argnums = {1}});
  Array x = jnp::ones({4}), y = jnp::ones({4});
  const void* memory = y.unsafe_buffer_pointer();
  Array result = f(x, y);
  EXPECT_EQ(result.unsafe_buffer_pointer(), memory);
  EXPECT_TRUE(y.is_deleted());
  EXPECT_FALSE(x.is_deleted());
}

TEST(Jit, CountsProgramsAsJaxDoes) {
  testkit::CompileCounter compiles("twice");
  auto f = jit<twice>();
  f(jnp::ones({3}, jnp::float32));
  f(jnp::asarray(std::vector<double>{1, 1, 1}));  // becomes float32
  EXPECT_EQ(compiles.count(), 1);
  f(1);
  f(1.0);
  f(jnp::float32(1.0));
  EXPECT_EQ(compiles.count(), 4);
  EXPECT_THAT(compiles.messages()[1], testing::HasSubstr("ShapedArray(int32[], weak_type=True)"));
  EXPECT_EQ(f.cache_size(), 4);
}

TEST(Jit, ScalarParametersAreStatic) {
  int traced = 0;
  auto f = jit([&traced](Array x, int size) { ++traced; return size > 5 ? jnp::sum(x * 2.0) : jnp::sum(x + 1.0); },
               {.name = "sized"});
  testkit::CompileCounter compiles("sized");
  for (int size : {3, 3, 7, 7}) f(jnp::ones({10}), size);
  EXPECT_EQ(compiles.count(), 2);
  EXPECT_EQ(traced, 2);
  EXPECT_EQ(f(jnp::ones({10}), 3).item<float>(), 20.0f);
}

TEST(Jit, StaticFloatsAreKeyedByBits) {
  auto f = jit([](Array x, double s) { return x * s; }, {.name = "bits"});
  testkit::CompileCounter compiles("bits");
  for (double s : {0.0, -0.0, std::nan(""), std::nan("")}) f(jnp::ones({2}), s);
  EXPECT_EQ(compiles.count(), 3);
}

TEST(Jit, IdentityOfTheFunction) {
  Array v = jnp::ones({3});
  testkit::CompileCounter pointers("scale_by");
  for (int i = 0; i < 3; ++i) jit(scale_by, {.name = "scale_by"})(v, 2.0);
  EXPECT_EQ(pointers.count(), 1);
  testkit::CompileCounter stateful("stateful");
  for (int i = 0; i < 3; ++i) jit([a = 2.0](Array t) { return t * a; }, {.name = "stateful"})(v);
  EXPECT_EQ(stateful.count(), 3);
  testkit::CompileCounter kept("kept");
  auto f = jit([a = 2.0](Array t) { return t * a; }, {.name = "kept"});
  for (int i = 0; i < 3; ++i) f(v);
  EXPECT_EQ(kept.count(), 1);
}

TEST(Jit, GenericLambdasTraceScalars) {
  auto f = jit([](auto a, auto b) { return a + b; });
  EXPECT_EQ(f(jnp::ones({2}), 2.0).template to_vector<float>(), (std::vector<float>{3, 3}));
  auto g = jit([](auto a, int n) { return a * n; });
  EXPECT_EQ(g(jnp::ones({2}), 3).template to_vector<float>(), (std::vector<float>{3, 3}));
}

struct Layer {
  Array w, b;
  int stride = 1;
};
struct Model {
  std::vector<Layer> layers;
  std::optional<Array> scale;
  std::map<std::string, Array> extra;
};

TEST(Jit, TakesAndReturnsTrees) {
  auto f = jit([](Model m, Array x) {
    for (Layer& layer : m.layers) {
      x = jnp::matmul(x, layer.w) + layer.b;
      layer.b = layer.b * static_cast<double>(layer.stride);
    }
    if (m.scale) x = x * *m.scale;
    return std::tuple{x, m, std::pair{x * 2.0, 1.0}};
  });
  Model model{{{jnp::eye(2), jnp::ones({2}), 3}}, jnp::float32(2), {{"k", jnp::ones({1})}}};
  auto [y, back, pair] = f(model, jnp::ones({2}));
  EXPECT_EQ(y.to_vector<float>(), (std::vector<float>{4, 4}));
  EXPECT_EQ(back.layers[0].b.to_vector<float>(), (std::vector<float>{3, 3}));
  EXPECT_EQ(back.layers[0].stride, 3);
  EXPECT_EQ(pair.first.to_vector<float>(), (std::vector<float>{8, 8}));
  EXPECT_EQ(pair.second.item<float>(), 1.0f);
  EXPECT_EQ(back.extra.at("k").size(), 1);
}

TEST(Jit, NestedAndCapturing) {
  Array c = jnp::arange(3.0);
  auto inner = jit([c](Array v) { return v + c; }, {.name = "inner"});
  auto outer = jit([&](Array x) { return inner(x) * jit([x](Array t) { return t + x; })(x * 2.0); });
  EXPECT_EQ(outer(jnp::ones({3})).to_vector<float>(), (std::vector<float>{3, 6, 9}));
}

TEST(Jit, ResultsThatAreArgumentsOrConstants) {
  auto f = jit([](Array x) { return std::tuple{x, 3.0, jnp::ones({2})}; });
  auto [same, three, ones] = f(jnp::arange(2.0));
  EXPECT_EQ(same.to_vector<float>(), (std::vector<float>{0, 1}));
  EXPECT_EQ(three.item<float>(), 3.0f);
  EXPECT_EQ(ones.to_vector<float>(), (std::vector<float>{1, 1}));
}

TEST(Jit, DonatedArgumentsAreReusedAndGone) {
  Array d = jnp::ones({256, 256}).block_until_ready();
  const void* where = d.unsafe_buffer_pointer();
  Array e = jit([](Array t) { return t + 1.0; }, {.donate_argnums = {0}})(d);
  EXPECT_EQ(e.unsafe_buffer_pointer(), where);
  EXPECT_TRUE(d.is_deleted());
  EXPECT_THROW(d.to_vector<float>(), RuntimeError);
  EXPECT_EQ(e.to_vector<float>()[7], 2.0f);
}

TEST(Jit, LowerCompileAndCallShareOneCompilation) {
  auto f = jit([](Array v) { return jnp::exp(v) * 2.0; }, {.name = "shared"});
  Array x = jnp::ones({4});
  testkit::CompileCounter compiles("shared");
  auto compiled = f.lower(x).compile();
  f(x);
  EXPECT_EQ(compiles.count(), 1);
  EXPECT_EQ(compiled(x).to_vector<float>(), f(x).to_vector<float>());
  EXPECT_ERROR_HAS(TypeError, compiled(jnp::ones({3})), "was compiled for f32[4]; got f32[3]");
}

TEST(Jit, ShapesAloneCanBeLowered) {
  auto f = jit([](Array v) { return v + 1.0; });
  EXPECT_THAT(f.lower(ShapeDtype({2, 3}, jnp::float32)).as_text(), testing::HasSubstr("tensor<2x3xf32>"));
}

TEST(Jit, NoCompileScopeNamesTheTypes) {
  auto g = jit([](Array v) { return v + 1.0; }, {.name = "g"});
  Array x = jnp::ones({8, 16}), five = jnp::ones({5});
  g(x);
  NoCompileScope guard;
  EXPECT_EQ(g(x).shape(), (Shape{8, 16}));
  EXPECT_ERROR_HAS(CompileForbiddenError, g(five), "f32[5]");
}

TEST(Jit, SaysWhatMadeItTraceAgain) {
  logging::Capture log("tenon", logging::Level::warning);
  config::Scope scope({{"explain_cache_misses", true}});
  auto f = jit([](Array v, Array w) { return jnp::matmul(v, w); }, {.name = "explain_me", .arg_names = {"v", "w"}});
  f(jnp::ones({4, 4}), jnp::ones({4, 4}));
  f(jnp::ones({4, 4}), jnp::ones({4, 8}));
  EXPECT_THAT(log.messages().back(), testing::HasSubstr("CACHE MISS for explain_me"));
  EXPECT_THAT(log.messages().back(), testing::HasSubstr("at w, now f32[4,8] and before f32[4,4]"));
  // Of all signatures the nearest: another dtype is less than another shape.
  f(jnp::ones({4, 4}), jnp::ones({4, 4}, jnp::int32));
  EXPECT_THAT(log.messages().back(), testing::HasSubstr("at w, now i32[4,4] and before f32[4,4]"));
}

}  // namespace
}  // namespace tenon
