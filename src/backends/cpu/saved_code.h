// Kernels and their machine code as bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backends/cpu/kernel.h"
#include "backends/cpu/machine_code.h"

namespace tenon::cpu {

struct SavedCode {
  std::vector<Kernel> kernels;
  ObjectCode object;
};

std::string save_code(const std::vector<Kernel>& kernels, const ObjectCode& object);
/// Throws CompileError for bytes that are none.
SavedCode load_code(std::string_view bytes);

}  // namespace tenon::cpu
