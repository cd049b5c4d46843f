// Memory of the host as arrays, and arrays as memory: spans, strides, views without copies.
#include <gtest/gtest.h>

#include <array>
#include <span>

#include "support/expect_error.h"
#include "tenon/tenon.h"

namespace tenon {
namespace {

TEST(HostView, OfSpans) {
  std::vector<float> data{1, 2, 3};
  EXPECT_EQ(device_put(std::span(data)).to_vector<float>(), data);
  const std::array<int32_t, 2> fixed{4, 5};
  EXPECT_EQ(jnp::array(HostView(std::span(fixed))).to_vector<int>(), (std::vector<int>{4, 5}));
  EXPECT_EQ(device_put(std::span<const float>()).shape(), Shape{0});
}

TEST(HostView, OfAnyStrides) {
  std::vector<int32_t> data(60);
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<int32_t>(i);
  EXPECT_EQ(device_put(HostView(data.data(), {2, 3}, Strides{{10, 2}})).to_vector<int>(), (std::vector<int>{0, 2, 4, 10, 12, 14}));
  EXPECT_EQ(device_put(HostView(data.data() + 5, {3}, Strides{{-2}})).to_vector<int>(), (std::vector<int>{5, 3, 1}));
  EXPECT_EQ(device_put(HostView(data.data(), {2, 2}, Strides{{0, 1}})).to_vector<int>(), (std::vector<int>{0, 1, 0, 1}));
  EXPECT_EQ(device_put(HostView(data.data(), {3, 2}, Order::F)).to_vector<int>(), (std::vector<int>{0, 3, 1, 4, 2, 5}));
  EXPECT_ERROR_HAS(ShapeError, device_put(HostView(data.data(), {2, 3}, Strides{{1}})), "one stride for each axis; got 1 strides for shape (2, 3)");
}

// What std::mdspan has, and more than these headers need.
struct Mdspan {
  using element_type = const double;
  const double* pointer;
  std::array<int, 2> sizes, steps;
  const double* data_handle() const { return pointer; }
  static constexpr size_t rank() { return 2; }
  int extent(size_t axis) const { return sizes[axis]; }
  int stride(size_t axis) const { return steps[axis]; }
};

TEST(HostView, OfWhatIsLikeAnMdspan) {
  const std::vector<double> data{0, 1, 2, 3, 4, 5};
  EXPECT_EQ(device_put(Mdspan{data.data(), {2, 3}, {1, 2}}).to_vector<float>(), (std::vector<float>{0, 2, 4, 1, 3, 5}));
  const Array x = jnp::arange(6.0).reshape({2, 3});
  EXPECT_EQ(device_put(ArrayView<float>(x)).to_vector<float>(), x.to_vector<float>());  // ours is one
}

TEST(HostView, RowMajorMemoryOfAnOwnerIsNotCopied) {
  const auto data = aligned_host_buffer<float>(12);
  for (size_t i = 0; i < 12; ++i) data[i] = static_cast<float>(i);
  EXPECT_EQ(device_put(HostView(data.data(), {3, 4}, Strides{{4, 1}}), data).unsafe_buffer_pointer(), data.data());
  EXPECT_EQ(device_put(HostView(data.data(), {1, 4}, Strides{{77, 1}}), data).unsafe_buffer_pointer(), data.data());
  EXPECT_NE(device_put(HostView(data.data(), {4, 3}, Strides{{1, 4}}), data).unsafe_buffer_pointer(), data.data());
}

TEST(ArrayView, ReadsWhereTheElementsAre) {
  const Array x = jnp::arange(6.0).reshape({2, 3});
  const ArrayView<float> view(x);
  EXPECT_EQ(view.data(), x.unsafe_buffer_pointer());
  EXPECT_EQ(view(1, 2), 5);
  EXPECT_EQ(view.rank(), 2u);
  EXPECT_EQ(view.extent(1), 3);
  EXPECT_EQ(view.stride(0), 3);
  EXPECT_EQ(view.span().size(), 6u);
  EXPECT_EQ(std::vector<float>(view.begin(), view.end()), x.to_vector<float>());
  EXPECT_EQ(ArrayView<float>(jnp::float32(3))(), 3);
  EXPECT_ERROR_HAS(TypeError, ArrayView<double>(x), "the elements are float32; asked for float64");
}

TEST(ArrayView, StaysWhenTheArrayGoes) {
  const Array x = jnp::ones({1000}) * 2.0;
  const ArrayView<float> view(x);
  const auto twice = jit([](Array a) { return a * 2.0; }, {.donate_argnums = {0}});
  EXPECT_EQ(twice(x).to_vector<float>()[0], 4);
  EXPECT_TRUE(x.is_deleted());
  EXPECT_EQ(view(999), 2);
  EXPECT_ERROR_HAS(RuntimeError, ArrayView<float>(x), "deleted or donated");
}

TEST(CopyTo, WritesToMemoryOfTheCaller) {
  const Array x = jnp::arange(4.0);
  std::vector<double> out(4);
  copy_to(x, std::span(out));
  EXPECT_EQ(out, (std::vector<double>{0, 1, 2, 3}));
  EXPECT_ERROR_HAS(ValueError, copy_to(x, std::span(out).first(3)), "the array has 4 elements; got room for 3");
  const auto data = aligned_host_buffer<float>(8);
  const Array theirs = device_put(HostView(data.data(), {8}), data);
  EXPECT_ERROR_HAS(ValueError, copy_to(theirs, std::span(data.data(), 8)), "the memory is that of the array");
}

// ---- donation

TEST(Donation, IsOnceAndForAll) {
  const Array x = jnp::ones({64}), y = jnp::ones({64}) + 1.0;
  const auto add = jit([](Array a, Array b) { return a + b; }, {.donate_argnums = {0}});
  add(x, y);
  EXPECT_TRUE(x.is_deleted());
  EXPECT_ERROR_HAS(RuntimeError, add(x, y), "deleted or donated");   // twice
  EXPECT_ERROR_HAS(RuntimeError, x + 1.0, "deleted or donated");     // used after
  EXPECT_ERROR_HAS(RuntimeError, x.to_vector<float>(), "deleted or donated");
  EXPECT_ERROR_HAS(RuntimeError, jit([](Array a) { return a * 2.0; })(x), "deleted or donated");
  EXPECT_ERROR_HAS(ValueError, add(y, y), "donated as one argument and passed as another");
  EXPECT_FALSE(y.is_deleted());
}

TEST(BlockUntilReady, HandsTheSameTreeBack) {
  const Array x = jnp::ones({1 << 20});
  const auto f = jit([](Array a) { return std::map<std::string, std::pair<Array, Array>>{{"k", {jnp::exp(a), a * 2.0}}}; });
  auto tree = f(x);
  const void* const pointer = tree.at("k").first.unsafe_buffer_pointer();
  auto same = block_until_ready(tree);
  EXPECT_EQ(same.at("k").first.unsafe_buffer_pointer(), pointer);
  EXPECT_TRUE(tree.at("k").second.is_ready());
  EXPECT_EQ(block_until_ready(std::pair{3, x}).first, 3);
}

}  // namespace
}  // namespace tenon
