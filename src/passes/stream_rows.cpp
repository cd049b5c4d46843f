// dot, softmax, dot  ->  one fusion that runs them for a block of rows after the other.
//
// What a product and the kernels around it hand on, row by row, needs no array in memory: a block of its rows is made,
// used while it is in the cache, and overwritten by the next. So attention needs no matrix of scores, and a product is
// written once, with what is done to it.
//
//     a chain of dots (as left operands) and of fusions that work row by row; each value between them is read by the
//     next one only. The bits are those of the chain run one after the other.
//
// The fusion is of kind custom, holds the chain as it was, and says how many rows it takes at once (`tenon.block_rows`).
// A dot in it whose columns after r + n row r's consumer hides by a mask says so (`tenon.columns_after_row` = n).
#include <algorithm>
#include <string>
#include <vector>

#include "dialect/tenon_ops.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/blocks.h"
#include "passes/cost.h"
#include "passes/fusion_boundaries.h"
#include "passes/fusion_rules.h"
#include "passes/in_place.h"
#include "passes/kernel_names.h"
#include "passes/pass.h"
#include "passes/row_by_row.h"
#include "passes/wanted_columns.h"

namespace tenon::passes {
namespace {

using mlir::Operation;
using mlir::Value;

// Rows in the making, of all values of the chain: half of a second-level cache of 512 KiB.
constexpr int64_t kBlockBytes = 256 << 10;
// A GEMM of fewer rows reads its right operand too often; long rows may then leave the second-level cache.
constexpr int64_t kMinRows = 48;
constexpr int64_t kMaxBlockBytes = 2 << 20;
constexpr int64_t kMaxRows = 192;
// Blocks, so that threads find work.
constexpr int64_t kMinBlocks = 8;
// The right operand is read again for each block of rows: from the shared cache.
constexpr int64_t kMaxRightBytes = 16 << 20;
// Elements of a row: the vector loop runs along it.
constexpr int64_t kMinColumns = 16;
// Where streams are made wherever it is possible.
constexpr int64_t kRowsInTests = 5;

// Where everything fits, and the chain is not made all the same.
constexpr const char* kFewRows = "too few rows for several threads, or rows so long that few of them fit the cache";
constexpr const char* kRightOperand = "it is the right operand of a product, which is read again for each row; the transposed product has it on the left";
constexpr const char* kLargeRight = "the product's right operand is too large to be read again for each block of rows, or very narrow";
constexpr const char* kNoRows = "the kernel does not run along rows: a transpose, several results, or short rows";

/// What the rows of the chain are: batches of matrices with so many rows.
struct Rows {
  int64_t batches = 1, in_batch = 0;
  int64_t count() const { return batches * in_batch; }
};

/// The rows of a product in the form that canonicalize-dots leaves; none for another.
std::optional<Rows> rows_of(stablehlo::DotGeneralOp dot) {
  const auto numbers = dot.getDotDimensionNumbers();
  const size_t batch = numbers.getLhsBatchingDimensions().size();
  llvm::ArrayRef<int64_t> shape = shape_of(dot.getResult());
  if (batch > 1 || shape.size() != batch + 2 || elements_of(dot.getResult()) == 0 || numbers.getLhsContractingDimensions().size() != 1) return std::nullopt;
  return Rows{batch ? shape[0] : 1, shape[batch]};
}

bool has_small_right_operand(stablehlo::DotGeneralOp dot, const Rows& rows) {
  return bytes_of(dot.getRhs()) / rows.batches <= kMaxRightBytes && shape_of(dot.getResult()).back() >= kMinColumns;
}

bool holds_product(ir::FusionOp fusion) { return fusion.getKind() == ir::FusionKind::Custom; }

/// A kernel whose loops can run along the rows: nothing in it is transposed.
bool runs_along_rows(ir::FusionOp fusion) {
  if (holds_product(fusion) || fusion->getNumResults() != 1) return false;
  return llvm::none_of(fusion.getBody().front().without_terminator(), [](Operation& op) {
    auto movement = mlir::dyn_cast<DataMovementOpInterface>(&op);
    std::optional<mlir::AffineMap> map = movement ? movement.indexMap(0) : std::nullopt;
    return map && map->isPermutation() && !map->isIdentity();
  });
}

bool has_columns(Value value, int64_t rows) { return row_axes(value, rows) >= 0 && elements_of(value) >= rows * kMinColumns; }

class Chain {
 public:
  /// `min_bytes`: what is smaller stays in the second-level cache anyway.
  Chain(Operation* first, int64_t min_bytes) : min_bytes_(min_bytes) { add_member(first); }

  /// The one user of the last value, reshapes seen through; null: it has others, or none.
  mlir::OpOperand* next() {
    Value value = last_->getResult(0);
    reshapes_.clear();
    while (true) {
      if (!value.hasOneUse()) return nullptr;
      Operation* user = *value.getUsers().begin();
      if (user->getBlock() != last_->getBlock()) return nullptr;
      if (!mlir::isa<stablehlo::ReshapeOp>(user)) return &*value.use_begin();
      reshapes_.push_back(user);
      value = user->getResult(0);
    }
  }

