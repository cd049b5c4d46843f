// What the option kernel_tools asks for.
#pragma once

namespace tenon::cpu {

/// Tools of other people that kernels are shown to.
struct KernelTools {
  bool gdb = false;      // DWARF, and the JIT interface of debuggers
  bool perf_map = false; // /tmp/perf-<pid>.map
  bool jitdump = false;  // for `perf inject --jit`, with DWARF
  bool want_lines() const { return gdb || jitdump; }
};

/// By the option in force. Throws ValueError for another tool's name.
KernelTools kernel_tools();

}  // namespace tenon::cpu
