// Arrays as DLPack tensors, and tensors as arrays.
#include "tenon/dlpack.h"

#include <memory>
#include <type_traits>

#include "base/fail.h"
#include "core/nodes.h"

namespace tenon {
namespace {

using dlpack::ManagedTensor;
using dlpack::ManagedTensorVersioned;

static_assert(std::is_standard_layout_v<ManagedTensorVersioned> && sizeof(dlpack::Tensor) == 48 && sizeof(ManagedTensor) == 64 &&
              sizeof(ManagedTensorVersioned) == 80);

constexpr dlpack::Version kVersion{1, 0};

struct Row {
  DType::Code dtype;
  dlpack::DataType type;
};
constexpr Row kTypes[] = {
    {DType::kBool, {dlpack::kBool, 8, 1}},
    {DType::kInt8, {dlpack::kInt, 8, 1}},
    {DType::kInt16, {dlpack::kInt, 16, 1}},
    {DType::kInt32, {dlpack::kInt, 32, 1}},
    {DType::kInt64, {dlpack::kInt, 64, 1}},
    {DType::kUInt8, {dlpack::kUInt, 8, 1}},
    {DType::kUInt16, {dlpack::kUInt, 16, 1}},
    {DType::kUInt32, {dlpack::kUInt, 32, 1}},
    {DType::kUInt64, {dlpack::kUInt, 64, 1}},
    {DType::kBFloat16, {dlpack::kBfloat, 16, 1}},
    {DType::kFloat16, {dlpack::kFloat, 16, 1}},
    {DType::kFloat32, {dlpack::kFloat, 32, 1}},
    {DType::kFloat64, {dlpack::kFloat, 64, 1}},
    {DType::kComplex64, {dlpack::kComplex, 64, 1}},
    {DType::kComplex128, {dlpack::kComplex, 128, 1}},
    {DType::kFloat8E3M4, {dlpack::kFloat8E3M4, 8, 1}},
    {DType::kFloat8E4M3, {dlpack::kFloat8E4M3, 8, 1}},
    {DType::kFloat8E4M3B11FNUZ, {dlpack::kFloat8E4M3B11FNUZ, 8, 1}},
    {DType::kFloat8E4M3FN, {dlpack::kFloat8E4M3FN, 8, 1}},
    {DType::kFloat8E4M3FNUZ, {dlpack::kFloat8E4M3FNUZ, 8, 1}},
    {DType::kFloat8E5M2, {dlpack::kFloat8E5M2, 8, 1}},
    {DType::kFloat8E5M2FNUZ, {dlpack::kFloat8E5M2FNUZ, 8, 1}},
    {DType::kFloat8E8M0FNU, {dlpack::kFloat8E8M0FNU, 8, 1}},
};

DType dtype_of(const dlpack::DataType& type) {
  for (const Row& row : kTypes)
    if (row.type.code == type.code && row.type.bits == type.bits && type.lanes == 1) return DType(row.dtype);
  fail<TypeError>("from_dlpack", "there is no such dtype here; got type code ", int{type.code}, " with ", int{type.bits}, " bits and ", type.lanes, " lanes");
}
dlpack::DataType type_of(DType dtype) {
  for (const Row& row : kTypes)
    if (row.dtype == dtype.code()) return row.type;
  fail<TypeError>("to_dlpack", "DLPack has no type for ", dtype, dtype.is_prng_key() ? "; export random::key_data of it" : "; convert it with astype");
}

HostView view_of(const dlpack::Tensor& tensor) {
  const char* who = "from_dlpack";
  if (tensor.device.device_type != dlpack::kCPU)
    fail<ValueError>(who, "the memory is of device type ", tensor.device.device_type, "; only that of the CPU (1) can be read");
  if (tensor.ndim < 0 || (tensor.ndim > 0 && !tensor.shape)) fail<ValueError>(who, "the tensor has no shape; got ", tensor.ndim, " axes");
  std::vector<int64_t> sizes(tensor.shape, tensor.shape + tensor.ndim);
  for (int64_t size : sizes)
    if (size < 0) fail<ValueError>(who, "sizes must not be negative; got ", size);
  const Aval aval{Shape(std::move(sizes)), dtype_of(tensor.dtype), false};
  const bool is_empty = aval.nbytes() == 0;  // throws where that overflows
  if (!tensor.data && !is_empty) fail<ValueError>(who, "the pointer is null; got ", aval);
  const char* const data = tensor.data ? static_cast<const char*>(tensor.data) + tensor.byte_offset : nullptr;
  if (!tensor.strides || is_empty) return {data, aval};
  return {data, aval, Strides{{tensor.strides, tensor.strides + tensor.ndim}}};
}

// A tensor that is ours once the array stands; until then, what was released is the caller's still.
template <class Tensor>
struct Taken {
  Tensor* tensor;
  bool is_ours = false, is_released = false;

