// The operations of main in; regions of them become `tenon.fusion`, one kernel each.
//
// Operations are visited last first. One whose value is needed in memory becomes the root of a kernel, which
// then takes in producers, always the latest one that is left, as long as no rule of fusion_rules.cpp objects.
// A producer that others need as well is duplicated when it costs less to compute it again than to store it.
// What others need as well is written by the kernel that takes it in, beside the root, where both have one loop.
// Else kernels hold one root each, until siblings.cpp brings those together that read the same array; what
// they read keeps XLA's order of operands.
#include <algorithm>
#include <queue>
#include <string>
#include <vector>

#include "dialect/tenon_ops.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "passes/blocks.h"
#include "passes/depends.h"
#include "passes/fusion_boundaries.h"
#include "passes/fusion_rules.h"
#include "passes/kernel_names.h"
#include "passes/pass.h"
#include "passes/siblings.h"

namespace tenon::passes {
namespace {

using mlir::Operation;
using mlir::Value;

class Fuser {
 public:
  Fuser(mlir::Block& body, PassContext& context, KernelMaker& names) : body_(body), context_(context), names_(names) {
    for (Operation& op : body.without_terminator()) {
      position_[&op] = static_cast<int>(operations_.size());
      operations_.push_back(&op);
    }
    rank_all(body);
    needed_.resize(operations_.size());
    need_operands(body.getTerminator());
    for (Operation* op : operations_) {
      if (can_be_root(op) || mlir::isa<stablehlo::ReshapeOp>(op)) continue;
      need_operands(op);  // a dot's operands are in memory even where the dot joins a kernel
      if (!mlir::isa<stablehlo::DotGeneralOp>(op)) needed_[position_[op]] = true;
    }
  }

  void run() {
    for (int i = static_cast<int>(operations_.size()) - 1; i >= 0; --i) {
      if (!needed_[i] || writer_.contains(operations_[i])) continue;
      if (!can_be_root(operations_[i])) {
        need_operands(operations_[i]);  // a reshape or a dot
        continue;
      }
      FusionGroup group = grow(operations_[i]);
      for (Value operand : group.operands) need(operand);
      for (Operation* shared : group.shared) {
        needed_[position_[shared]] = true;
        writer_[shared] = groups_.size();
      }
      groups_.push_back(std::move(group));
    }
    bool has_several_roots = false;
    for (const std::vector<int>& siblings : find_siblings_that_may_join()) {
      emit(siblings);
      has_several_roots |= siblings.size() > 1 || !groups_[siblings[0]].shared.empty();
    }
    names_.replace_results();  // not before: groups speak of the operations that they were made of
    for (int i = static_cast<int>(operations_.size()) - 1; i >= 0; --i) {
      if (mlir::isOpTriviallyDead(operations_[i])) operations_[i]->erase();
    }
    if (has_several_roots) restore_order();
  }

 private:
  std::vector<std::vector<int>> find_siblings_that_may_join() {
    if (!context_.may_apply()) {
      std::vector<std::vector<int>> alone;
      for (int k = 0; k < static_cast<int>(groups_.size()); ++k) alone.push_back({k});
      return alone;
    }
    std::vector<std::vector<int>> clusters = find_siblings(groups_);
    for (const std::vector<int>& siblings : clusters) {
      for (size_t k = 1; k < siblings.size(); ++k) context_.applied();
    }
    return clusters;
  }

  /// Operands before users again: a kernel of several roots stands where the last of them was.
  void restore_order() {
    llvm::DenseSet<Operation*> placed;
    std::vector<Operation*> order, open;
    for (Operation& op : body_) {
      open.push_back(&op);
      while (!open.empty()) {
        Operation* top = open.back();
        const size_t before = open.size();
        const auto read = values_read(top);
        for (Value operand : llvm::reverse(read)) {
          Operation* producer = producer_of(operand);
          if (producer && !placed.contains(producer)) open.push_back(producer);
        }
        if (open.size() != before) continue;
        open.pop_back();
        if (placed.insert(top).second) order.push_back(top);
      }
    }
    for (Operation* op : order) op->moveBefore(&body_, body_.end());
  }

  /// Ranks operations in the post-order of their uses, from the results: operands before users, and first
  /// operands before second ones. In this order XLA visits instructions, hence names its parameters.
  void rank_all(mlir::Block& body) {
    rank_.assign(operations_.size(), -1);
    std::vector<std::pair<Operation*, unsigned>> open;  // an operation and the next operand to look at
    auto visit = [&](Operation* start) {
      open.emplace_back(start, 0);
      while (!open.empty()) {
        auto& [op, next] = open.back();
        if (next < op->getNumOperands()) {
          Operation* producer = producer_of(op->getOperand(next++));
          if (producer && rank_[position_[producer]] < 0) {
            rank_[position_[producer]] = kOpen;
            open.emplace_back(producer, 0);
          }
          continue;
        }
        if (auto at = position_.find(op); at != position_.end()) {
          rank_[at->second] = static_cast<int>(by_rank_.size());
          by_rank_.push_back(at->second);
        }
        open.pop_back();
      }
    };
    visit(body.getTerminator());
    for (Operation* op : operations_) {  // what no result needs
      if (rank_[position_[op]] < 0) visit(op);
    }
  }

