// What decisions of fusion, schedule and buffers weigh: bytes of values, work of operations.
#pragma once

#include <cstdint>

#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"

namespace tenon::passes {

/// Bytes of the buffer of `value`; 0 for tokens.
int64_t bytes_of(mlir::Value value);
int64_t elements_of(mlir::Value value);

/// Work that nobody wants to do twice for each element: transcendentals, divisions, reductions.
bool is_expensive(mlir::Operation* op);
/// The result is made of numbers that cost nothing to make again: elements of operands, iota, a scalar constant.
bool computes_nothing(mlir::Operation* op);
/// Row-major operand and result are the same bytes: a reshape.
bool keeps_bytes(mlir::Operation* op);

}  // namespace tenon::passes
