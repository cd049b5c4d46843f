// Branches, loops and calls of the host as primitives.
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
/// EqnParams: const_lengths, jaxprs (what matvec, vecmat, solve and transpose_solve use beside b; these programs). Operands: what
/// they use, b. Results: the solution, what comes beside it.
extern const Primitive custom_linear_solve_p;
/// EqnParams: solve_jaxpr (Jaxpr), f, tangent_solve (programs of the rules), has_aux (bool). Operands: what solve uses, the guess,
/// what f uses, what tangent_solve uses. Results: the root, what comes beside it.
extern const Primitive custom_root_p;

/// Calls of the host (host_call.h). EqnParams: callback (HostFunctionParam), result_avals (ResultAvals), sharding (None);
/// vmap_method (None or string) of the pure one, ordered (bool) of the other.
extern const Primitive pure_callback_p, io_callback_p;
/// EqnParams: callback (DebugFunctionParam), effect, partitioned; fmt (string), ordered (bool) and what JAX prints. No results.
extern const Primitive debug_callback_p, debug_print_p;

}  // namespace tenon::detail
