// Transposition: cotangents from the results of a linear jaxpr back to its inputs.
#pragma once

#include "core/trace.h"

namespace tenon::detail {

/// Cotangents of the inputs marked linear (zeros for the others).
///
///   jaxpr        linear in these inputs together
///   inputs       one per invar; the value of a linear one, if any, is its cotangent so far
///   cotangents   one per result
///
/// Operations on known values are evaluated first, in order; then the transposes of the others run
/// backwards, each once, under the current trace. Throws UnimplementedError for an operation without
/// a transpose.
Cotangents backward_pass(const Jaxpr& jaxpr, const LinearOperands& inputs, const Cotangents& cotangents);

/// The same, where operations on known values inside of calls are evaluated first, too (hoist.h).
Cotangents hoisted_backward_pass(const Jaxpr& jaxpr, const LinearOperands& inputs, const Cotangents& cotangents);

/// The same as a program.
struct TransposedJaxpr {
  Jaxpr jaxpr;                // known inputs, then nonzero cotangents -> nonzero cotangents of linear inputs
  std::vector<bool> nonzero;  // one per invar of the original
};
/// `linear`: inputs; `nonzero`: results whose cotangent is not zero; `weak`: inputs of the transposed program that are of weak type (empty:
/// as the jaxpr has them); `apart`: calls come apart first, into what is known and what is linear. Of one jaxpr and masks always the same object.
TransposedJaxpr transpose_jaxpr(const Jaxpr& jaxpr, const std::vector<bool>& linear, const std::vector<bool>& nonzero,
                                const std::vector<bool>& weak = {}, bool apart = false);

}  // namespace tenon::detail
