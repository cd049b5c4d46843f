// One fusion as machine functions.
//
//     void kernel(void* const* buffers, int64_t begin, int64_t end)
//
// buffers: operands, then results. begin .. end: units of work; any split into ranges, in any order
// and on any thread, gives the same bits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backends/cpu/graph.h"
#include "backends/cpu/target.h"

namespace llvm {
class Module;
}

namespace tenon::cpu {

/// A function of the module; those of a kernel run one after the other.
struct KernelFunction {
  std::string symbol;
  int64_t units = 1;
  double unit_seconds = 0;  // estimate, on one thread
  int64_t stack_bytes = 0;  // of arrays on the stack of each thread
};
struct Kernel {
  std::string name;
  std::vector<KernelFunction> functions;
  int64_t scratch_bytes = 0;  // one more buffer, after the results
};

/// Appends the functions of `graph` to `module`. Throws UnimplementedError for an operation or
/// dtype that has no code.
Kernel emit_kernel(llvm::Module& module, const Graph& graph, const Target& target);

}  // namespace tenon::cpu