  void need(Value value) {
    if (Operation* op = producer_of(value)) needed_[position_[op]] = true;
  }
  void need_operands(Operation* op) {
    for (Value value : values_read(op)) need(value);
  }
  /// In this block: what comes from outside is in memory.
  Operation* producer_of(Value value) const {
    Operation* op = value.getDefiningOp();
    return op && op->getBlock() == &body_ ? op : nullptr;
  }

  FusionGroup grow(Operation* root) {
    for (Share share : {Share::all, Share::reductions}) {
      FusionGroup group = grow(root, share);
      if (group.shared.empty() || !needs_itself(group)) return group;
    }
    return grow(root, Share::none);
  }

  /// What a kernel may write for others beside its root.
  enum class Share { none, reductions, all };
  bool may_be_shared_here(const FusionGroup& group, Operation* producer, bool needed, Share share) const {
    if (share == Share::none || writer_.contains(producer) || !may_be_shared(group, producer)) return false;
    return mlir::isa<ReductionOpInterface>(producer) || (share == Share::all && refuse_duplicate(group, producer, needed));
  }

  FusionGroup grow(Operation* root, Share share) {
    FusionGroup group(root, context_.options.fuse_products);
    std::priority_queue<int> candidates;
    auto add_operands_of = [&](Operation* op) {
      for (Value operand : op->getOperands()) {
        if (!group.add_operand(operand)) continue;
        if (Operation* producer = producer_of(operand)) candidates.push(rank_[position_[producer]]);
      }
    };
    group.add(root, /*owned=*/true);
    add_operands_of(root);
    int last = -1;
    while (!candidates.empty()) {
      int rank = candidates.top();
      candidates.pop();
      if (rank == last) continue;  // another result of the one just seen
      last = rank;
      int i = by_rank_[rank];
      Operation* producer = operations_[i];
      bool owned = !needed_[i] && group.owns_all_users(producer);
      bool shared = !owned && may_be_shared_here(group, producer, needed_[i], share);
      if (const char* rule = refusal(group, producer, owned || shared, needed_[i])) {
        group.refused[producer] = rule;
        continue;
      }
      if (!context_.may_apply()) continue;
      context_.applied();
      if (shared) group.shared.push_back(producer);
      group.add(producer, owned || shared);
      for (Value result : producer->getResults()) group.remove_operand(result);
      add_operands_of(producer);
    }
    group.finish();
    return group;
  }

  /// Whether an operand of the group depends on what the group writes for others; true when it takes long to see.
  bool needs_itself(const FusionGroup& group) const {
    auto reads = [&](Operation* op) {
      auto writer = writer_.find(op);
      if (writer != writer_.end()) return groups_[writer->second].operands;
      const auto read = values_read(op);
      return std::vector<Value>(read.begin(), read.end());
    };
    return depend_on(group.operands, &body_, [&](Operation* op) { return llvm::is_contained(group.shared, op); }, reads);
  }

  void emit(const std::vector<int>& siblings) {
    llvm::SetVector<Operation*> all;
    llvm::SetVector<Value> operands;
    std::vector<Operation*> roots;
    for (int k : llvm::reverse(siblings)) {  // in the order of the program
      const FusionGroup& group = groups_[k];
      roots.push_back(group.root);
      roots.insert(roots.end(), group.shared.begin(), group.shared.end());
      all.insert_range(group.members());
      operands.insert_range(group.operands);
    }
    auto members = all.takeVector();
    llvm::sort(members, [&](Operation* a, Operation* b) { return position_[a] < position_[b]; });
    mlir::OpBuilder builder(groups_[siblings.front()].root);
    Operation* kernel = names_.emit(builder, roots, members, operands.getArrayRef(), groups_[siblings.back()].first_fused);
    if (context_.options.explain) explain(kernel, operands.getArrayRef(), siblings);
  }

  void explain(Operation* kernel, llvm::ArrayRef<Value> operands, const std::vector<int>& siblings) {
    for (auto [number, operand] : llvm::enumerate(operands)) {
      for (int k : siblings) {
        auto refused = groups_[k].refused.find(operand.getDefiningOp());
        if (operand.getDefiningOp() && refused != groups_[k].refused.end()) refuse_operand(kernel, static_cast<unsigned>(number), refused->second);
      }
    }
  }

  mlir::Block& body_;
  PassContext& context_;
  std::vector<Operation*> operations_;
  llvm::DenseMap<Operation*, int> position_;
  static constexpr int kOpen = 0;  // a rank that is not known yet, of an operation that was met
  std::vector<int> rank_;          // by position
  std::vector<int> by_rank_;       // positions
  std::vector<bool> needed_;  // in memory
  llvm::DenseMap<Operation*, size_t> writer_;  // of what kernels of other roots write: the group
  std::vector<FusionGroup> groups_;
  KernelMaker& names_;
};

}  // namespace

void fuse(mlir::ModuleOp module, PassContext& context) {
  KernelMaker names(module);
  for_each_block(module, [&](mlir::Block& block) { Fuser(block, context, names).run(); }, /*enter_element_loops=*/false);
}

}  // namespace tenon::passes
