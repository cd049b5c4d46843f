// Makes `tenon.fusion` operations and gives each the name its kernel has everywhere: HLO text, traces, symbols.
#pragma once

#include <string>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace tenon::passes {

class KernelMaker {
 public:
  /// Names of fusions already in `module` are taken.
  explicit KernelMaker(mlir::ModuleOp module);

  /// Clones `members` (in order, the root last or before operations that are not its users) into a fusion in
  /// front of `root`, whose results it replaces. "multiply_add_fusion" when `first_fused` is a multiply and the
  /// root an add; "reduce_fusion" for a reduce and constants; "wrapped_add" for a root alone.
  void emit(mlir::OpBuilder& builder, mlir::Operation* root, llvm::ArrayRef<mlir::Operation*> members,
            llvm::ArrayRef<mlir::Value> operands, mlir::Operation* first_fused);

 private:
  std::string unique(std::string name);
  llvm::StringMap<int> taken_;
};

}  // namespace tenon::passes
