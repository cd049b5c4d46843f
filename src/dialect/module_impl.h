// The MLIR side of Module: for lowering, passes, analysis and backends.
#pragma once

#include <mutex>

#include "dialect/module.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

namespace tenon {

struct Module::Impl {
  std::shared_ptr<mlir::MLIRContext> context;  // before op: it dies last
  mlir::OwningOpRef<mlir::ModuleOp> op;
};

/// A context with our dialects and func, without threads, silent. Whoever makes or prints types and operations in one that other
/// threads may know holds its mutex.
std::shared_ptr<mlir::MLIRContext> make_context();
std::recursive_mutex& context_mutex(const Module& module);
Module make_module(std::shared_ptr<mlir::MLIRContext> context, mlir::OwningOpRef<mlir::ModuleOp> op);

/// As Module::parse, in a context that is there.
Module parse_module(std::string_view text, std::string_view filename, std::shared_ptr<mlir::MLIRContext> context);

inline mlir::ModuleOp module_op(const Module& module) { return *module.impl().op; }
inline mlir::MLIRContext& module_context(const Module& module) { return *module.impl().context; }

/// Collects diagnostics of a context while it lives; nothing is printed.
class Diagnostics {
 public:
  explicit Diagnostics(mlir::MLIRContext& context);
  ~Diagnostics();
  Diagnostics(const Diagnostics&) = delete;
  /// "file:3:7: what; note", of the first error; `otherwise` when there is none.
  std::string first(std::string_view otherwise) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tenon
