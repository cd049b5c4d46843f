// StableHLO module in, Program out: the one place of the evaluator that knows MLIR.
//
// Every operation becomes one kernel, in order; nothing is rewritten. Operations that only rename
// bytes (reshape, barrier) are no step. Functions and regions become programs of their own.
#pragma once

#include "evaluator/program.h"

namespace mlir {
class Operation;
}

namespace tenon {
class Module;
}

namespace tenon::evaluator {

/// Prepares function `main` of `module`, as lowered or after any pass.
/// Throws UnimplementedError for an operation or type that the evaluator lacks, OutOfMemoryError
/// when an array cannot be addressed.
ProgramRef prepare(const Module& module);

/// The same, of the module operation of MLIR.
ProgramRef prepare_module(mlir::Operation* module);

/// A program of this one operation: its arguments are the operation's operands (then what its regions
/// capture), its results the operation's.
ProgramRef prepare_operation(mlir::Operation* op);

}  // namespace tenon::evaluator
