// Arrays and Eigen's matrices, without copies. Needs Eigen 3.4; no other header of Tenon includes this one.
#pragma once

#include <Eigen/Core>

#include "tenon/host.h"

#pragma GCC visibility push(default)

namespace tenon {

/// Memory of a matrix, map or reference of Eigen as an array, whatever its strides: vectors have one axis, matrices two.
/// Owns nothing.
template <class Derived>
  requires(bool(Derived::Flags & Eigen::DirectAccessBit))
HostView eigen_view(const Eigen::DenseBase<Derived>& matrix) {
  const Derived& m = matrix.derived();
  if constexpr (Derived::IsVectorAtCompileTime)
    return HostView(m.data(), Shape{m.size()}, Strides{{m.innerStride()}});
  else
    return HostView(m.data(), Shape{m.rows(), m.cols()}, Strides{{m.rowStride(), m.colStride()}});
}

/// A copy of what a matrix or an expression of Eigen is: vectors have one axis, matrices two.
template <class Derived>
Array from_eigen(const Eigen::DenseBase<Derived>& matrix) {
  if constexpr (bool(Derived::Flags & Eigen::DirectAccessBit)) return device_put(eigen_view(matrix));
  else return device_put(eigen_view(matrix.eval()));
}
/// Without a copy where memory is aligned to 64 bytes and row-major; see device_put. The matrix is moved into the array.
template <class Scalar, int Rows, int Columns, int Options, int MaxRows, int MaxColumns>
Array from_eigen(Eigen::Matrix<Scalar, Rows, Columns, Options, MaxRows, MaxColumns>&& matrix) {
  struct Owner final : detail::RefCounted {
    explicit Owner(Eigen::Matrix<Scalar, Rows, Columns, Options, MaxRows, MaxColumns>&& m) : matrix(std::move(m)) {}
    Eigen::Matrix<Scalar, Rows, Columns, Options, MaxRows, MaxColumns> matrix;
  };
  auto owner = detail::make_ref<Owner>(std::move(matrix));
  const HostView view = eigen_view(owner->matrix);
  return device_put(view, std::move(owner));
}

namespace detail {
template <class T>
struct EigenElements {
  ArrayView<T> elements;
};
}  // namespace detail

/// A matrix of Eigen that reads the elements of an array where they are, and holds them. One axis is a column.
template <class T>
class EigenMap : detail::EigenElements<T>, public Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> {
 public:
  using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  /// Waits. Throws TypeError when the elements are not T, ShapeError when there are more than two axes.
  explicit EigenMap(const Array& array)
      : detail::EigenElements<T>{ArrayView<T>(array)},
        Eigen::Map<const Matrix>(detail::EigenElements<T>::elements.data(), size_of(array, 0), size_of(array, 1)) {}

 private:
  static Eigen::Index size_of(const Array& array, size_t axis) {
    const Shape shape = array.shape();
    if (shape.size() > 2) throw ShapeError("EigenMap: a matrix has at most two axes; got " + array.aval().str());
    return axis < shape.size() ? shape[axis] : 1;
  }
};

}  // namespace tenon

#pragma GCC visibility pop
