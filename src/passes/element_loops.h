// Loops that one kernel runs for each element: the body works element by element, the condition on scalars.
#pragma once

#include "mlir/IR/Operation.h"

namespace tenon::passes {

/// A while whose carried values are scalars or arrays of one shape, whose body is made of elementwise operations,
/// scalar constants and their broadcasts, small, and sees nothing from outside.
bool is_element_loop(mlir::Operation* op);

/// How many operations are inside.
int64_t body_size(mlir::Operation* loop);

}  // namespace tenon::passes
