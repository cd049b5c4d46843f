#include "runtime/instruction_set.h"

#include <algorithm>

#include "base/fail.h"
#include "base/options.h"

namespace tenon::runtime {

InstructionSet best_instruction_set() noexcept {
  static const InstructionSet best = [] {
#if defined(__x86_64__)
    // These ask cpuid, and the operating system whether it saves the registers.
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
      return InstructionSet::baseline;
    }
    const bool has_avx512 =
        __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512cd");
    return has_avx512 ? InstructionSet::avx512 : InstructionSet::avx2;
#else
    return InstructionSet::baseline;
#endif
  }();
  return best;
}

InstructionSet selected_instruction_set() {
  const std::string& target = options().cpu_target;
  if (target == "native") return best_instruction_set();
  for (InstructionSet set :
       {InstructionSet::baseline, InstructionSet::avx2, InstructionSet::avx512}) {
    if (target == name_of(set)) return std::min(set, best_instruction_set());
  }
  fail<ValueError>("cpu_target", "there is no such instruction set; got '", target,
                   "'; it is one of native, avx512, avx2, baseline");
}

std::string_view name_of(InstructionSet set) noexcept {
  constexpr std::string_view kNames[] = {"baseline", "avx2", "avx512"};
  return kNames[static_cast<int>(set)];
}

}  // namespace tenon::runtime
