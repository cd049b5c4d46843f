#include "passes/fusion_rules.h"

#include <algorithm>
#include <optional>

#include "dialect/tenon_ops.h"
#include "llvm/ADT/STLExtras.h"
#include "passes/element_loops.h"
#include "passes/fusion_boundaries.h"
#include "passes/in_place.h"
#include "passes/row_by_row.h"

namespace tenon::passes {

using mlir::Operation;
using mlir::Value;

// Code of one kernel stays small enough for the register allocator, which is worse than linear: so many plain
// operations; a transcendental function is worth some of them.
constexpr int kMaxWeight = 1000;
constexpr int kTranscendentalWeight = 16;
// A loop, and the tree that adds its lanes.
constexpr int kReductionWeight = 16;
// One result of a large reduction is made by several threads.
constexpr int64_t kMaxBytesOfOneThread = 256 << 10;
// Operands are pointers that the kernel keeps in registers or on its stack.
constexpr int kMaxOperands = 64;
// A row whose values are wanted again after it was reduced stays in the first-level cache or close to it.
constexpr int64_t kMaxRowBytes = 64 << 10;
// A product that is only reduced stays in the second-level cache: half of 512 KiB.
constexpr int64_t kMaxProductBytes = 256 << 10;
// One thread makes it: no longer than others would take to join.
constexpr double kMaxProductFlops = 16e6;
// Places at which a value is read for one element of the result: slices of slices of slices multiply them.
constexpr int kMaxReadings = 32;
// A sum of so few neighbours (the coordinates of a point) is straight code inside of another reduction.
constexpr int64_t kMaxShortRow = 8;
// Of so many users it does not matter how many more there are.
constexpr int64_t kManyUsers = 100;
// Duplicated arithmetic per kernel: a chain of shared values must not grow quadratically.
constexpr int kMaxDuplicates = 16;

// -------------------------------------------------------------------------------------- index maps

llvm::ArrayRef<int64_t> shape_of(Value value) { return mlir::cast<mlir::RankedTensorType>(value.getType()).getShape(); }

/// All but the last axes of the inputs are kept.
static bool reduces_last_axes(Operation* op) {
  auto reduction = mlir::cast<ReductionOpInterface>(op);
  size_t rank = shape_of(reduction.reductionInputs()[0]).size();
  llvm::ArrayRef<int64_t> dims = reduction.reducedDimensions();
  return llvm::all_of(dims, [&](int64_t dim) { return dim >= static_cast<int64_t>(rank - dims.size()); });
}

/// The operand's axes are the first axes of the result: each of its elements is a row of the result.
static bool repeats_along_last_axes(Operation* op) { return keeps_leading_axes(op, 0, elements_of(op->getOperand(0))); }

/// A reshape that adds or drops axes of size 1.
static bool keeps_axes(Operation* op) {
  auto longer = [](int64_t size) { return size != 1; };
  return keeps_bytes(op) && llvm::equal(llvm::make_filter_range(shape_of(op->getOperand(0)), longer),
                                        llvm::make_filter_range(shape_of(op->getResult(0)), longer));
}

// ---------------------------------------------------------------------------------------- the group

/// Elements that the loop over the operation's result goes along.
static int64_t loop_elements(Operation* op) {
  int64_t most = 0;
  for (Value result : op->getResults()) most = std::max(most, elements_of(result));
  return most;
}

void FusionGroup::add(Operation* op, bool owned) {
  Member member{use_of(op), owned};
  if (op == root) member.use = {.evaluations = static_cast<double>(loop_elements(op)), .places = {{op, 1}}};
  if (op != root && !first_fused && !op->hasTrait<mlir::OpTrait::ConstantLike>()) first_fused = op;
  if (mlir::isa<ReductionOpInterface>(op) && (!reduction || reduce_alike(reduction, op))) reduction = op;
  if (mlir::isa<stablehlo::DotGeneralOp>(op)) dot = op;
  if (!owned && !computes_nothing(op)) ++duplicates;
  auto cost = mlir::dyn_cast<CostOpInterface>(op);
  if (op->getNumRegions() > 0) weight += static_cast<int>(body_size(op));
  if (mlir::isa<ReductionOpInterface>(op)) weight += kReductionWeight;
  else weight += cost && cost.transcendentalsPerElement() > 0 ? kTranscendentalWeight : 1;
  members_[op] = member;
  order_.push_back(op);
  for (Value operand : op->getOperands()) {
    llvm::SmallVector<Operation*, 2>& readers = readers_[operand];
    if (readers.empty() || readers.back() != op) readers.push_back(op);
  }
}

bool FusionGroup::add_operand(Value value) {
  if (!slots_.try_emplace(value, static_cast<int>(operands.size())).second) return false;
  operands.push_back(value);
  return true;
}

void FusionGroup::remove_operand(Value value) {
  auto slot = slots_.find(value);
  if (slot == slots_.end()) return;
  operands[slot->second] = nullptr;
  slots_.erase(slot);
}

void FusionGroup::finish() { llvm::erase(operands, Value()); }

bool FusionGroup::owns_all_users(Operation* op) const {
  return llvm::all_of(op->getUsers(), [&](Operation* user) {
    auto member = members_.find(user);
    return member != members_.end() && member->second.owned;
  });
}

llvm::SmallVector<Operation*> FusionGroup::readers_of(Operation* op) const {
  llvm::SmallVector<Operation*> all;
  for (Value result : op->getResults()) {
    if (auto readers = readers_.find(result); readers != readers_.end()) all.append(readers->second);
  }
  return all;
}

static int64_t row_elements(Operation* op) {
  Value input = mlir::cast<ReductionOpInterface>(op).reductionInputs()[0];
  return elements_of(input) / std::max<int64_t>(1, elements_of(op->getResult(0)));
}

FusionGroup::Use FusionGroup::use_by(Operation* user, const Member& member, Value value) const {
  Use use = member.use;
  if (auto reduction = mlir::dyn_cast<ReductionOpInterface>(user)) {
    use.identity = false;
    use.aligned &= reduces_last_axes(user);
    if (llvm::is_contained(reduction.reductionInputs(), value)) {
      use.evaluations *= static_cast<double>(elements_of(value)) / std::max<double>(1, elements_of(user->getResult(0)));
      ++use.depth;
      // Straight code inside of another reduction.
      if (reduction && !reduce_alike(reduction, user)) use.places = {{user, use.readings() * static_cast<int>(row_elements(user))}};
    } else {
      use.evaluations = 1;
      use.aligned = false;
    }
  } else if (is_elementwise(user) || mlir::isa<stablehlo::WhileOp>(user)) {
    // A rank-0 operand is the same for the whole loop, and has one place.
    if (elements_of(value) != loop_elements(user)) use = {1, false, false, use.depth, {{static_cast<Operation*>(nullptr), 1}}};
  } else {
    use.identity &= keeps_bytes(user);
    bool repeats = repeats_along_last_axes(user);
    use.aligned &= keeps_axes(user) || repeats;
    // The value is made once for the loops over the last axes.
    if (repeats) use.evaluations *= static_cast<double>(elements_of(value)) / std::max<double>(1, elements_of(user->getResult(0)));
    if (is_data_movement(user)) use.places = {{user, use.readings()}};
  }
  return use;
}

int FusionGroup::Use::readings() const {
  int sum = 0;
  for (auto [at, count] : places) sum = std::min(sum + count, 2 * kMaxReadings);
  return sum;
}

FusionGroup::Use FusionGroup::use_of(Operation* op) const {
  Use total;
  for (Value result : op->getResults()) {
    auto readers = readers_.find(result);
    if (readers == readers_.end()) continue;
    for (Operation* user : readers->second) {
      Use use = use_by(user, members_.find(user)->second, result);
      total.evaluations = std::max(total.evaluations, use.evaluations);
      total.identity &= use.identity;
      total.aligned &= use.aligned;
      total.depth = std::max(total.depth, use.depth);
      for (auto place : use.places)
        if (!llvm::is_contained(total.places, place)) total.places.push_back(place);
    }
  }
  return total;
}

// ---------------------------------------------------------------------------------------- the rules

static bool is_scalar_constant(Operation* op) {
  return op->hasTrait<mlir::OpTrait::ConstantLike>() && elements_of(op->getResult(0)) == 1;
}

/// A loop over its result can compute it from its operands, element by element.
static bool is_loop(Operation* op) {
  return mlir::isa<ElementwiseOpInterface, stablehlo::IotaOp>(op) || is_data_movement(op) || is_element_loop(op);
}

bool can_be_root(Operation* op) {
  if (mlir::isa<stablehlo::ReshapeOp>(op)) return false;  // its operand's buffer is its result
  if (updates_carried(op)) return false;
  return is_loop(op) || mlir::isa<ReductionOpInterface>(op);
}

static bool is_in_memory(Value value) {
  Operation* op = value.getDefiningOp();
  return !op || (!can_be_root(op) && !mlir::isa<stablehlo::ReshapeOp>(op));
}

bool fits_one_kernel(int weight, int operands) { return weight < kMaxWeight && operands < kMaxOperands; }

bool reduce_alike(Operation* a, Operation* b) {
  auto x = mlir::cast<ReductionOpInterface>(a), y = mlir::cast<ReductionOpInterface>(b);
  return mlir::cast<mlir::ShapedType>(x.reductionInputs()[0].getType()).getShape() ==
             mlir::cast<mlir::ShapedType>(y.reductionInputs()[0].getType()).getShape() &&
         x.reducedDimensions() == y.reducedDimensions();
}

/// Bytes of what is reduced to one element.
static int64_t row_bytes(Operation* op) {
  Value input = mlir::cast<ReductionOpInterface>(op).reductionInputs()[0];
  return bytes_of(input) / std::max<int64_t>(1, elements_of(op->getResult(0)));
}

bool reduces_by_threads(Operation* reduction) {
  return elements_of(reduction->getResult(0)) == 1 && bytes_of(mlir::cast<ReductionOpInterface>(reduction).reductionInputs()[0]) > kMaxBytesOfOneThread;
}

static bool has_short_rows(Operation* op) { return reduces_last_axes(op) && row_elements(op) <= kMaxShortRow; }

bool reads_rows_from_cache(Operation* reduction) {
  return !reduces_last_axes(reduction) || row_bytes(reduction) <= kMaxRowBytes;
}

static const char* refuse_reduction(const FusionGroup& group, Operation* producer, bool owned) {
  FusionGroup::Use use = group.use_of(producer);
  if (!owned) return "the reduction's result is needed elsewhere as well";
  if (!group.shared.empty() && reduces_by_threads(producer)) return "several threads make it, for which it needs a kernel of one result";
  if (group.reduction && !reduce_alike(group.reduction, producer)) {
    const bool is_done_once = use.evaluations <= static_cast<double>(elements_of(producer->getResult(0)));
    if (use.depth > 0 && is_done_once && use.readings() == 1 && has_short_rows(producer)) return nullptr;
    return "reductions over different shapes or axes";
  }
  if (use.depth == 0 && use.identity) return nullptr;
  // Row by row: reduce a row, and use the result for the same row, which is still in the cache.
  if (!use.aligned) return "the reduction's result is spread again: all of it must be there first";
  if (!reduces_last_axes(producer)) return "the reduction's result is spread again, and its rows are not contiguous; reduced axes that come last are";
  if (row_bytes(producer) > kMaxRowBytes) return "the reduction's result is spread again over rows of more than 64 KiB";
  return nullptr;
}

static bool reads_product(Operation* op) {
  return llvm::any_of(op->getOperands(), [](Value operand) { return buffer_root(operand).getDefiningOp<stablehlo::DotGeneralOp>() != nullptr; });
}

bool may_be_shared(const FusionGroup& group, Operation* producer) {
  if (group.dot || group.operand_count() + static_cast<int>(group.shared.size()) >= kMaxOperands) return false;
  FusionGroup::Use use = group.use_of(producer);
  if (!mlir::isa<ReductionOpInterface>(producer)) {
    // Element by element, beside the root's own. What is done to a product at once stays with it (stream-rows).
    return is_elementwise(producer) && producer->getNumResults() == 1 && use.identity && use.depth == 0 &&
           !mlir::isa<stablehlo::WhileOp>(group.root) && !mlir::isa<ReductionOpInterface>(group.root) &&
           !(group.reduction && reduces_by_threads(group.reduction)) &&
           shape_of(producer->getResult(0)) == shape_of(group.root->getResult(0)) && !reads_product(producer);
  }
  return use.aligned && !use.identity && reduces_last_axes(producer) && row_bytes(producer) <= kMaxRowBytes &&
         elements_of(group.root->getResult(0)) > elements_of(producer->getResult(0));
}

static double flops_of_dot(Operation* op) {
  auto dot = mlir::cast<stablehlo::DotGeneralOp>(op);
  double flops = 2.0 * static_cast<double>(elements_of(dot.getResult()));
  for (int64_t dim : dot.getDotDimensionNumbers().getLhsContractingDimensions()) {
    flops *= static_cast<double>(shape_of(dot.getLhs())[dim]);
  }
  return flops;
}

static const char* refuse_dot(const FusionGroup& group, Operation* producer, bool owned) {
  auto computed_here = [&](Value operand) { return operand.getDefiningOp() && group.contains(operand.getDefiningOp()); };
  if (llvm::any_of(producer->getOperands(), computed_here)) return "the product reads from memory what this kernel makes as well";
  if (!owned) return "the product is needed elsewhere as well";
  if (!group.may_multiply || group.dot || group.use_of(producer).depth == 0 ||
      bytes_of(producer->getResult(0)) > kMaxProductBytes || flops_of_dot(producer) > kMaxProductFlops) {
    return "the dot runs in the GEMM, which has no such epilogue";
  }
  return nullptr;
}

const char* refuse_duplicate(const FusionGroup& group, Operation* producer, bool needed) {
  if (computes_nothing(producer)) return nullptr;
  if (is_expensive(producer)) return "used by several kernels, and too much work to do again";
  if (needed) return "";  // reading it is no more than reading what it is made of
  if (group.duplicates >= kMaxDuplicates) return "used by several kernels, and this one repeats enough already";
  int64_t users = 0, read = 0, written = 0;
  for (auto user = producer->user_begin(); user != producer->user_end() && users < kManyUsers; ++user) ++users;
  for (Value operand : producer->getOperands()) read += bytes_of(operand);
  for (Value result : producer->getResults()) written += bytes_of(result);
  if (users * read > read + (1 + users) * written) return "used by several kernels, and made of more bytes than it has";
  return nullptr;
}

const char* refusal(const FusionGroup& group, Operation* producer, bool owned, bool needed) {
  if (group.dot && llvm::is_contained(producer->getUsers(), group.dot)) return "the product inside of the kernel reads its operands from memory";
  if (is_scalar_constant(producer)) return nullptr;
  if (producer->hasTrait<mlir::OpTrait::ConstantLike>()) return "";
  if (mlir::isa<stablehlo::OptimizationBarrierOp>(producer)) return kBarrierRule;
  if (mlir::isa<stablehlo::WhileOp>(producer)) return "a loop is a kernel of its own";
  if (mlir::isa<stablehlo::WhileOp>(group.root) && mlir::isa<ReductionOpInterface>(producer)) return "a loop for each element begins with values in memory";
  if (updates_carried(producer)) return "it updates an array that its loop carries, in place";
  if (mlir::isa<stablehlo::DotGeneralOp>(producer)) return refuse_dot(group, producer, owned);
  if (mlir::isa<stablehlo::ReshapeOp>(producer) && is_in_memory(producer->getOperand(0))) {
    Operation* maker = producer->getOperand(0).getDefiningOp();
    const char* rule = maker ? refusal(group, maker, owned && maker->hasOneUse(), needed) : nullptr;
    return rule ? rule : "";  // it is in memory in any case
  }
  if (!is_loop(producer) && !mlir::isa<ReductionOpInterface>(producer)) return "no loop computes it element by element";
  const auto reads_by_loop = [](Operation* user) { return is_loop(user) || mlir::isa<ReductionOpInterface>(user); };
  if (!llvm::all_of(group.readers_of(producer), reads_by_loop)) return "its consumer reads elements in an order of its own";
  if (group.weight >= kMaxWeight) return "the kernel has 1000 operations (a transcendental function or a reduction counts 16)";
  if (group.operand_count() >= kMaxOperands) return "the kernel has 64 operands";
  if (mlir::isa<ReductionOpInterface>(producer)) return refuse_reduction(group, producer, owned);
  if (group.use_of(producer).readings() > kMaxReadings) return "read at more than 32 places for one element: its work would be repeated";
  int64_t elements = elements_of(producer->getResult(0));
  if (is_expensive(producer) && elements > 1 && group.use_of(producer).evaluations > static_cast<double>(elements)) {
    return "spread over a larger shape: expensive work would be repeated";
  }
  return owned ? nullptr : refuse_duplicate(group, producer, needed);
}

}  // namespace tenon::passes
