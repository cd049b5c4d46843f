// Optimized module in, executable out.
#pragma once

#include <string>
#include <string_view>

#include "backends/cpu/program.h"
#include "backends/cpu/target.h"
#include "tenon/backend.h"

namespace tenon::cpu {

/// Compiles for the target that the option cpu_target selects.
/// Throws CompileError; UnimplementedError for an operation or dtype without code.
/// `saved`, when it is not null, receives what load() needs.
ExecutableRef compile(const Module& module, Device device, std::string* saved = nullptr);
/// The executable of a module that was compiled before. Throws CompileError when `saved` is not of it.
ExecutableRef load(const Module& module, Device device, std::string_view saved);

/// The kernels of a program as LLVM IR, as assembly, and as the bytes of an ELF object.
std::string llvm_text(const Program& program, const Target& target);
std::string assembly_text(const Program& program, const Target& target);
std::string object_code(const Program& program, const Target& target);

}  // namespace tenon::cpu
