// What the primitives that only look at values share.
#pragma once

#include "control/host_function.h"

namespace tenon::detail {

/// The value goes on alone; nothing has a tangent.
JvpResult jvp_debug(const Primitive& self, const Arrays& primals, const Tangents& tangents, const EqnParams& params);
/// Each element by itself, one after the other.
BatchResult batch_debug(const Primitive& self, const BatchAxis& axis, const Arrays& operands, const std::vector<int>& axes, const EqnParams& params);
[[noreturn]] Cotangents transpose_debug(const Primitive& self, const Cotangents&, const LinearOperands&, const EqnParams&);

}  // namespace tenon::detail
