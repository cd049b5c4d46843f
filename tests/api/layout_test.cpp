// Layouts of arrays, arguments and results.
#include <gtest/gtest.h>

#include "support/random_array.h"
#include "tenon/testkit.h"

namespace tenon {
namespace {

using test::normal;

const Format kColumnMajor{Layout{{1, 0}}}, kRowMajor{Layout{{0, 1}}}, kAuto{Layout::AUTO};

void expect_equal(const Array& got, const Array& expected) {
  ASSERT_EQ(got.aval(), expected.aval());
  EXPECT_TRUE(jnp::array_equal(got, expected).item<bool>());
}

TEST(Layouts, OfAnArray) {
  const Array x = jnp::arange(6, jnp::float32).reshape({2, 3});
  EXPECT_EQ(x.format(), kRowMajor);
  const Array y = device_put(x, kColumnMajor);
  EXPECT_EQ(y.format(), kColumnMajor);
  EXPECT_EQ(y.format().layout.str(), "Layout(major_to_minor=(1, 0))");
  EXPECT_EQ(y.shape(), x.shape());
  const auto* memory = static_cast<const float*>(y.block_until_ready().unsafe_buffer_pointer());
  EXPECT_EQ(std::vector<float>(memory, memory + 6), (std::vector<float>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(y.to_vector<float>(), (std::vector<float>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(y.str(), x.str());
  expect_equal(y + 1.0f, x + 1.0f);
  expect_equal(jnp::matmul(y, y.T()), jnp::matmul(x, x.T()));
  EXPECT_EQ(device_put(y, kRowMajor).format(), kRowMajor);
  EXPECT_EQ(device_put(y, Format{}).format(), kRowMajor);
  y.delete_buffer();
  EXPECT_TRUE(y.is_deleted());
  EXPECT_THROW(y + 1.0f, RuntimeError);
}

TEST(Layouts, OfEachDtypeAndRank) {
  config::Scope scope({{"enable_x64", true}});
  const Array x = normal(1, {3, 4, 5, 2}, 30.0);
  for (const DType& dtype : {jnp::float32, jnp::float64, jnp::bfloat16, jnp::int8, jnp::bool_, jnp::complex64, jnp::complex128}) {
    SCOPED_TRACE(testing::Message() << dtype);
    const Array a = x.astype(dtype);
    for (const std::vector<int>& order : {std::vector<int>{3, 2, 1, 0}, {1, 0, 3, 2}, {2, 3, 0, 1}}) {
      const Array b = device_put(a, {Layout{order}});
      EXPECT_EQ(b.format().layout.major_to_minor, order);
      expect_equal(b, a);
      expect_equal(device_put(b, {Layout{{0, 2, 1, 3}}}), a);
    }
  }
  for (const Shape& shape : {Shape{0, 3}, Shape{1, 1}, Shape{7, 0}}) {
    expect_equal(device_put(jnp::ones(shape), kColumnMajor), jnp::ones(shape));
  }
}

TEST(Layouts, ThatAreNone) {
  const Array x = jnp::ones({2, 3});
  for (const std::vector<int>& order : {std::vector<int>{0}, {0, 0}, {1, 2}, {0, 1, 2}, {-1, 0}})
    EXPECT_THROW(device_put(x, {Layout{order}}), ValueError);
  EXPECT_THROW(device_put(x, kAuto), ValueError);
  EXPECT_THROW(jit([](Array a) { return device_put(a, kColumnMajor); })(x), TypeError);
  EXPECT_THROW(jit([](Array a) { return a; }, {.in_formats = {{Layout{{0, 1, 2}}}}})(x), ValueError);
  EXPECT_THROW(jit([](Array a) { return a; }, {.in_formats = {kAuto, kAuto}})(x), ValueError);
  EXPECT_THROW(jit([](Array a) { return a; }, {.out_formats = {kAuto, kAuto}})(x), ValueError);
}

TEST(Layouts, OfArgumentsAndResults) {
  const Array x = normal(1, {30, 50}), y = normal(2, {50, 30});
  const auto f = [](Array a, Array b) { return std::pair{jnp::sin(a) + b.T(), jnp::matmul(a, b)}; };
  const auto expected = jit(f)(x, y);
  for (const Format& in : {kRowMajor, kColumnMajor, kAuto}) {
    for (const Format& out : {kRowMajor, kColumnMajor, kAuto}) {
      const auto jitted = jit(f, {.in_formats = {in, kColumnMajor}, .out_formats = {out}});
      const auto compiled = jitted.lower(x, y).compile();
      const auto [sum, product] = compiled(x, y);  // copied into the layout
      expect_equal(sum, expected.first);
      EXPECT_TRUE(jnp::allclose(product, expected.second, 1e-5, 1e-5).item<bool>());
      EXPECT_EQ(sum.format(), compiled.output_formats()[0]);
      EXPECT_EQ(compiled.input_formats()[1], kColumnMajor);
      const Array put = device_put(x, compiled.input_formats()[0]);
      expect_equal(compiled(put, device_put(y, kColumnMajor)).first, expected.first);
      expect_equal(jitted(put, y).first, expected.first);
    }
  }
}

// What XLA prints.
TEST(Layouts, InTexts) {
  const Array x = normal(1, {4, 8});
  const auto lowered = jit([](Array a) { return std::pair{a + 1.0f, a * 2.0f}; }, {.in_formats = {kColumnMajor}, .out_formats = {kAuto, kColumnMajor}}).lower(x);
  EXPECT_NE(lowered.as_text().find("main(%arg0: tensor<4x8xf32> {mhlo.layout_mode = \"{0,1}\"}) -> (tensor<4x8xf32> {jax.result_info = \"result[0]\", "
                                   "mhlo.layout_mode = \"auto\"}, tensor<4x8xf32> {jax.result_info = \"result[1]\", mhlo.layout_mode = \"{0,1}\"})"),
            std::string::npos)
      << lowered.as_text();
  const std::string text = lowered.compile().as_text();
  EXPECT_NE(text.find("entry_computation_layout={(f32[4,8]{0,1})->(f32[4,8]{0,1}, f32[4,8]{0,1})}"), std::string::npos) << text;
  EXPECT_NE(text.find("f32[4,8]{0,1} parameter(0)"), std::string::npos) << text;
}

// A transpose that only the border needs is gone.
TEST(Layouts, AutoSparesTransposes) {
  const Array x = normal(1, {300, 500});
  const auto f = [](Array a) { return jnp::transpose(jnp::cumsum(jnp::transpose(jnp::exp(a)), {.axis = 0})) * 2.0f; };
  const auto plain = jit(f).lower(x).compile();
  const auto free = jit(f, {.in_formats = {kAuto}, .out_formats = {kAuto}}).lower(x).compile();
  EXPECT_EQ(free.input_formats()[0], kColumnMajor);
  EXPECT_EQ(free.output_formats()[0], kColumnMajor);
  EXPECT_EQ(free.as_text().find("transpose"), std::string::npos) << free.as_text();
  EXPECT_NE(plain.as_text().find("transpose"), std::string::npos);
  expect_equal(free(device_put(x, kColumnMajor)), plain(x));
}

TEST(Layouts, DonatedArguments) {
  const Array x = normal(1, {300, 500});
  const auto f = jit([](Array a) { return a + 1.0f; }, {.donate_argnums = {0}, .in_formats = {kColumnMajor}, .out_formats = {kColumnMajor}});
  const Array expected = x + 1.0f;
  const Array put = device_put(x, kColumnMajor);
  const void* memory = put.unsafe_buffer_pointer();
  const Array y = f(put);
  EXPECT_TRUE(put.is_deleted());
  EXPECT_EQ(y.unsafe_buffer_pointer(), memory);
  expect_equal(y, expected);
  expect_equal(f(x), expected);
  EXPECT_TRUE(x.is_deleted());
}

// Handles of one array share nothing that one of them can take away.
TEST(Layouts, CopiesOutliveEachOther) {
  const Array x = normal(1, {20, 30});
  const auto take = jit([](Array a) { return a + 1.0f; }, {.donate_argnums = {0}});
  const Array y = device_put(x, kColumnMajor);
  const Array sum = y + 1.0f;  // it has a row-major copy now
  const Array z = device_put(y, kRowMajor);
  take(z).block_until_ready();
  EXPECT_TRUE(z.is_deleted());
  expect_equal(y + 1.0f, sum);
  EXPECT_EQ(device_put(y).format(), kColumnMajor);
  EXPECT_EQ(device_get(y).format(), kColumnMajor);
  y.delete_buffer();
  EXPECT_THROW(y + 1.0f, RuntimeError);
  const Array number = 2.0f;
  EXPECT_EQ(take(number).item<float>(), 3.0f);
  EXPECT_EQ(take(number).item<float>(), 3.0f);  // the number is still there
}

TEST(Layouts, OfKeysAreRowMajor) {
  const Array keys = random::split(random::key(3), 6).reshape({2, 3});
  const auto turned = [](Array k) { return random::key_data(k.T()); };
  expect_equal(jit(turned, {.in_formats = {kAuto}, .out_formats = {kAuto}})(keys), jit(turned)(keys));
  EXPECT_EQ(jit([](Array k) { return k.T(); }, {.in_formats = {kAuto}, .out_formats = {kAuto}}).lower(keys).compile().output_formats()[0], kRowMajor);
  EXPECT_THROW(jit(turned, {.in_formats = {kColumnMajor}})(keys), UnimplementedError);
  EXPECT_THROW(device_put(keys, kColumnMajor), UnimplementedError);
}

TEST(Layouts, OfTreesAndUnusedArguments) {
  const Array x = normal(1, {4, 6}), y = normal(2, {4, 6});
  const auto f = [](Arrays xs, Array) { return xs[0] - xs[1]; };
  expect_equal(jit(f, {.in_formats = {kColumnMajor}})(Arrays{x, device_put(y, kColumnMajor)}, y), x - y);
}

}  // namespace
}  // namespace tenon