  static void release(void* context) {
    auto* const taken = static_cast<Taken*>(context);
    taken->is_released = true;
    if (taken->is_ours) taken->finish();
  }
  void finish() {
    if (tensor->deleter) tensor->deleter(tensor);
    delete this;
  }
};

template <class Tensor>
Array import(Tensor* tensor) {
  const HostView view = view_of(tensor->dl_tensor);
  auto taken = std::make_unique<Taken<Tensor>>(Taken<Tensor>{tensor});
  Array array = detail::adopt_host(view, {taken.get(), Taken<Tensor>::release});
  taken->is_ours = true;
  Taken<Tensor>* const ours = taken.release();
  if (ours->is_released) ours->finish();  // it was copied
  return array;
}

// A tensor with all it points to.
template <class Tensor>
struct Exported {
  Tensor tensor{};
  BufferRef elements;
  std::vector<int64_t> shape, strides;
};

template <class Tensor>
Tensor* export_to(const Array& array, Exported<Tensor>*& made) {
  const char* who = "to_dlpack";
  const dlpack::DataType type = type_of(array.node(who).aval().dtype);
  auto exported = std::make_unique<Exported<Tensor>>();
  exported->elements = detail::held_elements(array, array.dtype().code(), who);
  const HostView view(exported->elements->host_data(), array.aval());
  exported->shape = array.shape().dims();
  exported->strides = view.strides();
  exported->tensor.manager_ctx = exported.get();
  exported->tensor.deleter = [](Tensor* self) { delete static_cast<Exported<Tensor>*>(self->manager_ctx); };
  exported->tensor.dl_tensor = {const_cast<void*>(view.data()), {dlpack::kCPU, 0},           array.ndim(), type,
                                exported->shape.data(),         exported->strides.data(), 0};
  made = exported.release();
  return &made->tensor;
}

}  // namespace

Array detail::import_dlpack(ManagedTensor* tensor) {
  if (!tensor) fail<ValueError>("from_dlpack", "the tensor is null");
  return import(tensor);
}

Array detail::import_dlpack(ManagedTensorVersioned* tensor) {
  if (!tensor) fail<ValueError>("from_dlpack", "the tensor is null");
  if (tensor->version.major != kVersion.major)
    fail<ValueError>("from_dlpack", "the tensor is laid out by DLPack ", tensor->version.major, ".", tensor->version.minor, "; this is ", kVersion.major, ".x");
  return import(tensor);
}

ManagedTensorVersioned* to_dlpack(const Array& array) {
  Exported<ManagedTensorVersioned>* exported = nullptr;
  ManagedTensorVersioned* tensor = export_to(array, exported);
  tensor->version = kVersion;
  tensor->flags = dlpack::kReadOnly;
  return tensor;
}

ManagedTensor* to_dlpack_unversioned(const Array& array) {
  Exported<ManagedTensor>* exported = nullptr;
  return export_to(array, exported);
}

}  // namespace tenon
