#include "backends/cpu/target.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/TargetParser/Host.h"

namespace tenon::cpu {

using runtime::InstructionSet;

Target::Target(InstructionSet set) : instruction_set(set), tune(llvm::sys::getHostCPUName().str()) {
#if defined(__x86_64__)
  cpu = set == InstructionSet::avx512 ? "x86-64-v4"
        : set == InstructionSet::avx2 ? "x86-64-v3"
                                      : "x86-64";
#else
  cpu = tune;
#endif
  vector_bits = set == InstructionSet::avx512 ? 512 : set == InstructionSet::avx2 ? 256 : 128;
}

}  // namespace tenon::cpu
