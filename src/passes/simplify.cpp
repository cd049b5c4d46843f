#include "passes/simplify.h"

#include "llvm/ADT/SmallVector.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace tenon::passes {

void simplify(mlir::ModuleOp module, PassContext& context) {
  llvm::SmallVector<Rule> rules(arithmetic_rules());
  llvm::append_range(rules, integer_rules());
  llvm::append_range(rules, shape_rules());
  rewrite(module, rules, context);
}

void drop_zero_sums(mlir::ModuleOp module, PassContext& context) { rewrite(module, zero_sum_rules(), context); }

}  // namespace tenon::passes
