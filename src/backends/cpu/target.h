// The machine that code is made for.
#pragma once

#include <string>

#include "runtime/instruction_set.h"

namespace tenon::cpu {

struct Target {
  runtime::InstructionSet instruction_set;
  std::string cpu;   // LLVM's name
  std::string tune;  // whose timings
  int vector_bits = 128;

  explicit Target(runtime::InstructionSet set);
  /// What the option cpu_target says.
  static Target selected() { return Target(runtime::selected_instruction_set()); }
};

}  // namespace tenon::cpu
