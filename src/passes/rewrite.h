// Applies a list of rewrite rules until none fits: one worklist in program order, no recursion. Each
// application is counted, so that the N-th can be the last (PipelineOptions::bisect_limit).
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "mlir/IR/PatternMatch.h"
#include "passes/pass.h"

namespace tenon::passes {

struct Rule {
  const char* picture;  ///< "multiply(x, 1)  ->  x"
  /// True when it has rewritten `op` (through `rewriter` only); false when it does not fit.
  bool (*apply)(mlir::Operation* op, mlir::RewriterBase& rewriter);
};

/// Rewrites the operations of the program's blocks; those that lose their last use are removed.
void rewrite(mlir::ModuleOp module, llvm::ArrayRef<Rule> rules, PassContext& context);

}  // namespace tenon::passes
