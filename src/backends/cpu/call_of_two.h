// Calls of runtime functions of two operands (math/zeta.h).
#pragma once

#include "llvm/IR/IRBuilder.h"

namespace tenon::cpu {

/// The function `name` for all lanes of x and y.
llvm::Value* emit_call_of_two(llvm::IRBuilderBase& b, const char* name, llvm::Value* x, llvm::Value* y);

}  // namespace tenon::cpu
