// Data of the host: views of its memory, arrays out of them with and without a copy.
#pragma once

#include <span>

#include "tenon/backend.h"
#include "tenon/tree.h"

#pragma GCC visibility push(default)

namespace tenon {

/// Order of the axes in host memory: C row-major (last axis fastest), F column-major.
enum class Order { C, F };

/// For each axis, from one element to the next: in elements; negative ones and 0 are welcome.
struct Strides {
  std::vector<int64_t> elements;
};

/// What std::mdspan is like: data_handle(), rank(), extent(axis), stride(axis).
template <class M>
concept MultidimensionalSpan = requires(const M& m) {
  requires Scalar<std::remove_cvref_t<decltype(*m.data_handle())>>;
  m.rank();
  m.extent(0);
  m.stride(0);
};

/// Memory of the host seen as an array. Owns nothing.
class HostView {
 public:
  template <Scalar T>
  HostView(const T* data, const Shape& shape, Order order = Order::C)
      : data_(data), aval_{shape, DType(detail::dtype_code_of<T>()), false}, order_(order) {}
  HostView(const void* data, const ShapedArray& aval, Order order = Order::C) : data_(data), aval_(aval), order_(order) {}
  /// Element (i, j, ...) is data[i * strides[0] + j * strides[1] + ...].
  template <Scalar T>
  HostView(const T* data, const Shape& shape, Strides strides)
      : data_(data), aval_{shape, DType(detail::dtype_code_of<T>()), false}, strides_(std::move(strides.elements)), is_strided_(true) {}
  HostView(const void* data, const ShapedArray& aval, Strides strides)
      : data_(data), aval_(aval), strides_(std::move(strides.elements)), is_strided_(true) {}
  template <class T, size_t N>
    requires Scalar<std::remove_cv_t<T>>
  HostView(std::span<T, N> elements) : HostView(elements.data(), Shape{static_cast<int64_t>(elements.size())}) {}
  template <MultidimensionalSpan M>
  HostView(const M& m) : HostView(m.data_handle(), Shape{}, Strides{}) {
    std::vector<int64_t> sizes;
    for (size_t axis = 0; axis < static_cast<size_t>(m.rank()); ++axis) {
      sizes.push_back(static_cast<int64_t>(m.extent(axis)));
      strides_.push_back(static_cast<int64_t>(m.stride(axis)));
    }
    aval_.shape = Shape(std::move(sizes));
  }
  const void* data() const { return data_; }
  const ShapedArray& aval() const { return aval_; }
  /// That of views without strides of their own.
  Order order() const { return order_; }
  /// Of every axis, whatever the view was made of. Throws ShapeError for sizes or strides that make no array.
  std::vector<int64_t> strides() const;

 private:
  const void* data_;
  ShapedArray aval_;
  Order order_ = Order::C;
  std::vector<int64_t> strides_;
  bool is_strided_ = false;
};

namespace detail {
void* allocate_aligned(size_t count, size_t size_bytes);  // 64-byte aligned; throws OutOfMemoryError
void free_aligned(void* memory);
Array to_host(const Array& array);  // waits
/// The elements, row-major, as they are; they live as long as the reference, whatever becomes of the array. Waits.
/// Throws TypeError when the dtype is another one.
BufferRef held_elements(const Array& array, DType::Code dtype, const char* who);
void copy_out(const Array& array, DType::Code dtype, void* out, int64_t count, Loc loc);
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
/// The elements of an array where they are, to read: no copy (but of arrays in a layout of their own). They stay as long as the view,
/// also when the array is donated or deleted. Reads like a std::mdspan.
template <Scalar T>
class ArrayView {
 public:
  using element_type = const T;
  explicit ArrayView(const Array& array)
      : buffer_(detail::held_elements(array, DType::Code(detail::dtype_code_of<T>()), "ArrayView")),
        data_(static_cast<const T*>(buffer_->host_data())), shape_(array.shape()), size_(array.size()) {}
  const T* data() const { return data_; }
  const T* data_handle() const { return data_; }
  const Shape& shape() const { return shape_; }
  size_t rank() const { return shape_.size(); }
  int64_t extent(size_t axis) const { return shape_[axis]; }
  int64_t stride(size_t axis) const {
    int64_t elements = 1;
    for (size_t i = axis + 1; i < shape_.size(); ++i) elements *= shape_[i];
    return elements;
  }
  size_t size() const { return static_cast<size_t>(size_); }
  /// view(i, j): as many indices as there are axes, in range.
  template <class... I>
  const T& operator()(I... indices) const {
    size_t at = 0, axis = 0;
    ((at = at * static_cast<size_t>(shape_[axis++]) + static_cast<size_t>(indices)), ...);
    return data_[at];
  }
  std::span<const T> span() const { return {data_, size()}; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size(); }

 private:
  BufferRef buffer_;
  const T* data_;
  Shape shape_;
  int64_t size_;
};

/// Copies the elements of `array`, row-major and converted as `astype` would, to memory of the caller. Waits.
/// Throws ValueError when `out` has another size, or overlaps the memory of the array.
template <Scalar T>
void copy_to(const Array& array, std::span<T> out, Loc loc = Loc::current()) {
  detail::copy_out(array, DType::Code(detail::dtype_code_of<T>()), out.data(), static_cast<int64_t>(out.size()), loc);
}

/// The tree with each Array's elements in host memory. Waits.
template <class T>
T device_get(T tree) {
  detail::visit_leaves(tree, [](Array& a) { a = detail::to_host(a); });
  return tree;
}

}  // namespace tenon

#pragma GCC visibility pop
