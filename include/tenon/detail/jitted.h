// Functions as parts of programs: library functions that JAX jits (where, clip, ...) or gives a derivative of their
// own (relu) print so, and bodies of reductions, branches and loops are parameters.
#pragma once

#include "tenon/primitive.h"

#pragma GCC visibility push(default)

namespace tenon {
namespace detail {

/// `body` as a nested program called `name`: under a trace it becomes one `jit` equation. Evaluated it
/// runs operation by operation on small arrays and as one compiled program on large ones (the bits are
/// the same either way). `elements`: how many the largest value has, where it is none of the operands.
Arrays call_jitted(const char* name, FunctionRef<Arrays(const Arrays&)> body, const Arrays& operands, int64_t elements = 0);

/// A function of the library with a derivative of its own.
struct FunctionWithJvp {
  const char* name;
  const char* rule_name;
  Arrays (*call)(const Arrays& operands);
  JvpResult (*jvp)(const Arrays& primals, const Tangents& tangents);  // no tangent is a symbolic zero
};
/// One `custom_jvp_call` equation under a trace that records; evaluated it runs operation by operation.
Arrays call_custom_jvp(const FunctionWithJvp& function, const Arrays& operands);

/// `body` on arguments of these types: a parameter of the operation `who` (how a scatter or a
/// reduction combines). Throws TypeError when it captures values of an outer trace.
Jaxpr trace_body(const char* who, FunctionRef<Arrays(const Arrays&)> body, const Avals& avals);

/// `body` on arguments of these types, as the program of a branch or a loop. What it captures, values of outer traces and
/// known arrays alike, becomes inputs in front of its own; `captured` are they.
Jaxpr trace_closed(const char* who, FunctionRef<Arrays(const Arrays&)> body, const Avals& avals, Arrays& captured);

/// One object for jaxprs of one structure: under a trace for those of one function (`identity`; nullptr: this jaxpr is
/// alone), so that they print once as JAX's do; evaluated for all, since programs are found by the identity of their jaxprs.
Jaxpr shared_jaxpr(const char* who, const void* identity, const Jaxpr& jaxpr);

}  // namespace detail
}  // namespace tenon

#pragma GCC visibility pop
