#include "dialect/launches.h"

#include "dialect/stablehlo.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tenon {

static void add_launches(mlir::Block& block, std::vector<mlir::Operation*>& list) {
  for (mlir::Operation& op : block.without_terminator()) {
    if (op.hasTrait<mlir::OpTrait::ConstantLike>() || mlir::isa<stablehlo::ReshapeOp>(op)) continue;
    list.push_back(&op);
    if (!mlir::isa<stablehlo::WhileOp, stablehlo::CaseOp, stablehlo::IfOp>(op)) continue;
    for (mlir::Region& region : op.getRegions()) add_launches(region.front(), list);
  }
}

std::vector<mlir::Operation*> launches(mlir::ModuleOp module) {
  std::vector<mlir::Operation*> list;
  if (auto main = module.lookupSymbol<mlir::func::FuncOp>("main")) add_launches(main.getBody().front(), list);
  return list;
}

}  // namespace tenon
