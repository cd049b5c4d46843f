// What a program needs of memory, before buffers are assigned.
#pragma once

#include <cstdint>
#include <vector>

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tenon::passes {

/// Bytes of a run. Results that live in donated arguments count as arguments.
struct MemoryNeed {
  int64_t arguments = 0, results = 0, temporaries = 0;
  int64_t sum() const { return arguments + results + temporaries; }
};

/// By the buffers that `main` would get now.
MemoryNeed memory_need(mlir::func::FuncOp main, const std::vector<bool>& donated);

}  // namespace tenon::passes
