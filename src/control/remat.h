// remat_p: a program whose derivatives compute it again instead of keeping its values.
#pragma once

#include "core/trace.h"
#include "tenon/custom_derivatives.h"

namespace tenon::detail {

/// EqnParams: jaxpr (Jaxpr), differentiated, prevent_cse (bool), policy (CheckpointPolicy or None).
/// Operands are the inputs of the jaxpr. Lowers as the jaxpr in its place; the operands of a
/// derivative pass a barrier, so that what is computed again is not found to be known.
extern constinit const Primitive remat_p;
/// EqnParams: name (string). The value itself: policies know it by the name.
extern constinit const Primitive name_p;

}  // namespace tenon::detail
