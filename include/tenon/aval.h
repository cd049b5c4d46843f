// Abstract values: shape and dtype, no data.
#pragma once

#include "tenon/detail/text_stream.h"
#include "tenon/dtype.h"
#include "tenon/shape.h"

#pragma GCC visibility push(default)

namespace tenon {

/// Shape, dtype and weak type of an array: what a tracer knows.
struct ShapedArray {
  Shape shape;
  DType dtype{DType::kFloat32};
  bool weak_type = false;

  int ndim() const { return shape.ndim(); }
  /// Bytes of the elements, dense. Throws ShapeError when it does not fit in 63 bits.
  int64_t nbytes() const;
  ShapedArray with_shape(Shape s) const { return {std::move(s), dtype, weak_type}; }
  ShapedArray with_dtype(DType d, bool weak = false) const { return {shape, d, weak}; }
  bool operator==(const ShapedArray&) const = default;

  /// "ShapedArray(float32[2,3])", with ", weak_type=True" where it is.
  std::string str() const;
  template <detail::TextStream S>
  friend S& operator<<(S& out, const ShapedArray& x) {
    out << x.str();
    return out;
  }
  /// "f32[2,3]".
  std::string str_short() const;
};
using Aval = ShapedArray;
using Avals = std::vector<Aval>;

/// A shape and a dtype without a value; where an Array is a parameter, it stands for one
/// (lower, eval_shape, make_jaxpr).
class ShapeDtype {
 public:
  ShapeDtype(const Shape& shape, DType dtype) : aval_{shape, dtype, false} {}
  const Shape& shape() const { return aval_.shape; }
  DType dtype() const { return aval_.dtype; }
  const ShapedArray& aval() const { return aval_; }
  /// "ShapeDtypeStruct(shape=(2, 3), dtype=float32)".
  std::string str() const;

 private:
  ShapedArray aval_;
};

}  // namespace tenon

#pragma GCC visibility pop
