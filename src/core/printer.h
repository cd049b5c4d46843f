// Text of parts of a jaxpr, for messages. The whole prints by Jaxpr::str.
#pragma once

#include "tenon/jaxpr.h"

namespace tenon::detail {

/// Equation `index` with the names it has in jaxpr.str(), on one line.
std::string eqn_str(const Jaxpr& jaxpr, size_t index);

}  // namespace tenon::detail
