// Vector instruction sets that kernels exist for, best last.
#pragma once

#include <cstdint>
#include <string_view>

namespace tenon::runtime {

enum class InstructionSet : uint8_t {
  baseline,  // SSE2 on x86-64, NEON on AArch64
  avx2,      // with FMA and F16C
  avx512,    // F, VL, BW, DQ, CD: x86-64-v4
};

/// The best one of this machine.
InstructionSet best_instruction_set() noexcept;

/// What the option cpu_target asks for, where the machine has it; else the best below that.
/// Throws ValueError for an unknown name.
InstructionSet selected_instruction_set();

/// "avx2".
std::string_view name_of(InstructionSet set) noexcept;

}  // namespace tenon::runtime
