// log(e^x + e^y), a function with a derivative of its own.
#pragma once

#include "tenon/detail/jitted.h"

namespace tenon::lax {

/// Of two floating operands of one dtype.
extern const tenon::detail::FunctionWithJvp logaddexp_function;

}  // namespace tenon::lax
