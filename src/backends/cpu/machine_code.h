// LLVM module in, machine code in memory out: code generation without LLVM's optimization pipeline,
// then JITLink. Code lives in a library of its own and is freed with it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backends/cpu/target.h"

namespace llvm {
class Module;
}

namespace tenon::cpu {

/// An object file (ELF).
using ObjectCode = std::vector<char>;

/// Gives `module` the triple and data layout of `target`. Call it before instructions are built.
void prepare_module(llvm::Module& module, const Target& target);
/// Generates code; `module` is used up. Throws CompileError.
ObjectCode generate_object(llvm::Module& module, const Target& target);
/// The same as assembly text.
std::string generate_assembly(llvm::Module& module, const Target& target);

using KernelPointer = void (*)(void* const* buffers, int64_t begin, int64_t end);

class MachineCode {
 public:
  /// Links `object` into this process. Throws CompileError.
  MachineCode(const std::string& name, ObjectCode object);
  ~MachineCode();
  MachineCode(const MachineCode&) = delete;
  MachineCode& operator=(const MachineCode&) = delete;

  KernelPointer find(std::string_view symbol) const;
  int64_t size_bytes() const { return size_bytes_; }

 private:
  void* library_ = nullptr;  // llvm::orc::JITDylib
  int64_t size_bytes_ = 0;
};

}  // namespace tenon::cpu
