// The steps of an optimized program, by number: what analyses and traces call the same thing by.
#pragma once

#include <vector>

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Operation.h"

namespace tenon {

/// Operations of `main` that a backend starts one after the other: kernels, products, copies, routines of the runtime,
/// loops and branches, with what stands in these behind them. The place in the list is the operation's number in traces.
/// Neither constants nor reshapes, which are memory already, nor what is inside of kernels.
std::vector<mlir::Operation*> launches(mlir::ModuleOp module);

}  // namespace tenon
