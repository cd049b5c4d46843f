// Partial evaluation: what known inputs alone give is evaluated now, and is no part of the program any more.
#pragma once

#include "transforms/jaxpr.h"

namespace tenon::detail {

struct HoistedJaxpr {
  Jaxpr jaxpr;    // inputs: `values`, then the inputs of the original that are not known; results that are not known
  Arrays values;  // known values that are still read, in JAX's order
  Arrays known;   // one per result of the original; empty when not known
};
/// `known`: a value for each input, empty where it is not known. Results whose flag in `keep` is set stay results (empty: none).
/// Calls of programs that are recorded come apart into a call of what is known, now, and one of the rest.
HoistedJaxpr hoisted(const Jaxpr& jaxpr, const Arrays& known, const std::vector<bool>& keep = {});

}  // namespace tenon::detail
