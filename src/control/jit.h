// jit_p: a program called by a program.
#pragma once

#include "core/trace.h"
#include "tenon/detail/jitted.h"

namespace tenon::detail {

/// Are values looked at (debug_nans, debug_infs)? Only those of a whole library function are, which is one program then.
bool looks_at_values();

/// EqnParams: jaxpr (Jaxpr), name (string). Operands are the inputs of the jaxpr.
extern constinit const Primitive jit_p;

/// Binds jit_p under the current trace, after outer tracers captured by `jaxpr` became operands.
/// A jaxpr that equals one already called under this trace is replaced by it, so that it prints
/// and lowers once.
Arrays bind_jit(const std::string& name, const Jaxpr& jaxpr, Arrays operands);

}  // namespace tenon::detail
