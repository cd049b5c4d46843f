#include "passes/source.h"

#include "dialect/tenon_ops.h"
#include "mlir/IR/Location.h"
#include "passes/in_place.h"

namespace tenon::passes {

std::string source_of(mlir::Operation* op) {
  auto place = op->getLoc()->findInstanceOf<mlir::FileLineColLoc>();
  return place ? (place.getFilename().strref() + ":" + llvm::Twine(place.getLine())).str() : "";
}

mlir::Operation* maker_of(mlir::Value value) {
  value = buffer_root(value);
  mlir::Operation* op = value.getDefiningOp();
  auto fusion = mlir::dyn_cast_or_null<ir::FusionOp>(op);
  if (!fusion) return op;
  const unsigned number = mlir::cast<mlir::OpResult>(value).getResultNumber();
  mlir::Operation* inside = maker_of(fusion.getBody().front().getTerminator()->getOperand(number));
  return inside ? inside : op;
}

}  // namespace tenon::passes
