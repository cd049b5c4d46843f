#pragma once

namespace llvm {
class Module;
}

namespace tenon::cpu {

struct Target;

/// Lets vector instructions read their constants from memory where the target's cannot broadcast a
/// scalar on the way.
void read_constants_from_memory(llvm::Module& module, const Target& target);

}  // namespace tenon::cpu
