#include "dialect/cumulative.h"

#include "llvm/ADT/STLExtras.h"

namespace tenon {

static bool all_ones(std::optional<llvm::ArrayRef<std::int64_t>> list) {
  return !list || llvm::all_of(*list, [](std::int64_t value) { return value == 1; });
}

std::optional<Cumulative> cumulative(stablehlo::ReduceWindowOp op) {
  const auto type = mlir::cast<mlir::RankedTensorType>(op.getInputs()[0].getType());
  if (!type.hasStaticShape() || !all_ones(op.getWindowStrides()) || !all_ones(op.getBaseDilations()) ||
      !all_ones(op.getWindowDilations()))
    return std::nullopt;
  llvm::SmallVector<std::int64_t> padding(2 * type.getRank(), 0);
  if (const auto rows = op.getPadding()) llvm::copy(rows->getValues<std::int64_t>(), padding.begin());
  Cumulative found{-1, false};
  for (std::int64_t axis = 0; axis < type.getRank(); ++axis) {
    const std::int64_t window = op.getWindowDimensions()[axis], low = padding[2 * axis], high = padding[2 * axis + 1];
    if (window == 1 && low == 0 && high == 0) continue;
    const bool forward = low == window - 1 && high == 0, backward = low == 0 && high == window - 1;
    if (found.axis >= 0 || window != type.getDimSize(axis) || (!forward && !backward)) return std::nullopt;
    found = {axis, backward};
  }
  return found;
}

}  // namespace tenon
