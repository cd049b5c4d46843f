// custom_jvp_call_p: a program that brings its own derivative.
#pragma once

#include "core/trace.h"
#include "tenon/detail/jitted.h"

namespace tenon::detail {

/// EqnParams: name, jvp (string: the name of the derivative's rule), call_jaxpr (Jaxpr), symbolic_zeros (bool).
/// Operands are the inputs of the jaxpr. Lowers as the jaxpr in its place.
extern constinit const Primitive custom_jvp_call_p;

}  // namespace tenon::detail
