// Jaxprs as functions, and jaxprs without what nobody uses.
#pragma once

#include <vector>

#include "core/trace.h"

namespace tenon::detail {

/// The results of `jaxpr` for `arguments` (one per invar), operation by operation under the current trace.
/// `each` sees the results of an equation, and may replace them.
Arrays eval_jaxpr(const Jaxpr& jaxpr, const Arrays& arguments, FunctionRef<void(const Eqn&, Arrays&)> each);
Arrays eval_jaxpr(const Jaxpr& jaxpr, const Arrays& arguments);

/// A jaxpr that computes only some results, with the inputs it still needs.
struct PrunedJaxpr {
  Jaxpr jaxpr;
  std::vector<bool> used_inputs;
};
/// Drops equations without effects whose results nobody uses, results that are not `used`, unused
/// consts, and unused inputs unless `keep_inputs`. Takes linear time.
PrunedJaxpr dead_code_eliminated(const Jaxpr& jaxpr, const std::vector<bool>& used, bool keep_inputs = false);

/// The same for a program inside of another: of one jaxpr and flags always the same object.
PrunedJaxpr pruned_call(const Jaxpr& jaxpr, const std::vector<bool>& used, bool keep_inputs = false);

/// The same equations with other inputs and results: `invars` may take over constvars (their consts go).
Jaxpr with_binders(const Jaxpr& jaxpr, Vars invars, Vars outvars);

/// The same program with other results.
Jaxpr with_results(const Jaxpr& jaxpr, Vars outvars);

}  // namespace tenon::detail
