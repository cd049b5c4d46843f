// What a pass is, and what all passes share: the options, the count of rewrites, the remarks.
#pragma once

#include <cstdint>

#include "passes/pipeline.h"

namespace mlir {
class ModuleOp;
namespace func {
class FuncOp;
}
}  // namespace mlir

namespace tenon::passes {

/// State of one run of the pipeline.
struct PassContext {
  const PipelineOptions& options;
  int64_t applications = 0;

  /// Asked before each rewrite: false once the bisection limit is reached.
  bool may_apply() const { return options.bisect_limit < 0 || applications < options.bisect_limit; }
  void applied() { ++applications; }
};

struct Pass {
  const char* name;
  const char* reason;  ///< why it is there, and why at this place
  void (*run)(mlir::ModuleOp module, PassContext& context);
};

/// The function that the program's arguments enter.
mlir::func::FuncOp main_function(mlir::ModuleOp module);

void bind_checks(mlir::ModuleOp module, PassContext& context);
void expand_chlo(mlir::ModuleOp module, PassContext& context);
void inline_calls(mlir::ModuleOp module, PassContext& context);
void unroll_loops(mlir::ModuleOp module, PassContext& context);
void simplify_loops(mlir::ModuleOp module, PassContext& context);
void drop_zero_sums(mlir::ModuleOp module, PassContext& context);
void simplify(mlir::ModuleOp module, PassContext& context);
void entry_layouts(mlir::ModuleOp module, PassContext& context);
void fold_constants(mlir::ModuleOp module, PassContext& context);
void merge_duplicates(mlir::ModuleOp module, PassContext& context);
void remove_dead_code(mlir::ModuleOp module, PassContext& context);
void canonicalize_dots(mlir::ModuleOp module, PassContext& context);
void copy_results(mlir::ModuleOp module, PassContext& context);
void fuse(mlir::ModuleOp module, PassContext& context);
void wrap_lone_operations(mlir::ModuleOp module, PassContext& context);
void stream_rows(mlir::ModuleOp module, PassContext& context);
void remove_barriers(mlir::ModuleOp module, PassContext& context);
void schedule(mlir::ModuleOp module, PassContext& context);
void rematerialize(mlir::ModuleOp module, PassContext& context);
void assign_buffers(mlir::ModuleOp module, PassContext& context);

}  // namespace tenon::passes
