// Jaxprs as functions, and with other inputs and results.
#pragma once

#include <vector>

#include "core/dead_code.h"
#include "core/trace.h"

namespace tenon::detail {

/// The results of `jaxpr` for `arguments` (one per invar), operation by operation under the current trace.
/// `each` sees the results of an equation, and may replace them.
Arrays eval_jaxpr(const Jaxpr& jaxpr, const Arrays& arguments, FunctionRef<void(const Eqn&, Arrays&)> each);
Arrays eval_jaxpr(const Jaxpr& jaxpr, const Arrays& arguments);

/// The same equations with other inputs and results: `invars` may take over constvars (their consts go).
Jaxpr with_binders(const Jaxpr& jaxpr, Vars invars, Vars outvars);

/// The same program with other results.
Jaxpr with_results(const Jaxpr& jaxpr, Vars outvars);

}  // namespace tenon::detail
