// The operations of main in; regions of them become `tenon.fusion`, one kernel each.
//
// Operations are visited last first. One whose value is needed in memory becomes the root of a kernel, which
// then takes in producers, always the latest one that is left, as long as no rule of fusion_rules.cpp objects.
// A producer that others need as well is duplicated when it costs less to compute it again than to store it.
// Kernels so hold one root each; what they read keeps XLA's order of operands.
#include <algorithm>
#include <queue>
#include <string>
#include <vector>

#include "dialect/tenon_ops.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "passes/blocks.h"
#include "passes/fusion_rules.h"
#include "passes/kernel_names.h"
#include "passes/pass.h"

namespace tenon::passes {
namespace {

using mlir::Operation;
using mlir::Value;

std::string source_of(Operation* op) {
  auto place = op->getLoc()->findInstanceOf<mlir::FileLineColLoc>();
  return place ? (place.getFilename().strref() + ":" + llvm::Twine(place.getLine())).str() : "";
}

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
      if (!needed_[i]) continue;
      if (!can_be_root(operations_[i])) {
        need_operands(operations_[i]);  // a reshape or a dot
        continue;
      }
      FusionGroup group = grow(operations_[i]);
      for (Value operand : group.operands) need(operand);
      groups_.push_back(std::move(group));
    }
    for (FusionGroup& group : groups_) emit(group);
    for (int i = static_cast<int>(operations_.size()) - 1; i >= 0; --i) {
      if (mlir::isOpTriviallyDead(operations_[i])) operations_[i]->erase();
    }
  }

 private:
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
      if (const char* rule = refusal(group, producer, owned, needed_[i])) {
        remark(group, producer, rule);
        continue;
      }
      if (!context_.may_apply()) continue;
      context_.applied();
      group.add(producer, owned);
      for (Value result : producer->getResults()) group.remove_operand(result);
      add_operands_of(producer);
    }
    group.finish();
    return group;
  }

  void remark(const FusionGroup& group, Operation* producer, const char* rule) {
    if (!context_.options.on_remark || *rule == '\0') return;
    FusionRemark remark;
    Operation* consumer = group.first_user_of(producer);
    remark.producer = hlo_opcode(producer).str();
    remark.consumer = hlo_opcode(consumer).str();
    remark.rule = rule;
    for (Value result : producer->getResults()) remark.bytes += 2 * bytes_of(result);
    remark.producer_source = source_of(producer);
    remark.consumer_source = source_of(consumer);
    context_.options.on_remark(remark);
  }

  void emit(const FusionGroup& group) {
    mlir::OpBuilder builder(group.root);
    std::vector<Operation*> members(group.members());
    std::sort(members.begin(), members.end(), [&](Operation* a, Operation* b) { return position_[a] < position_[b]; });
    names_.emit(builder, group.root, members, group.operands, group.first_fused);
  }

  mlir::Block& body_;
  PassContext& context_;
  std::vector<Operation*> operations_;
  llvm::DenseMap<Operation*, int> position_;
  static constexpr int kOpen = 0;  // a rank that is not known yet, of an operation that was met
  std::vector<int> rank_;          // by position
  std::vector<int> by_rank_;       // positions
  std::vector<bool> needed_;  // in memory
  std::vector<FusionGroup> groups_;
  KernelMaker& names_;
};

}  // namespace

void fuse(mlir::ModuleOp module, PassContext& context) {
  KernelMaker names(module);
  for_each_block(module, [&](mlir::Block& block) { Fuser(block, context, names).run(); }, /*enter_element_loops=*/false);
}

}  // namespace tenon::passes
