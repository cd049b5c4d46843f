// Only under a limit of memory. Where most bytes are alive, a value that is read again much later is not kept: the
// kernels that make it are cloned before that read, when what they read is there then. One value after the other, the
// one that frees most for what it costs, until the buffers fit.
#include <algorithm>
#include <string>
#include <vector>

#include "base/fail.h"
#include "dialect/tenon_ops.h"
#include "dialect/types.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/assign_buffers.h"
#include "passes/blocks.h"
#include "passes/cost.h"
#include "passes/in_place.h"
#include "passes/kernel_names.h"
#include "passes/pass.h"
#include "passes/source.h"

namespace tenon::passes {
namespace {

using llvm::SmallVector;
using mlir::Operation;
using mlir::Value;

constexpr size_t kMaxChain = 64;     // kernels to make one value again
constexpr int kMaxRounds = 16;       // of estimates that buffers prove too low
constexpr size_t kMaxListed = 8;     // buffers named in the error

bool is_kernel(Operation& op) { return !mlir::isa<stablehlo::ReshapeOp, stablehlo::ConstantOp>(op) && !op.hasTrait<mlir::OpTrait::IsTerminator>(); }

/// What is alive when in one block, by its order. Results of the block have their own memory.
struct LiveRanges {
  struct Temporary {
    Value value;
    int64_t bytes;
    int made;
    SmallVector<int> readers;  // in order
    int last() const { return readers.empty() ? made : readers.back(); }
  };
  std::vector<Operation*> order;
  std::vector<int64_t> alive;  // at each operation, with what it makes and what blocks inside of it need
  std::vector<Temporary> temporaries;
  llvm::DenseMap<Value, size_t> number;  // of a temporary

  explicit LiveRanges(mlir::Block& block);
  const Temporary* find(Value root) const {
    const auto at = number.find(root);
    return at == number.end() ? nullptr : &temporaries[at->second];
  }
  int highest() const { return static_cast<int>(std::ranges::max_element(alive) - alive.begin()); }
  int64_t peak() const { return alive.empty() ? 0 : *std::ranges::max_element(alive); }
};

int64_t peak_inside(Operation* op) {
  int64_t peak = 0;
  for (mlir::Region& region : op->getRegions()) peak = std::max(peak, LiveRanges(region.front()).peak());
  return peak;
}

SmallVector<Value> roots_read(Operation* op) {
  SmallVector<Value> roots;
  const auto add = [&](Value value) {
    if (const Value root = buffer_root(value); !llvm::is_contained(roots, root)) roots.push_back(root);
  };
  if (is_control_flow(op)) {
    for (Value value : values_read(op)) add(value);
  } else {
    for (Value value : op->getOperands()) add(value);
  }
  return roots;
}

LiveRanges::LiveRanges(mlir::Block& block) {
  llvm::DenseMap<Value, bool> is_result;
  for (Value value : block.getTerminator()->getOperands()) is_result[buffer_root(value)] = true;
  for (Operation& op : block) {
    if (!is_kernel(op)) continue;
    const int position = static_cast<int>(order.size());
    order.push_back(&op);
    for (Value result : op.getResults()) {
      if (is_result.contains(result)) continue;
      number[result] = temporaries.size();
      temporaries.push_back({result, bytes_of(result), position, {}});
    }
    for (Value root : roots_read(&op)) {
      if (const auto at = number.find(root); at != number.end()) temporaries[at->second].readers.push_back(position);
    }
  }
  std::vector<int64_t> change(order.size() + 1);
  for (const Temporary& t : temporaries) {
    change[static_cast<size_t>(t.made)] += t.bytes;
    change[static_cast<size_t>(t.last()) + 1] -= t.bytes;
  }
  int64_t now = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    now += change[i];
    alive.push_back(now + (is_control_flow(order[i]) ? peak_inside(order[i]) : 0));
  }
}

/// Seconds, roughly: what it moves, and its products.
double cost_of(Operation* op) {
  constexpr double kSecondsPerByte = 1e-10, kSecondsPerElement = 2e-10, kSecondsPerProduct = 4e-11;
  double cost = 1e-7;
  for (Value value : op->getOperands()) cost += kSecondsPerByte * static_cast<double>(bytes_of(value));
  for (Value value : op->getResults()) cost += kSecondsPerByte * static_cast<double>(bytes_of(value));
  op->walk([&](Operation* inner) {
    if (auto dot = mlir::dyn_cast<stablehlo::DotGeneralOp>(inner)) {
      double length = 1;
      for (int64_t axis : dot.getDotDimensionNumbers().getLhsContractingDimensions())
        length *= static_cast<double>(mlir::cast<mlir::RankedTensorType>(dot.getLhs().getType()).getDimSize(axis));
      cost += kSecondsPerProduct * length * static_cast<double>(elements_of(dot.getResult()));
    } else if (is_expensive(inner)) {
      for (Value value : inner->getResults()) cost += kSecondsPerElement * static_cast<double>(elements_of(value));
    }
  });
  return cost;
}

class Block {
 public:
  Block(mlir::Block& block, KernelMaker& names, PassContext& context)
      : block_(block), names_(names), context_(context), most_clones_(8 * block.getOperations().size() + 100) {}

