// Branches and loops as primitives.
#pragma once

#include "tenon/primitive.h"

namespace tenon::detail {

/// EqnParams: branches (Jaxprs). Operands: the index (int32, in range), then the inputs of every branch.
extern const Primitive cond_p;
/// EqnParams: cond_jaxpr, body_jaxpr (Jaxpr), cond_nconsts, body_nconsts (int64_t). Operands: what the condition uses
/// beside the carry, what the body uses beside it, the carry.
extern const Primitive while_p;
/// EqnParams: jaxpr (Jaxpr), length, num_consts, num_carry, unroll (int64_t), reverse (bool). Operands: what the body
/// uses beside carry and elements, the carry, arrays to go along. Results: the carry, the stacked results.
extern const Primitive scan_p;

}  // namespace tenon::detail
