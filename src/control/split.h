// Programs in two, for checkpoints: what is computed now, and what a derivative computes again.
#pragma once

#include <optional>
#include <string>

#include "transforms/linearize.h"

namespace tenon::detail {

/// Does a derivative keep the results of an equation? Those of one key say the same.
struct Saves {
  FunctionRef<bool(const Eqn&)> saves;
  std::string key;
  bool operator()(const Eqn& eqn) const { return saves(eqn); }
};

struct SplitJaxpr {
  Jaxpr now;                  // known inputs -> known results, values that are kept
  Jaxpr later;                // values that are kept, inputs at hand -> the results that are computed again, or then at first
  std::vector<bool> again;    // one per result: is it a result of `later`?
  std::vector<bool> unknown;  // one per result: is it none of `now`?
  size_t kept;
};

/// Splits a program. `at_hand`: inputs that are there later too. An equation whose results are not saved is in both; what it needs
/// then and is not at hand is kept. Equations with effects are never done again. A jitted call, and a scan, is split within.
///
///   all_again   every result is one of `later` (what was saved is kept and returned)
///   unknown     inputs that are there later only (empty: none); they are at hand
SplitJaxpr split_jaxpr(const Jaxpr& jaxpr, const std::vector<bool>& at_hand, const Saves& saves, bool all_again = false,
                       const std::vector<bool>& unknown = {});

/// Splits a program by what a derivative knows first, as JAX does: `jaxpr` is primals, tangents -> `results`, tangents. `now` is primals ->
/// results, kept; `later` is kept, primals, tangents -> tangents. Empty where a tangent does not depend on tangents, or where the program holds
/// others than calls: these cannot come apart when `later` is transposed.
std::optional<SplitJaxpr> split_derivative(const Jaxpr& jaxpr, size_t primals, size_t results, const Saves& saves);

/// Are calls the only programs inside, or nothing?
bool holds_calls_only(const Jaxpr& jaxpr);

/// Splits a linearized program: `now` is inputs -> results, kept; `later` is kept, inputs, tangents -> tangents of nonzero results.
/// Kept values that are not needed, and equations of `later` without a use, are gone.
SplitJaxpr split_linearized(const LinearizedJaxpr& parts, const Saves& saves);

}  // namespace tenon::detail