  /// True when no more than `target` bytes are alive at once in the end.
  bool lower_peak(int64_t target) {
    while (true) {
      const LiveRanges ranges(block_);
      if (ranges.peak() <= target) return true;
      const int at = ranges.highest();
      if (drop_a_value(ranges, at)) continue;
      Operation* op = ranges.order[static_cast<size_t>(at)];
      const int64_t inside = is_control_flow(op) ? peak_inside(op) : 0;
      if (inside == 0) return false;
      const int64_t rest = target - (ranges.alive[static_cast<size_t>(at)] - inside);
      for (mlir::Region& region : op->getRegions()) {
        if (!Block(region.front(), names_, context_).lower_peak(rest)) return false;
      }
    }
  }

 private:
  struct Plan {
    const LiveRanges::Temporary* value = nullptr;
    int reader = 0;                  // before which it is made again
    std::vector<Operation*> chain;   // what makes it, operands first
    double score = 0;
  };

  bool drop_a_value(const LiveRanges& ranges, int at) {
    if (!context_.may_apply() || clones_ > most_clones_) return false;
    Plan best;
    for (const LiveRanges::Temporary& t : ranges.temporaries) {
      if (t.bytes == 0 || t.made >= at || t.last() <= at || llvm::is_contained(t.readers, at)) continue;
      const auto reader = std::ranges::upper_bound(t.readers, at);
      const int before = reader == t.readers.begin() ? t.made : *std::prev(reader);
      Plan plan{&t, *reader, chain_of(ranges, t, *reader), 0};
      if (plan.chain.empty()) continue;
      double cost = 0;
      for (Operation* op : plan.chain) cost += cost_of(op);
      plan.score = static_cast<double>(t.bytes) * (*reader - before) / cost;
      if (plan.score > best.score) best = std::move(plan);
    }
    if (!best.value) return false;
    make_again(ranges, best);
    context_.applied();
    return true;
  }

  /// Empty when it cannot be made again there, or not without as high a peak.
  static std::vector<Operation*> chain_of(const LiveRanges& ranges, const LiveRanges::Temporary& t, int reader) {
    std::vector<Operation*> chain;
    SmallVector<Operation*> open{t.value.getDefiningOp()};
    int64_t bytes = 0;
    while (!open.empty()) {
      Operation* op = open.pop_back_val();
      if (llvm::is_contained(chain, op)) continue;
      if (is_control_flow(op) || !mlir::isMemoryEffectFree(op) || chain.size() == kMaxChain) return {};
      chain.push_back(op);
      for (Value result : op->getResults()) bytes += bytes_of(result);
      for (Value root : roots_read(op)) {
        const LiveRanges::Temporary* read = ranges.find(root);
        if (read && read->last() < reader) open.push_back(root.getDefiningOp());
      }
    }
    // As if all of the chain lived at once.
    if (ranges.alive[static_cast<size_t>(reader)] + bytes - t.bytes >= ranges.peak()) return {};
    std::ranges::sort(chain, [](Operation* a, Operation* b) { return a->isBeforeInBlock(b); });
    return chain;
  }

  void make_again(const LiveRanges& ranges, const Plan& plan) {
    Operation* reader = ranges.order[static_cast<size_t>(plan.reader)];
    mlir::OpBuilder builder(reader);
    mlir::IRMapping again;
    const auto map_operand = [&](Value operand) {  // a reshape of what is made again is made again
      const Value root = buffer_root(operand);
      if (again.contains(operand) || !again.contains(root)) return;
      again.map(operand, stablehlo::ReshapeOp::create(builder, operand.getLoc(), operand.getType(), again.lookup(root)));
    };
    for (Operation* op : plan.chain) {
      for (Value operand : op->getOperands()) map_operand(operand);
      Operation* clone = builder.clone(*op, again);
      if (auto fusion = mlir::dyn_cast<ir::FusionOp>(clone)) fusion.setName(names_.unique(fusion.getName().str() + ".remat"));
      ++clones_;
    }
    for (mlir::OpOperand* use : uses_from(plan.value->value, reader)) {
      map_operand(use->get());
      use->set(again.lookup(use->get()));
    }
    erase_unread(plan.chain);
  }

