// Programs in two, for checkpoints: what is computed now, and what a derivative computes again.
#pragma once

#include "transforms/linearize.h"

namespace tenon::detail {

/// Does a derivative keep the results of an equation?
using Saves = FunctionRef<bool(const Eqn&)>;

struct SplitJaxpr {
  Jaxpr now;                // inputs -> results, values that are kept
  Jaxpr later;              // values that are kept, inputs at hand -> the results that are computed again
  std::vector<bool> again;  // one per result
  size_t kept;
};

/// Splits a program. `at_hand`: inputs that are there later too. An equation whose results are not saved is in both; what it needs
/// then and is not at hand is kept. Equations with effects are never done again. A jitted call, and a scan, is split within.
///
///   all_again   every result is one of `later` (what was saved is kept and returned)
SplitJaxpr split_jaxpr(const Jaxpr& jaxpr, const std::vector<bool>& at_hand, Saves saves, bool all_again = false);

/// Splits a linearized program: `now` is inputs -> results, kept; `later` is kept, inputs, tangents -> tangents of nonzero results.
/// Kept values that are not needed, and equations of `later` without a use, are gone.
SplitJaxpr split_linearized(const LinearizedJaxpr& parts, Saves saves);

}  // namespace tenon::detail
