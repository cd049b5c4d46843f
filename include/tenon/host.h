// Data of the host: views of its memory, arrays out of them with and without a copy.
#pragma once

#include "tenon/backend.h"
#include "tenon/tree.h"

#pragma GCC visibility push(default)

namespace tenon {

/// Order of the axes in host memory: C row-major (last axis fastest), F column-major.
enum class Order { C, F };

/// Memory of the host seen as an array. Owns nothing.
class HostView {
 public:
  template <Scalar T>
  HostView(const T* data, const Shape& shape, Order order = Order::C)
      : data_(data), aval_{shape, DType(detail::dtype_code_of<T>()), false}, order_(order) {}
  HostView(const void* data, const ShapedArray& aval, Order order = Order::C) : data_(data), aval_(aval), order_(order) {}
  const void* data() const { return data_; }
  const ShapedArray& aval() const { return aval_; }
  Order order() const { return order_; }

 private:
  const void* data_;
  ShapedArray aval_;
  Order order_;
};

namespace detail {
void* allocate_aligned(size_t count, size_t size_bytes);  // 64-byte aligned; throws OutOfMemoryError
void free_aligned(void* memory);
Array to_host(const Array& array);  // waits
Array adopt_host(const HostView& view, ForeignOwner owner);

template <class T>
struct HostMemory final : RefCounted {
  T* data;
  explicit HostMemory(size_t n) : data(static_cast<T*>(allocate_aligned(n, sizeof(T)))) {}
  ~HostMemory() override { free_aligned(data); }
};
}  // namespace detail

/// Shared memory that device_put can use without a copy.
template <Scalar T>
class HostBuffer {
 public:
  explicit HostBuffer(size_t n) : memory_(detail::make_ref<detail::HostMemory<T>>(n)), size_(n) {}
  T* get() const { return memory_->data; }
  T* data() const { return memory_->data; }
  size_t size() const { return size_; }
  T& operator[](size_t i) const { return memory_->data[i]; }
  T* begin() const { return data(); }
  T* end() const { return data() + size_; }

 private:
  detail::Ref<detail::HostMemory<T>> memory_;
  size_t size_;
};
/// Uninitialized memory for n elements, aligned for device_put. Throws OutOfMemoryError.
template <Scalar T>
HostBuffer<T> aligned_host_buffer(size_t n) { return HostBuffer<T>(n); }

/// The array, on the default device or on `device`. No copy where it is there already.
Array device_put(const Array& array);
Array device_put(const Array& array, const Device& device);
/// The array in another layout, for programs that were compiled for it: a copy, unless it has it. What else reads the array
/// reads a row-major copy. Throws ValueError when the layout is not an order of its axes, TypeError for a tracer.
Array device_put(const Array& array, const Format& format);
/// A copy of host memory, row-major whatever its order. 64-bit elements become 32-bit ones
/// unless enable_x64 is set.
Array device_put(const HostView& view);
/// Host memory without a copy, when it is row-major and aligned to 64 bytes; else a copy.
/// `owner` (any copyable value) is kept until the array and all programs that read it are done; until then the memory must not change:
/// programs that captured the array may have read it before, or read it again.
template <class Owner>
Array device_put(const HostView& view, Owner owner) {
  return detail::adopt_host(view, {new Owner(std::move(owner)), [](void* context) { delete static_cast<Owner*>(context); }});
}
/// The tree with each Array's elements in host memory. Waits.
template <class T>
T device_get(T tree) {
  detail::visit_leaves(tree, [](Array& a) { a = detail::to_host(a); });
  return tree;
}

}  // namespace tenon

#pragma GCC visibility pop
