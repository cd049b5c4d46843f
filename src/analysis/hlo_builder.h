// Makes the computations of an HloModule from blocks of MLIR operations.
#pragma once

#include <string>
#include <vector>

#include "analysis/hlo.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace tenon::analysis {

/// Shape and layout of an MLIR type.
HloShape hlo_shape(mlir::Type type);
/// The text in the parentheses of `constant(...)`; more than ten elements are "{...}", as in XLA.
std::string hlo_literal(mlir::Attribute value);

/// Builds computations, callees first, into `module`.
class HloBuilder {
 public:
  /// `launches` of an optimized program, by number.
  HloBuilder(HloModule& module, bool optimized, llvm::ArrayRef<mlir::Operation*> launches) : module_(module), optimized_(optimized) {
    for (mlir::Operation* op : launches) launches_.try_emplace(op, static_cast<int>(launches_.size()));
  }

  /// The computation of `block`; gives its number. Each function is built once.
  int build_entry(mlir::Block& block, const std::string& name);

 private:
  /// A computation under construction.
  struct Scope {
    HloComputation computation;
    llvm::DenseMap<mlir::Value, int> values;
  };

  int build(mlir::Block& block, const std::string& name, const std::string& parameter_prefix);
  void add_operation(Scope& scope, mlir::Operation* op);
  void add_control_flow(Scope& scope, mlir::Operation* op);
  int build_region(mlir::Block& block, mlir::ValueRange arguments, mlir::ValueRange captured, bool hands_on);
  int add_element(Scope& scope, mlir::Operation* op, int tuple, int index);
  void add_results(Scope& scope, mlir::Operation* op, HloInstruction instruction);
  int add(Scope& scope, HloInstruction instruction);
  int add_broadcast(Scope& scope, mlir::Operation* op, int operand, const HloShape& shape);
  int add_bitcast(Scope& scope, int value, HloShape shape);
  int add_tuple(Scope& scope, std::vector<int> operands);
  void make_root(Scope& scope, int result);
  HloInstruction start(mlir::Operation* op, const std::string& opcode) const;

  std::string unique(const std::string& name, bool numbered);

  HloModule& module_;
  bool optimized_;
  llvm::StringMap<int> names_;
  llvm::DenseMap<mlir::Operation*, int> functions_, launches_;
  int regions_ = 0;
};

/// What HLO prints behind an instruction's operands; empty for most. `op` is not a fusion.
std::vector<std::string> hlo_attributes(mlir::Operation* op);

}  // namespace tenon::analysis
