// Shows linked kernels to debuggers and profilers: plugins of the linker.
#pragma once

#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"

namespace tenon::cpu {

/// Whatever the layer links from now on is shown to the tools that the option kernel_tools names. Called before each program:
/// plugins are there from the first program on that wants one.
void show_linked_code(llvm::orc::ExecutionSession& session, llvm::orc::ObjectLinkingLayer& layer);

}  // namespace tenon::cpu
