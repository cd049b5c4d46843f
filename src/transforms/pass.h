// pass: a tangent that goes through a library call as it is. Backwards it has its place among the equations of calls; a value is
// only itself.
#pragma once

#include "tenon/primitive.h"

namespace tenon::detail {

extern constinit const Primitive pass_p;

/// A linear program without them.
Jaxpr without_passes(const Jaxpr& jaxpr);

}  // namespace tenon::detail
