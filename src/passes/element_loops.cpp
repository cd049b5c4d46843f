#include "passes/element_loops.h"

#include <algorithm>

#include "dialect/stablehlo.h"
#include "llvm/ADT/STLExtras.h"
#include "passes/blocks.h"
#include "passes/cost.h"
#include "passes/splat.h"

namespace tenon::passes {
namespace {

constexpr int64_t kMaxBody = 200;  // operations: what is carried and what the body needs stay in registers
constexpr size_t kMaxCarried = 16;

/// The shapes that values of a loop have: (), or the one of the arrays.
class Shapes {
 public:
  bool accept(mlir::Type type) {
    auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape() || tensor.getEncoding()) return false;
    mlir::Type element = tensor.getElementType();
    const bool has_code = element.isInteger(1) || element.isInteger(8) || element.isInteger(16) || element.isInteger(32) || element.isInteger(64) ||
                          mlir::isa<mlir::Float32Type, mlir::Float64Type, mlir::BFloat16Type, mlir::Float16Type>(element);
    if (!has_code) return false;
    if (tensor.getRank() == 0) return true;
    if (arrays_ && arrays_ != tensor.getShape()) return false;
    arrays_ = tensor.getShape();
    return tensor.getNumElements() > 0;
  }

 private:
  std::optional<llvm::ArrayRef<int64_t>> arrays_;
};

bool is_element_operation(mlir::Operation& op) {
  if (auto constant = mlir::dyn_cast<stablehlo::ConstantOp>(op)) return constant.getValue().isSplat();
  if (auto broadcast = mlir::dyn_cast<stablehlo::BroadcastInDimOp>(op)) return tensor_type(broadcast.getOperand()).getRank() == 0;
  if (!is_elementwise(&op) || op.getNumResults() != 1) return false;
  // The bits of an element may make several others.
  return !mlir::isa<stablehlo::BitcastConvertOp>(op) || tensor_type(op.getOperand(0)).getShape() == tensor_type(op.getResult(0)).getShape();
}

bool fits(mlir::Block& block, Shapes& shapes, int64_t& operations) {
  for (mlir::Type type : block.getArgumentTypes())
    if (!shapes.accept(type)) return false;
  for (mlir::Operation& op : block.without_terminator()) {
    if (++operations > kMaxBody) return false;
    if (!llvm::all_of(op.getResultTypes(), [&](mlir::Type type) { return shapes.accept(type); })) return false;
    if (auto inner = mlir::dyn_cast<stablehlo::WhileOp>(op)) {
      if (!fits(inner.getCond().front(), shapes, operations) || !fits(inner.getBody().front(), shapes, operations)) return false;
    } else if (!is_element_operation(op)) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool is_element_loop(mlir::Operation* op) {
  auto loop = mlir::dyn_cast<stablehlo::WhileOp>(op);
  if (!loop || loop->getNumOperands() == 0 || loop->getNumOperands() > kMaxCarried) return false;
  Shapes shapes;
  int64_t operations = 0;
  if (!fits(loop.getCond().front(), shapes, operations) || !fits(loop.getBody().front(), shapes, operations)) return false;
  return captured_values(op).empty();
}

int64_t body_size(mlir::Operation* loop) {
  int64_t operations = 0;
  loop->walk([&](mlir::Operation*) { ++operations; });
  return operations;
}

}  // namespace tenon::passes
