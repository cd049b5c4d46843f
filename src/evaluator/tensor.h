// Arrays of the evaluator: shape, dtype and bytes, dense and row-major.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "tenon/aval.h"

namespace tenon::evaluator {

/// An array. Copies share the bytes.
class Tensor {
 public:
  /// An uninitialized array. Throws OutOfMemoryError.
  explicit Tensor(Aval aval);
  /// A view of memory that outlives it, or is kept by `owner`. 64-byte alignment is not needed.
  Tensor(Aval aval, const void* data, std::shared_ptr<const void> owner = nullptr)
      : aval_(std::move(aval)), data_(const_cast<void*>(data)), owner_(std::move(owner)) {}

  /// An array of the values' dtype.
  template <Scalar T>
  static Tensor of(const Shape& shape, const std::vector<T>& values) {
    Tensor tensor(Aval{shape, DType(detail::dtype_code_of<T>())});
    tensor.fill_from(values.size(), [&](std::size_t i) { return static_cast<T>(values[i]); });
    return tensor;
  }

  const Aval& aval() const { return aval_; }
  const Shape& shape() const { return aval_.shape; }
  DType dtype() const { return aval_.dtype; }
  std::int64_t size() const { return aval_.shape.num_elements(); }
  std::int64_t nbytes() const { return aval_.nbytes(); }
  const void* data() const { return data_; }
  /// For whoever made the array.
  void* mutable_data() { return data_; }

  /// The elements as T. Throws TypeError when T is not the dtype's type (16-bit floats: uint16_t).
  template <class T>
  std::span<const T> values() const {
    check_element_size(sizeof(T));
    return {static_cast<const T*>(data_), static_cast<std::size_t>(size())};
  }

 private:
  template <class Element>
  void fill_from(std::size_t count, Element element) {
    check_count(count);
    using T = decltype(element(0));
    for (std::size_t i = 0; i < count; ++i) static_cast<T*>(data_)[i] = element(i);
  }
  void check_count(std::size_t count) const;
  void check_element_size(std::size_t size) const;

  Aval aval_;
  void* data_ = nullptr;
  std::shared_ptr<const void> owner_;
};

/// `size_bytes` uninitialized bytes, aligned to a cache line. Throws OutOfMemoryError, also when the
/// machine has not that much memory at all.
std::shared_ptr<void> allocate(std::int64_t size_bytes);

}  // namespace tenon::evaluator
