// DLPack: what goes out and comes back, who frees it, and what is refused.
#include "tenon/dlpack.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"
#include "support/mapped.h"
#include "tenon/tenon.h"

namespace tenon {
namespace {

using dlpack::ManagedTensor;
using dlpack::ManagedTensorVersioned;

// A tensor of another library.
template <class Tensor>
struct Theirs {
  Tensor tensor{};
  std::vector<int64_t> shape, strides;
  int deleted = 0;

  Theirs(void* data, std::vector<int64_t> sizes, dlpack::DataType type, std::vector<int64_t> steps = {}) : shape(std::move(sizes)), strides(std::move(steps)) {
    tensor.manager_ctx = this;
    tensor.deleter = [](Tensor* self) { ++static_cast<Theirs*>(self->manager_ctx)->deleted; };
    tensor.dl_tensor = {data, {dlpack::kCPU, 0}, static_cast<int32_t>(shape.size()), type, shape.data(), strides.empty() ? nullptr : strides.data(), 0};
    if constexpr (std::is_same_v<Tensor, ManagedTensorVersioned>) tensor.version = {1, 1};
  }
};
constexpr dlpack::DataType kF32{dlpack::kFloat, 32, 1};

template <class T>
class DLPack : public testing::Test {};
using Tensors = testing::Types<ManagedTensor, ManagedTensorVersioned>;
TYPED_TEST_SUITE(DLPack, Tensors);

TYPED_TEST(DLPack, AlignedMemoryIsNotCopied) {
  const auto data = aligned_host_buffer<float>(6);
  for (size_t i = 0; i < 6; ++i) data[i] = static_cast<float>(i);
  Theirs<TypeParam> theirs(data.data(), {2, 3}, kF32);
  {
    const Array x = from_dlpack(&theirs.tensor);
    EXPECT_EQ(x.aval().str_short(), "f32[2,3]");
    EXPECT_EQ(x.unsafe_buffer_pointer(), data.data());
    EXPECT_EQ((x + 1.0).to_vector<float>(), (std::vector<float>{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(theirs.deleted, 0);
  }
  EXPECT_EQ(theirs.deleted, 1);
}

TYPED_TEST(DLPack, ThemDonatedIsNotWrittenTo) {
  const auto data = aligned_host_buffer<float>(4);
  for (size_t i = 0; i < 4; ++i) data[i] = 1;
  Theirs<TypeParam> theirs(data.data(), {4}, kF32);
  const auto twice = jit([](Array a) { return a * 2.0; }, {.donate_argnums = {0}});
  EXPECT_EQ(twice(from_dlpack(&theirs.tensor)).template to_vector<float>(), std::vector<float>(4, 2));
  EXPECT_EQ(data[0], 1);
  EXPECT_EQ(theirs.deleted, 1);
}

TYPED_TEST(DLPack, StridesAndOffsetsAreCopied) {
  std::vector<float> data(40);
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i);
  Theirs<TypeParam> columns(data.data(), {2, 3}, kF32, {1, 2});
  EXPECT_EQ(from_dlpack(&columns.tensor).template to_vector<float>(), (std::vector<float>{0, 2, 4, 1, 3, 5}));
  EXPECT_EQ(columns.deleted, 1);
  Theirs<TypeParam> backwards(data.data() + 10, {3}, kF32, {-2});
  EXPECT_EQ(from_dlpack(&backwards.tensor).template to_vector<float>(), (std::vector<float>{10, 8, 6}));
  Theirs<TypeParam> repeated(data.data() + 3, {2, 2}, kF32, {0, 1});
  repeated.tensor.dl_tensor.byte_offset = 8;
  EXPECT_EQ(from_dlpack(&repeated.tensor).template to_vector<float>(), (std::vector<float>{5, 6, 5, 6}));
  Theirs<TypeParam> empty(nullptr, {0, 3}, kF32, {3, 1});
  EXPECT_EQ(from_dlpack(&empty.tensor).shape(), (Shape{0, 3}));
  EXPECT_EQ(empty.deleted, 1);
  Theirs<TypeParam> scalar(data.data() + 7, {}, kF32);
  EXPECT_EQ(from_dlpack(&scalar.tensor).item(), 7);
}

TYPED_TEST(DLPack, RefusedTensorsStayTheirs) {
  std::vector<float> data(4);
  using T = Theirs<TypeParam>;
  T opaque(data.data(), {4}, {dlpack::kOpaque, 64, 1}), lanes(data.data(), {1}, {dlpack::kFloat, 32, 4}), packed(data.data(), {4}, {dlpack::kInt, 4, 1});
  EXPECT_ERROR(TypeError, from_dlpack(&opaque.tensor), "from_dlpack: there is no such dtype here; got type code 3 with 64 bits and 1 lanes");
  EXPECT_ERROR_HAS(TypeError, from_dlpack(&lanes.tensor), "4 lanes");
  EXPECT_ERROR_HAS(TypeError, from_dlpack(&packed.tensor), "4 bits");
  T device(data.data(), {4}, kF32), null(nullptr, {4}, kF32), negative(data.data(), {-1}, kF32);
  device.tensor.dl_tensor.device.device_type = 2;
  EXPECT_ERROR(ValueError, from_dlpack(&device.tensor), "from_dlpack: the memory is of device type 2; only that of the CPU (1) can be read");
  EXPECT_ERROR_HAS(ValueError, from_dlpack(&null.tensor), "the pointer is null");
  EXPECT_ERROR_HAS(ValueError, from_dlpack(&negative.tensor), "sizes must not be negative");
  EXPECT_ERROR_HAS(ValueError, from_dlpack(static_cast<TypeParam*>(nullptr)), "null");
  T huge(data.data(), {int64_t{1} << 46}, kF32, {0});
  EXPECT_THROW(from_dlpack(&huge.tensor), OutOfMemoryError);
  for (const T* tensor : {&opaque, &lanes, &packed, &device, &null, &negative, &huge}) EXPECT_EQ(tensor->deleted, 0);
}

TEST(DLPackVersion, OfAnotherLayoutIsRefused) {
  std::vector<float> data(4);
  Theirs<ManagedTensorVersioned> newer(data.data(), {4}, kF32);
  newer.tensor.version = {2, 0};
  EXPECT_ERROR(ValueError, from_dlpack(&newer.tensor), "from_dlpack: the tensor is laid out by DLPack 2.0; this is 1.x");
}

TEST(DLPackExport, ShowsTheElementsAndKeepsThem) {
  ManagedTensorVersioned* tensor = nullptr;
  {
    const Array x = jnp::arange(6.0).reshape({2, 3}) * 2.0;
    tensor = to_dlpack(x);
    EXPECT_EQ(tensor->dl_tensor.data, x.unsafe_buffer_pointer());
    x.delete_buffer();
  }
  EXPECT_EQ(tensor->version.major, 1u);
  EXPECT_EQ(tensor->flags, dlpack::kReadOnly);
  EXPECT_EQ(tensor->dl_tensor.ndim, 2);
  EXPECT_EQ(tensor->dl_tensor.shape[1], 3);
  EXPECT_EQ(tensor->dl_tensor.strides[0], 3);
  EXPECT_EQ(tensor->dl_tensor.dtype.code, dlpack::kFloat);
  EXPECT_EQ(tensor->dl_tensor.dtype.bits, 32);
  EXPECT_EQ(static_cast<const float*>(tensor->dl_tensor.data)[5], 10);
  // And back: not copied either.
  void* const data = tensor->dl_tensor.data;
  const Array back = from_dlpack(tensor);
  EXPECT_EQ(back.unsafe_buffer_pointer(), data);
  EXPECT_EQ(back.to_vector<float>(), (std::vector<float>{0, 2, 4, 6, 8, 10}));
}

// A program that is given the array while somebody reads the tensor works on a copy.
TEST(DLPackExport, IsNotOverwrittenByDonation) {
  const Array x = jnp::ones({1000}) * 3.0;
  ManagedTensor* tensor = to_dlpack_unversioned(x);
  const auto twice = jit([](Array a) { return a * 2.0; }, {.donate_argnums = {0}});
  EXPECT_EQ(twice(x).to_vector<float>()[0], 6);
  EXPECT_TRUE(x.is_deleted());
  EXPECT_EQ(static_cast<const float*>(tensor->dl_tensor.data)[999], 3);
  tensor->deleter(tensor);
}

TEST(DLPackExport, OfEveryDtype) {
  const config::Scope x64{{"enable_x64", true}};
  for (DType dtype : {jnp::bool_, jnp::int8, jnp::int16, jnp::int32, jnp::int64, jnp::uint8, jnp::uint16, jnp::uint32, jnp::uint64, jnp::bfloat16,
                      jnp::float16, jnp::float32, jnp::float64, jnp::complex64, jnp::complex128}) {
    const Array x = jnp::array({1, 0, 1}).astype(dtype), back = from_dlpack(to_dlpack(x));
    EXPECT_EQ(back.dtype(), dtype);
    EXPECT_EQ(back.to_vector<float>(), (std::vector<float>{1, 0, 1}));
  }
  EXPECT_ERROR_HAS(TypeError, to_dlpack(random::key(0)), "DLPack has no type for");
  EXPECT_ERROR_HAS(ValueError, to_dlpack(Array()), "to_dlpack");
}

}  // namespace
}  // namespace tenon
