// Programs called by programs: equal ones become one object, so that they print, lower and compile once.
#pragma once

#include <string>

#include "tenon/jaxpr.h"

namespace tenon::detail {

/// While one lives on this thread, called_jaxpr remembers. Opened by trace_to_jaxpr.
class CalledJaxprsScope {
 public:
  CalledJaxprsScope();
  ~CalledJaxprsScope();
  CalledJaxprsScope(const CalledJaxprsScope&) = delete;
};

/// The jaxpr of this structure already called by this name under the outermost open trace of this
/// thread; `jaxpr` itself when there is none.
Jaxpr called_jaxpr(const std::string& name, const Jaxpr& jaxpr);

/// The same among the programs that were evaluated: these are found again by the identity of their jaxprs.
Jaxpr evaluated_jaxpr(const std::string& name, const Jaxpr& jaxpr);

}  // namespace tenon::detail
