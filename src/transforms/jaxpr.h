// Jaxprs as functions, evaluated in whole or in part.
#pragma once

#include <vector>

#include "core/dead_code.h"
#include "core/trace.h"

namespace tenon::detail {

/// The results of `jaxpr` for `arguments` (one per invar), operation by operation under the current trace.
/// `each` sees the results of an equation, and may replace them.
Arrays eval_jaxpr(const Jaxpr& jaxpr, const Arrays& arguments, FunctionRef<void(const Eqn&, Arrays&)> each);
Arrays eval_jaxpr(const Jaxpr& jaxpr, const Arrays& arguments);

/// A jaxpr without the equations that depend on its first inputs alone: these are evaluated now.
struct HoistedJaxpr {
  Jaxpr jaxpr;        // inputs: `values`, then the other inputs of the original; results that are not known
  Arrays values;
  Arrays known;       // one per result of the original; empty when not known
};
/// `known`: values of the first inputs. Results whose flag in `keep` is set stay results (empty: none).
HoistedJaxpr hoisted(const Jaxpr& jaxpr, const Arrays& known, const std::vector<bool>& keep = {});

/// The same equations with other inputs and results: `invars` may take over constvars (their consts go).
Jaxpr with_binders(const Jaxpr& jaxpr, Vars invars, Vars outvars);

/// The same program with other results.
Jaxpr with_results(const Jaxpr& jaxpr, Vars outvars);

}  // namespace tenon::detail