  /// Goes on with the `next` one; null when it takes the last value row by row, else why it does not.
  const char* extend(mlir::OpOperand& use) {
    if (const char* rule = refusal(use)) return rule;
    row_bytes_ += bytes_of(use.get()) / rows_->count();
    note_hidden_columns(use);
    members_.insert(members_.end(), reshapes_.begin(), reshapes_.end());
    add_member(use.getOwner());
    return nullptr;
  }

  /// How many rows at once; 0: the chain is better left as it is.
  int64_t block_rows() const {
    if (!has_dot_ || steps_.size() < 2) return 0;
    if (min_bytes_ == 0) return std::min(kRowsInTests, rows_->in_batch);
    int64_t rows = std::clamp(kBlockBytes / row_bytes_, kMinRows, kMaxRows);
    if (rows * row_bytes_ > kMaxBlockBytes || rows_->in_batch < kMinRows) return 0;
    rows = std::min(rows, rows_->in_batch);
    const int64_t blocks = (rows_->in_batch + rows - 1) / rows;
    return blocks * rows_->batches < kMinBlocks ? 0 : (rows_->in_batch + blocks - 1) / blocks;
  }

  void mark_hidden_columns(mlir::Builder& builder) const {
    for (const Hidden& hidden : hidden_) {
      if (hidden.in_batch == rows_->in_batch) hidden.dot->setDiscardableAttr("tenon.columns_after_row", builder.getI64IntegerAttr(hidden.column));
    }
  }
  llvm::ArrayRef<Operation*> members() const { return members_; }
  Operation* last() const { return last_; }

  std::string name() const {
    std::string name;
    for (Operation* step : steps_) {
      auto fusion = mlir::dyn_cast<ir::FusionOp>(step);
      Operation* root = fusion ? fusion.getBody().front().getTerminator()->getOperand(0).getDefiningOp() : step;
      name += (root ? identifier(root) : "copy") + "_";
    }
    return name + "fusion";
  }

 private:
  const char* refusal(mlir::OpOperand& use) {
    if (const char* rule = refusal_by_form(use)) return rule;
    if ((row_bytes_ + bytes_of(use.get()) / rows_->count()) * kMinRows > kMaxBlockBytes) return "the rows of all that is handed on are too long for the cache";
    return bytes_of(use.get()) < min_bytes_ ? "so small that it stays in the cache (stream_min_bytes)" : nullptr;
  }

  const char* refusal_by_form(mlir::OpOperand& use) {
    if (auto dot = mlir::dyn_cast<stablehlo::DotGeneralOp>(use.getOwner())) {
      const std::optional<Rows> rows = rows_of(dot);
      const auto numbers = dot.getDotDimensionNumbers();
      if (use.getOperandNumber() != 0) return kRightOperand;
      if (!rows || numbers.getLhsContractingDimensions()[0] + 1 != static_cast<int64_t>(shape_of(dot.getLhs()).size()))
        return "the product sums over its rows";
      if (!has_small_right_operand(dot, *rows)) return kLargeRight;
      return agree_on(*rows) && has_columns(last_->getResult(0), rows_->count()) ? nullptr : "their rows are not the same";
    }
    auto fusion = mlir::dyn_cast<ir::FusionOp>(use.getOwner());
    if (!fusion) return "what reads it is no kernel, but a routine of the runtime";
    if (holds_product(fusion)) return "what reads it is a kernel with a small product inside";
    if (!rows_) return "two kernels without a product between them";
    if (!runs_along_rows(fusion) || !has_columns(fusion.getResult(0), rows_->count())) return kNoRows;
    return works_row_by_row(fusion, use.getOperandNumber(), rows_->count()) ? nullptr : "a row of the kernel's result needs more than one row";
  }

  /// Where the last axes of what is handed on are the rows and the columns of the product.
  void note_hidden_columns(mlir::OpOperand& use) {
    auto fusion = mlir::dyn_cast<ir::FusionOp>(use.getOwner());
    llvm::ArrayRef<int64_t> shape = shape_of(use.get());
    if (!fusion || !mlir::isa<stablehlo::DotGeneralOp>(last_) || shape.size() < 2) return;
    if (shape[shape.size() - 2] != rows_->in_batch || shape.back() != shape_of(last_->getResult(0)).back()) return;
    if (const auto column = last_wanted_column(fusion, use.getOperandNumber())) hidden_.push_back({last_, *column, rows_->in_batch});
  }

  /// One matrix of all rows goes with batches of matrices that have as many.
  bool agree_on(const Rows& rows) {
    if (!rows_ || (rows_->batches == 1 && rows_->count() == rows.count())) {
      rows_ = rows;
      return true;
    }
    return rows_->count() == rows.count() && (rows.batches == 1 || rows.batches == rows_->batches);
  }

  void add_member(Operation* op) {
    members_.push_back(op);
    steps_.push_back(op);
    last_ = op;
    if (auto dot = mlir::dyn_cast<stablehlo::DotGeneralOp>(op)) {
      has_dot_ = true;
      if (!rows_) rows_ = rows_of(dot);
    }
  }

