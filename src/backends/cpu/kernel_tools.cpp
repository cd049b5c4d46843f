#include "backends/cpu/kernel_tools.h"

#include <string_view>

#include "base/fail.h"
#include "base/options.h"

namespace tenon::cpu {

KernelTools kernel_tools() {
  KernelTools tools;
  std::string_view left = options().kernel_tools;
  while (!left.empty()) {
    const std::string_view name = left.substr(0, left.find(','));
    left.remove_prefix(name.size() < left.size() ? name.size() + 1 : name.size());
    if (name == "gdb") tools.gdb = true;
    else if (name == "perf") tools.perf_map = true;
    else if (name == "jitdump") tools.jitdump = true;
    else fail<ValueError>("kernel_tools", "there is no tool '", name, "'; there are: gdb, perf, jitdump");
  }
  return tools;
}

}  // namespace tenon::cpu
