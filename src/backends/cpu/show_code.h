// Shows linked kernels to debuggers and profilers: plugins of the linker.
#pragma once

#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"

namespace tenon::cpu {

/// Objects with DWARF are registered by the JIT interface of gdb; others are written to perf's files where the option
/// kernel_tools says so.
void show_linked_code(llvm::orc::ExecutionSession& session, llvm::orc::ObjectLinkingLayer& layer);

}  // namespace tenon::cpu