  int64_t min_bytes_;
  /// The last column that row 0 of a matrix has use for, and how many rows the matrix has: a later product may have shorter ones.
  struct Hidden {
    Operation* dot;
    int64_t column, in_batch;
  };
  std::vector<Hidden> hidden_;
  std::vector<Operation*> members_;   // reshapes between them, too
  std::vector<Operation*> reshapes_;  // in front of the next one
  std::vector<Operation*> steps_;
  Operation* last_ = nullptr;
  std::optional<Rows> rows_;  // known from the first dot on
  bool has_dot_ = false;
  int64_t row_bytes_ = 0;  // of all values between steps
};

/// Null when a chain can begin with `op`; else why not.
const char* refuse_to_begin(Operation& op) {
  if (auto dot = mlir::dyn_cast<stablehlo::DotGeneralOp>(&op)) {
    const std::optional<Rows> rows = rows_of(dot);
    if (!rows) return "the product has several axes of a batch, or sums over several axes";
    return has_small_right_operand(dot, *rows) ? nullptr : kLargeRight;
  }
  auto fusion = mlir::dyn_cast<ir::FusionOp>(&op);
  if (!fusion) return "what makes it is no kernel, but a routine of the runtime";
  if (holds_product(fusion)) return "what makes it is a kernel with a small product inside";
  return runs_along_rows(fusion) ? nullptr : kNoRows;
}

bool is_product(Operation* op) { return mlir::isa<stablehlo::DotGeneralOp>(op); }

/// Tells those who read `op`, where a product is on one side, why they do not do so row by row.
void tell_readers(Operation& op, const char* rule) {
  for (Value result : op.getResults()) {
    for (mlir::OpOperand* use : readers_of(result)) {
      Operation* reader = use->getOwner();
      if (reader->hasTrait<mlir::OpTrait::IsTerminator>() || (!is_product(&op) && !is_product(reader))) continue;
      refuse_operand(reader, use->getOperandNumber(), is_product(reader) && use->getOperandNumber() == 1 ? kRightOperand : rule);
    }
  }
}

/// As far as it goes. Where a product is on one side of the end, it is told why.
void extend(Chain& chain, const llvm::DenseSet<Operation*>& taken, PassContext& context) {
  while (mlir::OpOperand* use = chain.next()) {
    const bool joins_product = is_product(chain.last()) || is_product(use->getOwner());
    const char* rule = taken.contains(use->getOwner()) ? "rows of another product are handed on to it already" : chain.extend(*use);
    if (context.options.explain && joins_product && !use->getOwner()->hasTrait<mlir::OpTrait::IsTerminator>())
      refuse_operand(use->getOwner(), use->getOperandNumber(), rule ? rule : kFewRows);
    if (rule) return;
  }
  if (context.options.explain) tell_readers(*chain.last(), "several read it, or it is a result: all of it must be in memory");
}

void stream_block(mlir::Block& block, KernelMaker& maker, PassContext& context) {
  llvm::DenseSet<Operation*> taken;
  std::vector<Chain> chains;
  for (Operation& op : block.without_terminator()) {
    if (taken.contains(&op) || !context.may_apply()) continue;
    if (const char* rule = refuse_to_begin(op)) {
      // Reshapes are seen through, and what is behind a barrier is told of the barrier.
      if (context.options.explain && !mlir::isa<stablehlo::ReshapeOp, stablehlo::OptimizationBarrierOp>(op)) tell_readers(op, rule);
      continue;
    }
    Chain chain(&op, context.options.stream_min_bytes);
    extend(chain, taken, context);
    if (chain.block_rows() == 0) continue;
    context.applied();
    taken.insert_range(chain.members());
    chains.push_back(std::move(chain));
  }
  for (const Chain& chain : chains) {
    llvm::SetVector<Value> operands;
    const llvm::DenseSet<Operation*> inside(chain.members().begin(), chain.members().end());
    const auto is_inside = [&](Value value) { return value.getDefiningOp() && inside.contains(value.getDefiningOp()); };
    for (Operation* member : chain.members()) {
      for (Value operand : member->getOperands())
        if (!is_inside(operand)) operands.insert(operand);
    }
    mlir::OpBuilder builder(chain.last());
    chain.mark_hidden_columns(builder);
    Operation* fusion = maker.emit(builder, chain.name(), chain.last(), chain.members(), operands.getArrayRef());
    fusion->setDiscardableAttr("tenon.block_rows", builder.getI64IntegerAttr(chain.block_rows()));
    maker.replace_results();
    for (Operation* member : llvm::reverse(chain.members())) member->erase();
  }
}

}  // namespace

void stream_rows(mlir::ModuleOp module, PassContext& context) {
  if (!context.options.fuse_products) return;
  KernelMaker maker(module);
  for_each_block(module, [&](mlir::Block& block) { stream_block(block, maker, context); }, /*enter_element_loops=*/false);
}

}  // namespace tenon::passes
