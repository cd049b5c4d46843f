// Jaxprs that print once, by name, before the rest.
#pragma once

#include "tenon/jaxpr.h"

namespace tenon::detail {

struct SharedJaxpr {
  std::string name;
  Jaxpr jaxpr;
};
/// The jaxprs below `jaxpr` that are met more than once or have more than ten equations, in order
/// of discovery (breadth first), under names that differ from each other.
std::vector<SharedJaxpr> find_shared_jaxprs(const Jaxpr& jaxpr);

}  // namespace tenon::detail
