// Modules of the corpus on other inputs than their own.
#pragma once

#include <string>

#include "dialect/module.h"
#include "tenon/array.h"

namespace tenon::conformance {

/// A copy that begins at `function` and takes as further arguments what it had as constants: arrays of more than one
/// element, and what it calls without operands (@inputs). Its checks are gone; what they checked is given as further results.
Module opened(const Module& module, const std::string& function);

/// One array for each aval. What numbers there are depends on `seed`: moderate ones; with infinities, NaN, zeros and the
/// like among them; or small integers, of which many are equal.
Arrays random_inputs(const Avals& avals, unsigned seed);

}  // namespace tenon::conformance
