// Questions about an operation that may lack the interface.
#include "dialect/interfaces.h"

#include "dialect/stablehlo.h"

#include "dialect/interfaces.cpp.inc"

namespace tenon {

bool is_elementwise(mlir::Operation* op) {
  auto elementwise = llvm::dyn_cast<ElementwiseOpInterface>(op);
  return elementwise && elementwise.isElementwise();
}

bool is_data_movement(mlir::Operation* op) { return llvm::isa<DataMovementOpInterface>(op); }

std::optional<ScalarOp> single_scalar_op(mlir::Region& region) {
  if (!region.hasOneBlock()) return std::nullopt;
  mlir::Block& block = region.front();
  if (!llvm::hasNItems(block, 2)) return std::nullopt;
  mlir::Operation& op = block.front();
  auto elementwise = llvm::dyn_cast<ElementwiseOpInterface>(op);
  if (!elementwise || !op.getDiscardableAttrs().empty() || !llvm::equal(op.getOperands(), block.getArguments()) ||
      !llvm::equal(block.back().getOperands(), op.getResults())) {
    return std::nullopt;
  }
  return elementwise.scalarOp();
}

llvm::StringRef hlo_opcode(mlir::Operation* op) {
  auto hlo = llvm::dyn_cast<HloOpInterface>(op);
  const llvm::StringRef opcode = hlo ? hlo.hloOpcode() : "";
  return opcode.empty() ? op->getName().getStringRef() : opcode;
}

}  // namespace tenon
