// Exchange of arrays with other libraries by DLPack, without a copy where that can be: versioned tensors (DLPack 1.x) and
// those from before. The structs are declared here as DLPack lays them out; those of dlpack.h are taken as well.
#pragma once

#include "tenon/host.h"

#pragma GCC visibility push(default)

namespace tenon {
namespace dlpack {

enum DeviceType : int32_t { kCPU = 1 };
enum TypeCode : uint8_t {
  kInt = 0, kUInt = 1, kFloat = 2, kOpaque = 3, kBfloat = 4, kComplex = 5, kBool = 6, kFloat8E3M4 = 7, kFloat8E4M3 = 8,
  kFloat8E4M3B11FNUZ = 9, kFloat8E4M3FN = 10, kFloat8E4M3FNUZ = 11, kFloat8E5M2 = 12, kFloat8E5M2FNUZ = 13, kFloat8E8M0FNU = 14
};
inline constexpr uint64_t kReadOnly = 1, kIsCopied = 2;  // flags

struct Device {
  int32_t device_type, device_id;
};
struct DataType {
  uint8_t code, bits;
  uint16_t lanes;
};
struct Tensor {
  void* data;
  Device device;
  int32_t ndim;
  DataType dtype;
  int64_t* shape;
  int64_t* strides;  // in elements; null: row-major
  uint64_t byte_offset;
};
struct ManagedTensor {
  Tensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(ManagedTensor* self);
};
struct Version {
  uint32_t major, minor;
};
struct ManagedTensorVersioned {
  Version version;
  void* manager_ctx;
  void (*deleter)(ManagedTensorVersioned* self);
  uint64_t flags;
  Tensor dl_tensor;
};
}  // namespace dlpack

namespace detail {
Array import_dlpack(dlpack::ManagedTensor* tensor);
Array import_dlpack(dlpack::ManagedTensorVersioned* tensor);
template <class T>
concept ManagedTensorLike = requires(T& t) { t.dl_tensor.byte_offset; t.manager_ctx; t.deleter; };
template <class T>
concept VersionedTensorLike = ManagedTensorLike<T> && requires(T& t) { t.version.major; t.flags; };
}  // namespace detail

/// The array that `tensor` describes; takes it over, and calls its deleter when the last user of its memory is gone, or at once where it was
/// copied: memory that is not aligned to 64 bytes or not row-major, and 64-bit elements unless enable_x64 is set. Until then the memory must not
/// change. Throws, and leaves `tensor` to the caller: TypeError for a dtype that Tenon lacks, ValueError for another device than the CPU,
/// another version of the layout, or strides or sizes that make no array.
template <detail::ManagedTensorLike T>
Array from_dlpack(T* tensor) {
  if constexpr (detail::VersionedTensorLike<T>) {
    static_assert(sizeof(T) == sizeof(dlpack::ManagedTensorVersioned));
    return detail::import_dlpack(reinterpret_cast<dlpack::ManagedTensorVersioned*>(tensor));
  } else {
    static_assert(sizeof(T) == sizeof(dlpack::ManagedTensor));
    return detail::import_dlpack(reinterpret_cast<dlpack::ManagedTensor*>(tensor));
  }
}

/// The elements of `array` where they are, read-only (kReadOnly): whoever takes the tensor calls its deleter. Waits. The memory stays, whatever
/// becomes of the array. Throws TypeError for keys and for dtypes of less than a byte, which DLPack packs otherwise.
dlpack::ManagedTensorVersioned* to_dlpack(const Array& array);
/// The same for those who know the older struct alone, which cannot say that the memory must not be written to.
dlpack::ManagedTensor* to_dlpack_unversioned(const Array& array);

}  // namespace tenon

#pragma GCC visibility pop
