// DWARF of kernels: each instruction has the line of the user's program that its value comes from. Functions without a
// subprogram have none.
#pragma once

#include "backends/cpu/graph.h"
#include "llvm/IR/IRBuilder.h"

namespace tenon::cpu {

/// Gives `function`, a kernel of `graph`, a subprogram. Nothing where the graph has no lines.
void describe_kernel(llvm::Function& function, const Graph& graph);

/// While it lives, instructions come from the line of `node`.
class LineScope {
 public:
  LineScope(llvm::IRBuilderBase& b, const llvm::Function& function, const Node& node);
  ~LineScope() {
    if (is_set_) b_.SetCurrentDebugLocation(outer_);
  }
  LineScope(const LineScope&) = delete;
  LineScope& operator=(const LineScope&) = delete;

 private:
  llvm::IRBuilderBase& b_;
  bool is_set_;
  llvm::DebugLoc outer_;
};

}  // namespace tenon::cpu
