// What rules of differentiation and batching are written with.
#pragma once

#include "tenon/primitive.h"

#pragma GCC visibility push(default)

namespace tenon {
namespace detail {

/// The type of a tangent: that of the value; float0 for integers, bools and keys.
ShapedArray tangent_aval(const ShapedArray& aval);
inline Tangent zero_like(const Array& x) { return Tangent::zero(tangent_aval(x.aval())); }
/// The value; zeros for a symbolic zero.
Array instantiate(const Tangent& tangent);
/// The sum; a symbolic zero adds nothing.
Tangent add_tangents(const Tangent& x, const Tangent& y);
/// Axis `from` of x becomes axis `to`; the others keep their order.
Array move_axis(const Array& x, int from, int to);
/// x with a new axis of `size` equal elements at `axis`.
Array broadcast_along(const Array& x, int64_t size, int axis);

}  // namespace detail
}  // namespace tenon

#pragma GCC visibility pop