  /// Of `value` and its reshapes, by `reader` and what follows it.
  SmallVector<mlir::OpOperand*> uses_from(Value value, Operation* reader) const {
    SmallVector<mlir::OpOperand*> uses;
    SmallVector<Value> open{value};
    while (!open.empty()) {
      const Value current = open.pop_back_val();
      for (mlir::OpOperand& use : current.getUses()) {
        Operation* owner = block_.findAncestorOpInBlock(*use.getOwner());
        if (mlir::isa<stablehlo::ReshapeOp>(use.getOwner()) && owner == use.getOwner()) {
          open.push_back(owner->getResult(0));
        } else if (!owner->isBeforeInBlock(reader)) {
          uses.push_back(&use);
        }
      }
    }
    return uses;
  }

  static void erase_unread(const std::vector<Operation*>& chain) {
    for (Operation* op : llvm::reverse(chain)) {
      for (Value result : op->getResults()) {
        for (Operation* user : llvm::make_early_inc_range(result.getUsers()))
          if (mlir::isa<stablehlo::ReshapeOp>(user) && user->use_empty()) user->erase();
      }
      if (op->use_empty()) op->erase();
    }
  }

  mlir::Block& block_;
  KernelMaker& names_;
  PassContext& context_;
  const size_t most_clones_;
  size_t clones_ = 0;
};

struct Listed {
  int64_t bytes;
  std::string text;
};

std::string described(Value value) {
  Operation* maker = maker_of(value);
  std::string text = aval_of(value.getType()).str_short() + ", " + std::to_string(bytes_of(value)) + " bytes";
  if (!maker) return text;
  const std::string source = source_of(maker);
  return text + ", " + maker->getName().stripDialect().str() + (source.empty() ? "" : " at " + source);
}

/// What is alive in `block` where most is, in blocks inside of it too.
void list_temporaries(mlir::Block& block, std::vector<Listed>& listed) {
  const LiveRanges ranges(block);
  if (ranges.order.empty()) return;
  const int at = ranges.highest();
  for (const LiveRanges::Temporary& t : ranges.temporaries)
    if (t.made <= at && at <= t.last()) listed.push_back({t.bytes, described(t.value)});
  Operation* op = ranges.order[static_cast<size_t>(at)];
  if (!is_control_flow(op)) return;
  mlir::Region* highest = nullptr;
  int64_t most = 0;
  for (mlir::Region& region : op->getRegions()) {
    const int64_t peak = LiveRanges(region.front()).peak();
    if (peak > most) highest = &region, most = peak;
  }
  if (highest) list_temporaries(highest->front(), listed);
}

[[noreturn]] void refuse(mlir::ModuleOp module, mlir::Block& body, const PipelineOptions& options, const MemoryNeed& need) {
  std::vector<Listed> listed;
  for (mlir::BlockArgument argument : body.getArguments())
    listed.push_back({bytes_of(argument), "argument " + std::to_string(argument.getArgNumber()) + ": " + described(argument)});
  for (mlir::OpOperand& result : body.getTerminator()->getOpOperands())
    listed.push_back({bytes_of(result.get()), "result " + std::to_string(result.getOperandNumber()) + ": " + described(buffer_root(result.get()))});
  list_temporaries(body, listed);
  std::ranges::stable_sort(listed, [](const Listed& a, const Listed& b) { return a.bytes > b.bytes; });
  std::string lines;
  for (const Listed& entry : llvm::ArrayRef(listed).take_front(kMaxListed)) lines += "\n  " + entry.text;
  fail<CompileError>(module.getName() ? module.getName()->str() : "compile", "max_bytes is ", options.max_bytes, "; a run needs ",
                     need.sum() + options.scratch_bytes, " bytes: arguments ",
                     need.arguments, ", results ", need.results, ", temporaries ", need.temporaries, ", kernels while they run ", options.scratch_bytes,
                     options.bisect_limit < 0 ? ", with all computed again that can be" : ", as far as bisect_limit allows",
                     ". Raise the limit, donate arguments, or work on smaller parts. The largest buffers where most are alive:", lines);
}

}  // namespace

void rematerialize(mlir::ModuleOp module, PassContext& context) {
  if (context.options.max_bytes <= 0) return;
  const int64_t limit = context.options.max_bytes - context.options.scratch_bytes;
  mlir::func::FuncOp main = main_function(module);
  mlir::Block& body = main.getBody().front();
  KernelMaker names(module);
  MemoryNeed need = memory_need(main, context.options.donated);
  for (int round = 0; need.sum() > limit; ++round) {
    const int64_t estimate = LiveRanges(body).peak();
    const bool lowered = Block(body, names, context).lower_peak(estimate - (need.sum() - limit));
    need = memory_need(main, context.options.donated);
    if (need.sum() > limit && (!lowered || round + 1 == kMaxRounds)) refuse(module, body, context.options, need);
  }
}

}  // namespace tenon::passes
