// dot_general in any form in; out come dots that the GEMM takes as they are:
//   lhs [batch,] m, k  or  [batch,] k, m     rhs [batch,] k, n  or  [batch,] n, k     result [batch,] m, n
// A transpose in front of a dot disappears into its dimension numbers. Several axes of one role are joined by
// reshapes, which are free; only operands whose roles are interleaved are transposed.
#include <algorithm>
#include <numeric>

#include "dialect/stablehlo.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/rewrite.h"
#include "passes/splat.h"

namespace tenon::passes {
namespace {

using llvm::ArrayRef;
using llvm::SmallVector;
using mlir::Operation;
using mlir::RankedTensorType;
using mlir::RewriterBase;
using mlir::Value;
using Dims = SmallVector<int64_t>;
using stablehlo::DotDimensionNumbersAttr;
using stablehlo::DotGeneralOp;

/// One operand of a dot: its value and the roles of its axes.
struct Side {
  Value value;
  Dims batch, contracting;

  Dims free() const {
    Dims axes;
    for (int64_t axis = 0; axis < tensor_type(value).getRank(); ++axis) {
      if (!llvm::is_contained(batch, axis) && !llvm::is_contained(contracting, axis)) axes.push_back(axis);
    }
    return axes;
  }
  int64_t size(ArrayRef<int64_t> axes) const {
    int64_t product = 1;
    for (int64_t axis : axes) product *= tensor_type(value).getDimSize(axis);
    return product;
  }
};

Side lhs_of(DotGeneralOp dot) {
  auto numbers = dot.getDotDimensionNumbers();
  return {dot.getLhs(), Dims(numbers.getLhsBatchingDimensions()), Dims(numbers.getLhsContractingDimensions())};
}
Side rhs_of(DotGeneralOp dot) {
  auto numbers = dot.getDotDimensionNumbers();
  return {dot.getRhs(), Dims(numbers.getRhsBatchingDimensions()), Dims(numbers.getRhsContractingDimensions())};
}

Value make_dot(RewriterBase& rewriter, DotGeneralOp dot, const Side& lhs, const Side& rhs, mlir::Type type) {
  auto numbers = DotDimensionNumbersAttr::get(dot.getContext(), lhs.batch, rhs.batch, lhs.contracting, rhs.contracting);
  return DotGeneralOp::create(rewriter, dot.getLoc(), type, lhs.value, rhs.value, numbers, dot.getPrecisionConfigAttr(),
                              dot.getAlgorithmAttr());
}

bool is_canonical(const Side& side, bool batched) {
  return tensor_type(side.value).getRank() == (batched ? 3 : 2) && side.contracting.size() == 1 &&
         (batched ? side.batch.size() == 1 && side.batch[0] == 0 : side.batch.empty());
}

/// Looks through a transpose when the free axes keep their order, which is the order of the result's axes.
bool absorb_transpose(Side& side, bool batched) {
  auto transpose = side.value.getDefiningOp<stablehlo::TransposeOp>();
  if (!transpose) return false;
  auto source = [&](int64_t axis) { return transpose.getPermutation()[axis]; };
  if (!llvm::is_sorted(llvm::map_to_vector(side.free(), source))) return false;
  Side absorbed{transpose.getOperand(), llvm::map_to_vector(side.batch, source),
                llvm::map_to_vector(side.contracting, source)};
  if (is_canonical(side, batched) && !is_canonical(absorbed, batched)) return false;  // this transpose made it so
  side = absorbed;
  return true;
}

bool absorb_transposes(Operation* op, RewriterBase& rewriter) {
  auto dot = mlir::dyn_cast<DotGeneralOp>(op);
  if (!dot) return false;
  Side lhs = lhs_of(dot), rhs = rhs_of(dot);
  bool batched = lhs.size(lhs.batch) != 1;
  bool left = absorb_transpose(lhs, batched), right = absorb_transpose(rhs, batched);
  if (!left && !right) return false;
  rewriter.replaceOp(op, make_dot(rewriter, dot, lhs, rhs, dot.getType()));
  return true;
}

bool dot_to_dot_general(Operation* op, RewriterBase& rewriter) {
  auto dot = mlir::dyn_cast<stablehlo::DotOp>(op);
  if (!dot) return false;
  Dims left{tensor_type(dot.getLhs()).getRank() - 1}, right{0};
  auto numbers = DotDimensionNumbersAttr::get(op->getContext(), {}, {}, left, right);
  rewriter.replaceOpWithNewOp<DotGeneralOp>(op, dot.getType(), dot.getLhs(), dot.getRhs(), numbers,
                                            dot.getPrecisionConfigAttr(), stablehlo::DotAlgorithmAttr());
  return true;
}

/// The transpose brings b's axes of a product before a's: b times a has them so, and often nothing is left to transpose.
/// A single row or column stays where it is: it has code of its own, which adds in another order.
bool swap_operands(Operation* op, RewriterBase& rewriter) {
  auto transpose = mlir::dyn_cast<stablehlo::TransposeOp>(op);
  auto dot = transpose ? transpose.getOperand().getDefiningOp<DotGeneralOp>() : nullptr;
  if (!dot || !dot->hasOneUse() || dot.getAlgorithmAttr()) return false;
  const Side lhs = lhs_of(dot), rhs = rhs_of(dot);
  const auto batch = static_cast<int64_t>(lhs.batch.size()), left = static_cast<int64_t>(lhs.free().size()), right = static_cast<int64_t>(rhs.free().size());
  if (lhs.size(lhs.free()) <= 1 || rhs.size(rhs.free()) <= 1) return false;
  bool has_seen_left = false;
  for (int64_t axis : transpose.getPermutation()) {
    const bool is_left = axis >= batch && axis < batch + left;
    if (has_seen_left && axis >= batch + left) return false;
    has_seen_left |= is_left;
  }
  Dims shape, permutation;
  const auto type = tensor_type(dot);
  const auto old_axis = [&](int64_t axis) {  // of the dot, by that of the new one
    if (axis < batch) return axis;
    return axis < batch + right ? axis + left : axis - right;
  };
  for (int64_t axis = 0; axis < type.getRank(); ++axis) shape.push_back(type.getDimSize(static_cast<unsigned>(old_axis(axis))));
  for (int64_t axis : transpose.getPermutation()) permutation.push_back(axis < batch ? axis : axis < batch + left ? axis + right : axis - left);
  auto numbers = DotDimensionNumbersAttr::get(op->getContext(), rhs.batch, lhs.batch, rhs.contracting, lhs.contracting);
  mlir::ArrayAttr precision = dot.getPrecisionConfigAttr();
  if (precision && precision.size() == 2) precision = rewriter.getArrayAttr({precision[1], precision[0]});
  rewriter.setInsertionPoint(dot);
  auto swapped = DotGeneralOp::create(rewriter, dot.getLoc(), RankedTensorType::get(shape, type.getElementType()), rhs.value, lhs.value, numbers, precision,
                                      stablehlo::DotAlgorithmAttr());
  rewriter.setInsertionPoint(op);
  rewriter.replaceOpWithNewOp<stablehlo::TransposeOp>(op, op->getResult(0).getType(), swapped, permutation);
  rewriter.eraseOp(dot);
  return true;
}

/// Whether the axes, in this order, lie in memory in this order (axes of size 1 lie anywhere).
bool is_in_order(Value value, ArrayRef<int64_t> axes) {
  int64_t last = -1;
  for (int64_t axis : axes) {
    if (tensor_type(value).getDimSize(axis) == 1) continue;
    if (axis < last) return false;
    last = axis;
  }
  return true;
}

Dims concat(std::initializer_list<ArrayRef<int64_t>> parts) {
  Dims all;
  for (ArrayRef<int64_t> part : parts) all.append(part.begin(), part.end());
  return all;
}

/// Brings a side to [batch,] and two joined axes.
Side join_axes(RewriterBase& rewriter, mlir::Location location, const Side& side, bool batched) {
  Dims free = side.free();
  bool free_first = !is_in_order(side.value, concat({side.batch, side.contracting, free})) ||
                    is_in_order(side.value, concat({side.batch, free, side.contracting}));
  Dims order = free_first ? concat({side.batch, free, side.contracting}) : concat({side.batch, side.contracting, free});
  Value value = side.value;
  RankedTensorType type = tensor_type(value);
  if (!llvm::is_sorted(order)) {
    Dims shape = llvm::map_to_vector(order, [&](int64_t axis) { return type.getDimSize(axis); });
    auto transposed = RankedTensorType::get(shape, type.getElementType());
    value = is_in_order(value, order) ? stablehlo::ReshapeOp::create(rewriter, location, transposed, value).getResult()
                                      : stablehlo::TransposeOp::create(rewriter, location, transposed, value, order).getResult();
  }
  Dims shape;
  if (batched) shape.push_back(side.size(side.batch));
  int64_t first = side.size(free_first ? free : side.contracting), second = side.size(free_first ? side.contracting : free);
  shape.append({first, second});
  auto joined = RankedTensorType::get(shape, type.getElementType());
  if (value.getType() != joined) value = stablehlo::ReshapeOp::create(rewriter, location, joined, value);
  int64_t contracting = (batched ? 1 : 0) + (free_first ? 1 : 0);
  return {value, batched ? Dims{0} : Dims{}, {contracting}};
}

/// The same pairs of axes, those of `lhs` increasing.
void sort_pairs(Dims& lhs, Dims& rhs) {
  Dims order(lhs.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](int64_t a, int64_t b) { return lhs[a] < lhs[b]; });
  lhs = llvm::map_to_vector(order, [&, old = lhs](int64_t i) { return old[i]; });
  rhs = llvm::map_to_vector(order, [&, old = rhs](int64_t i) { return old[i]; });
}

bool join_dot_axes(Operation* op, RewriterBase& rewriter) {
  auto dot = mlir::dyn_cast<DotGeneralOp>(op);
  if (!dot) return false;
  Side lhs = lhs_of(dot), rhs = rhs_of(dot);
  int64_t batch_size = lhs.size(lhs.batch);
  bool batched = batch_size != 1;
  if (is_canonical(lhs, batched) && is_canonical(rhs, batched)) return false;
  sort_pairs(lhs.contracting, rhs.contracting);  // their order is ours to choose; that of the batch axes is the result's
  Side left = join_axes(rewriter, op->getLoc(), lhs, batched), right = join_axes(rewriter, op->getLoc(), rhs, batched);
  Dims shape;
  if (batched) shape.push_back(batch_size);
  shape.append({lhs.size(lhs.free()), rhs.size(rhs.free())});
  Value result = make_dot(rewriter, dot, left, right, RankedTensorType::get(shape, tensor_type(dot).getElementType()));
  if (result.getType() != dot.getType()) {
    result = stablehlo::ReshapeOp::create(rewriter, op->getLoc(), dot.getType(), result);
  }
  rewriter.replaceOp(op, result);
  return true;
}

}  // namespace

void canonicalize_dots(mlir::ModuleOp module, PassContext& context) {
  static const Rule in_their_own_axes[] = {
      {"dot(a, b)  ->  dot_general(a, b)", dot_to_dot_general},
      {"transpose(dot_general(a, b))  ->  transpose(dot_general(b, a)), where b's axes come first", swap_operands},
  };
  static const Rule rules[] = {
      {"dot_general(transpose(a), b)  ->  dot_general(a, b) with a's own dimension numbers", absorb_transposes},
      {"dot_general of many axes  ->  reshape(dot_general of [batch,] m, k and k, n)", join_dot_axes},
  };
  rewrite(module, in_their_own_axes, context);  // before they are joined
  rewrite(module, rules, context);
}

}  // namespace tenon::passes
