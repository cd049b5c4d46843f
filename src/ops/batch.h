// Rules of batching that several primitives share, and what rules are written with.
#pragma once

#include "ops/primitives.h"
#include "tenon/detail/rules.h"
#include "tenon/lax.h"

namespace tenon::lax {

using detail::broadcast_along;
using detail::move_axis;
/// x with its mapped axis at 0; repeated `size` times along a new one where there is none.
Array batch_at_front(const Array& x, int axis, int64_t size);
/// An axis of the unbatched value as one of the batched: those from `mapped` on move up.
inline int64_t batched_axis(int64_t axis, int mapped) { return axis >= mapped ? axis + 1 : axis; }
inline Axes batched_axes(Axes axes, int mapped) {
  for (size_t i = 0; i < axes.size(); ++i) axes[i] = batched_axis(axes[i], mapped);
  return axes;
}

inline Axes with_first(int64_t axis, const Axes& axes) {
  std::vector<int64_t> all = axes.values();
  all.insert(all.begin(), axis);
  return Axes(std::move(all));
}

/// One operand, any number of results: each keeps the mapped axis.
BatchResult batch_unary(const Primitive& self, const BatchAxis& axis, const Arrays& operands, const std::vector<int>& axes,
                        const EqnParams& params);
/// Elementwise: operands meet along a mapped axis at 0, of size 1 where one is not mapped; scalars
/// stay scalars.
BatchResult batch_elementwise(const Primitive& self, const BatchAxis& axis, const Arrays& operands, const std::vector<int>& axes,
                              const EqnParams& params);
/// A reduction by the parameter `axes`.
BatchResult batch_reduction(const Primitive& self, const BatchAxis& axis, const Arrays& operands, const std::vector<int>& axes,
                            const EqnParams& params);

}  // namespace tenon::lax
