// Rules of differentiation and batching of the scatters.
#pragma once

#include "ops/batch.h"
#include "ops/differentiate.h"
#include "ops/gather_scatter.h"

namespace tenon::lax {

/// Of scatter. Where an update is overwritten by a later one it has no tangent.
JvpResult jvp_scatter(const Primitive& self, const Arrays& primals, const Tangents& tangents, const EqnParams& params);
Cotangents transpose_scatter(const Primitive& self, const Cotangents& cotangents, const LinearOperands& operands,
                             const EqnParams& params);
/// Of scatter_add and scatter_sub.
JvpResult jvp_scatter_linear(const Primitive& self, const Arrays& primals, const Tangents& tangents, const EqnParams& params);
template <bool negates>
Cotangents transpose_scatter_linear(const Primitive& self, const Cotangents& cotangents, const LinearOperands& operands,
                                    const EqnParams& params);
/// Of scatter_mul. By updates only where indices are unique.
JvpResult jvp_scatter_mul(const Primitive& self, const Arrays& primals, const Tangents& tangents, const EqnParams& params);
Cotangents transpose_scatter_mul(const Primitive& self, const Cotangents& cotangents, const LinearOperands& operands,
                                 const EqnParams& params);
/// Of scatter_max and scatter_min: the mean of the tangents of all values that are equal to the result.
JvpResult jvp_scatter_extreme(const Primitive& self, const Arrays& primals, const Tangents& tangents, const EqnParams& params);
BatchResult batch_scatter(const Primitive& self, const BatchAxis& axis, const Arrays& operands, const std::vector<int>& axes,
                          const EqnParams& params);

}  // namespace tenon::lax
