#include "passes/row_by_row.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "passes/cost.h"
#include "passes/fusion_rules.h"

namespace tenon::passes {

using mlir::Operation;
using mlir::Value;

int row_axes(Value value, int64_t rows) {
  int64_t product = 1;
  int axes = 0;
  for (int64_t size : shape_of(value)) {
    if (product == rows) return axes;
    product *= size;
    ++axes;
  }
  return product == rows ? axes : -1;
}

bool keeps_leading_axes(Operation* op, unsigned operand, int64_t rows) {
  auto movement = mlir::dyn_cast<DataMovementOpInterface>(op);
  std::optional<mlir::AffineMap> map = movement ? movement.indexMap(operand) : std::nullopt;
  llvm::ArrayRef<int64_t> from = shape_of(op->getOperand(operand)), to = shape_of(op->getResult(0));
  if (!map || map->getNumResults() != from.size()) return false;
  int64_t kept = 1;
  size_t axis = 0, dim = 0;
  while (kept < rows) {
    while (axis < from.size() && from[axis] == 1) ++axis;
    while (dim < to.size() && to[dim] == 1) ++dim;
    if (axis == from.size() || dim == to.size() || from[axis] != to[dim]) return false;
    auto expr = mlir::dyn_cast<mlir::AffineDimExpr>(map->getResult(axis));
    if (!expr || expr.getPosition() != dim) return false;
    kept *= from[axis];
    ++axis, ++dim;
  }
  return kept == rows;
}

static bool keeps_rows(Operation* op, unsigned operand, int64_t rows) {
  Value value = op->getOperand(operand);
  const int axes = row_axes(value, rows);
  if (is_elementwise(op)) return shape_of(value) == shape_of(op->getResult(0));
  if (auto reduction = mlir::dyn_cast<ReductionOpInterface>(op)) {
    return llvm::is_contained(reduction.reductionInputs(), value) && !llvm::is_contained(reduction.reductionInits(), value) &&
           llvm::all_of(reduction.reducedDimensions(), [&](int64_t dim) { return dim >= axes; });
  }
  return keeps_bytes(op) || keeps_leading_axes(op, operand, rows);
}

bool works_row_by_row(ir::FusionOp fusion, unsigned operand, int64_t rows) {
  mlir::Block& body = fusion.getBody().front();
  llvm::DenseSet<Value> dependent{body.getArgument(operand)};
  const auto has_rows = [&](Value value) { return row_axes(value, rows) >= 0; };
  if (!has_rows(body.getArgument(operand))) return false;
  for (Operation& op : body.without_terminator()) {
    bool depends = false;
    for (mlir::OpOperand& use : op.getOpOperands()) {
      if (!dependent.contains(use.get())) continue;
      if (!keeps_rows(&op, use.getOperandNumber(), rows)) return false;
      depends = true;
    }
    if (!depends) continue;
    if (!llvm::all_of(op.getResults(), has_rows)) return false;
    dependent.insert(op.result_begin(), op.result_end());
  }
  return llvm::all_of(fusion.getResults(), has_rows);
}

}  // namespace tenon::passes
