// remat_p: a program whose derivatives compute it again instead of keeping its values.
#pragma once

#include "core/trace.h"
#include "tenon/custom_derivatives.h"

namespace tenon::detail {

/// EqnParams: jaxpr (Jaxpr), differentiated, prevent_cse (bool), policy (RematPolicy or None).
/// Operands are the inputs of the jaxpr. Lowers as the jaxpr in its place; the operands of a
/// derivative pass a barrier, so that what is computed again is not found to be known.
extern constinit const Primitive remat_p;

/// The parameter policy: which values derivatives keep.
struct RematPolicy {
  CheckpointPolicy policy;
  bool saves(const Eqn& eqn) const;
  std::string str() const;
  bool operator==(const RematPolicy&) const = default;
};

}  // namespace tenon::detail
