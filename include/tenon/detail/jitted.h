// How library functions that JAX jits (where, clip, ...) are called, so that they print as jit.
#pragma once

#include "tenon/primitive.h"

#pragma GCC visibility push(default)

namespace tenon {
namespace detail {

/// `body` as a nested program called `name`: under a trace it becomes one `jit` equation, and
/// evaluated it runs operation by operation (the bits are the same either way).
Arrays call_jitted(const char* name, FunctionRef<Arrays(const Arrays&)> body, const Arrays& operands);

}  // namespace detail
}  // namespace tenon

#pragma GCC visibility pop
