// Makes `tenon.fusion` operations and gives each the name its kernel has everywhere: HLO text, traces, symbols.
#pragma once

#include <string>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace tenon::passes {

/// An operation's name in HLO as a part of a kernel's: "broadcast_in_dim".
std::string identifier(mlir::Operation* op);

class KernelMaker {
 public:
  /// Names of fusions already in `module` are taken.
  explicit KernelMaker(mlir::ModuleOp module);

  /// Clones `members` (in order, a root before operations only that are not its users) into a fusion where
  /// `builder` stands, which will replace the results of `roots`. "multiply_add_fusion" when `first_fused` is a
  /// multiply and the first root an add; "reduce_fusion" for a reduce and constants; "wrapped_add" for a root alone.
  mlir::Operation* emit(mlir::OpBuilder& builder, llvm::ArrayRef<mlir::Operation*> roots, llvm::ArrayRef<mlir::Operation*> members,
                        llvm::ArrayRef<mlir::Value> operands, mlir::Operation* first_fused);
  /// The same by another name, which becomes unique, for whatever `members` are. Gives the fusion.
  mlir::Operation* emit(mlir::OpBuilder& builder, std::string name, llvm::ArrayRef<mlir::Operation*> roots,
                        llvm::ArrayRef<mlir::Operation*> members, llvm::ArrayRef<mlir::Value> operands);
  /// The results of the kernels made so far instead of those of their roots.
  void replace_results();

  /// `name`, or "name.1" and so on when it is taken; taken from now on.
  std::string unique(std::string name);

 private:
  llvm::StringMap<int> taken_;
  llvm::SmallVector<std::pair<mlir::Value, mlir::Value>> replacements_;
};

}  // namespace tenon::passes
