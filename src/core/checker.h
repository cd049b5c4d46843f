// Is a jaxpr what every stage takes for granted?
#pragma once

#include "tenon/jaxpr.h"

namespace tenon::detail {

/// Checks `jaxpr` and the jaxprs inside it: each variable is bound once, before it is used; the
/// results of an equation have the shape and dtype that its primitive's rule gives; consts match
/// constvars; effects of equations are effects of the whole. Takes linear time.
/// Throws InternalError that names the equation.
void check_jaxpr(const Jaxpr& jaxpr);

}  // namespace tenon::detail
