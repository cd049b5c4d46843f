// Optimized module in, executable out.
#pragma once

#include <string>

#include "backends/cpu/program.h"
#include "backends/cpu/target.h"
#include "tenon/backend.h"

namespace tenon::cpu {

/// Compiles for the target that the option cpu_target selects.
/// Throws CompileError; UnimplementedError for an operation or dtype without code.
ExecutableRef compile(const Module& module, Device device);

/// The kernels of a program as LLVM IR, and as assembly.
std::string llvm_text(const Program& program, const Target& target);
std::string assembly_text(const Program& program, const Target& target);

}  // namespace tenon::cpu
