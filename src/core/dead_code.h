// Jaxpr in, Jaxpr out, without what no result needs.
#pragma once

#include <vector>

#include "tenon/jaxpr.h"

namespace tenon::detail {

/// A jaxpr that computes only some results, with the inputs it still needs.
struct PrunedJaxpr {
  Jaxpr jaxpr;
  std::vector<bool> used_inputs;
};
/// Drops equations without effects whose results nobody uses, results that are not `used`, unused
/// consts, and unused inputs unless `keep_inputs`; the same inside of programs that equations hold, by
/// the rule `prune` of their primitives. The jaxpr itself when nothing is dead. Takes linear time;
/// recursive over the nesting of programs only.
PrunedJaxpr dead_code_eliminated(const Jaxpr& jaxpr, const std::vector<bool>& used, bool keep_inputs = false);

/// The same for a program inside of another: of one jaxpr and flags always the same object.
PrunedJaxpr pruned_call(const Jaxpr& jaxpr, const std::vector<bool>& used, bool keep_inputs = false);

}  // namespace tenon::detail
