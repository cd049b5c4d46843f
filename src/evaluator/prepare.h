// StableHLO module in, Program out: the one place of the evaluator that knows MLIR.
//
// Every operation becomes one kernel, in order; nothing is rewritten. Operations that only rename
// bytes (reshape, barrier) are no step. Functions and regions become programs of their own.
#pragma once

#include <string_view>

#include "evaluator/program.h"

namespace mlir {
class Operation;
}

namespace tenon {
class Module;
}

namespace tenon::evaluator {

/// Prepares a function of `module`, as lowered or after any pass.
/// Throws UnimplementedError for an operation or type that the evaluator lacks, ValueError when
/// there is no such function, OutOfMemoryError when an array cannot be addressed.
ProgramRef prepare(const Module& module, std::string_view function = "main");

/// A program of this one operation: its arguments are the operation's operands (then what its regions
/// capture), its results the operation's.
ProgramRef prepare_operation(mlir::Operation* op);

}  // namespace tenon::evaluator
