// Jaxpr in, Jaxpr out: inputs and results moved, added or dropped; the equations stay.
#pragma once

#include <optional>
#include <vector>

#include "tenon/jaxpr.h"

namespace tenon::detail {

/// The constants become inputs in front of the others.
Jaxpr with_constants_as_inputs(const Jaxpr& jaxpr);

/// For each result the input that it is, where it is one.
std::vector<std::optional<size_t>> forwarded_inputs(const Jaxpr& jaxpr);

/// The results with `keep`.
Jaxpr keep_results(const Jaxpr& jaxpr, const std::vector<bool>& keep);

/// Inputs with `to_front` first, in their order, then the others.
Jaxpr move_inputs_to_front(const Jaxpr& jaxpr, const std::vector<bool>& to_front);

/// The same program over `inputs`: jaxpr's own inputs are inputs[at[0]], inputs[at[1]], ...; the others are unused.
/// Two of jaxpr's inputs may be one.
Jaxpr over_more_inputs(const Jaxpr& jaxpr, const Avals& inputs, const std::vector<size_t>& at);

}  // namespace tenon::detail
