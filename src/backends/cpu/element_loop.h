// A loop inside of a kernel: for one element, or for the lanes of a vector, which all make as many rounds.
#pragma once

#include "backends/cpu/emitter.h"

namespace tenon::cpu {

/// Emits the loop `node` at the emitter's place, carried values beginning with `begin`; gives the last ones.
llvm::SmallVector<llvm::Value*, 8> emit_element_loop(Emitter& e, const Node& node, llvm::ArrayRef<llvm::Value*> begin);

}  // namespace tenon::cpu
