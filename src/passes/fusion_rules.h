// Which operation may join which kernel: the group under construction and the rules it is asked by.
#pragma once

#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "mlir/IR/Operation.h"
#include "passes/cost.h"

namespace tenon::passes {

/// A kernel under construction: a root and the producers it has taken in so far.
class FusionGroup {
 public:
  /// How the group uses a value that one of its members reads or is.
  struct Use {
    double evaluations = 0;  ///< how often an element-computation of it runs in the kernel
    bool identity = true;    ///< element i of it is needed for element i of the root, and only there
    bool aligned = true;     ///< a row of it (all but the last axes) is needed for the same row of the root only
    int depth = 0;           ///< how many reductions of the group it passes through
    /// The places of it at which one element of the root looks: those of a data movement that reads it (one for each
    /// of its own), and those of an elementwise user, which are the user's.
    llvm::SmallVector<std::pair<mlir::Operation*, int>, 1> places = {};
    int readings() const;    ///< how many places
  };

  /// `may_multiply`: the backend runs a dot inside of a kernel.
  FusionGroup(mlir::Operation* root, bool may_multiply) : root(root), may_multiply(may_multiply) {}

  void add(mlir::Operation* op, bool owned);
  /// False when it is an operand already.
  bool add_operand(mlir::Value value);
  /// Values that the kernel reads, as far as it has grown.
  int operand_count() const { return static_cast<int>(slots_.size()); }
  void remove_operand(mlir::Value value);
  /// Drops the gaps that `remove_operand` has left.
  void finish();

  /// Every user is a member that exists only in this group.
  bool owns_all_users(mlir::Operation* op) const;
  /// Its members that read a result of `op`.
  llvm::SmallVector<mlir::Operation*> readers_of(mlir::Operation* op) const;
  Use use_of(mlir::Operation* op) const;
  bool contains(mlir::Operation* op) const { return members_.contains(op); }
  std::vector<mlir::Operation*> members() const { return order_; }

  mlir::Operation* root;
  bool may_multiply;
  mlir::Operation* first_fused = nullptr;  ///< the producer that joined first, constants apart; names the kernel
  mlir::Operation* reduction = nullptr;    ///< one of its reductions
  mlir::Operation* dot = nullptr;          ///< its dot: the GEMM runs first, into scratch memory
  int weight = 0;                          ///< how much code its members are
  int duplicates = 0;                      ///< members that compute and exist in other kernels, too
  std::vector<mlir::Value> operands;       ///< what it reads from memory
  std::vector<mlir::Operation*> shared;    ///< members whose results others need, too: it writes them as well
  llvm::DenseMap<mlir::Operation*, const char*> refused;  ///< producers that could not join, and the rule

 private:
  struct Member {
    Use use;
    bool owned;
  };
  Use use_by(mlir::Operation* user, const Member& member, mlir::Value value) const;

  llvm::DenseMap<mlir::Operation*, Member> members_;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Operation*, 2>> readers_;  // a value may have many more elsewhere
  llvm::DenseMap<mlir::Value, int> slots_;
  std::vector<mlir::Operation*> order_;
};

/// Both reduce the same axes of inputs of one shape.
bool reduce_alike(mlir::Operation* a, mlir::Operation* b);

/// A reduction along the last axes, of rows that stay in the cache; or one along others.
bool reads_rows_from_cache(mlir::Operation* reduction);

/// One result made of so much that several threads make it, which only a kernel for it alone does.
bool reduces_by_threads(mlir::Operation* reduction);

llvm::ArrayRef<int64_t> shape_of(mlir::Value value);

/// The limits of a kernel's code and of its operands.
bool fits_one_kernel(int weight, int operands);

/// A kernel can begin here: its result is written by a loop.
bool can_be_root(mlir::Operation* op);

/// The kernel could write the producer's results beside its own: those of a reduction of rows, one for each of its rows,
/// or those of an elementwise operation that has the root's shape.
bool may_be_shared(const FusionGroup& group, mlir::Operation* producer);

/// Null when the producer is better computed again, in this kernel, than read from memory.
const char* refuse_duplicate(const FusionGroup& group, mlir::Operation* producer, bool needed);

/// Null when `producer` may join `group`; else the rule that objects, "" when there is nothing to remark.
/// `owned`: nobody outside of the group needs it, or the kernel writes it for them. `needed`: it will be in
/// memory in any case.
const char* refusal(const FusionGroup& group, mlir::Operation* producer, bool owned, bool needed);

}  // namespace tenon::passes
