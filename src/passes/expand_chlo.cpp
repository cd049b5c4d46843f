// chlo in, stablehlo out, where an operation of CHLO is a few of StableHLO. What has a kernel of its own (erf,
// ...) stays.
#include "dialect/chlo.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/pass.h"

namespace tenon::passes {

/// top_k(x)  ->  the first k of sort(x, iota), descending in the total order
static void expand_top_k(chlo::TopKOp op) {
  mlir::OpBuilder builder(op);
  mlir::Location at = op.getLoc();
  const auto type = mlir::cast<mlir::RankedTensorType>(op.getOperand().getType());
  const auto index = mlir::RankedTensorType::get(type.getShape(), builder.getI32Type());
  const int64_t last = type.getRank() - 1;
  mlir::Value iota = stablehlo::IotaOp::create(builder, at, index, static_cast<uint64_t>(last));
  auto sort = stablehlo::SortOp::create(builder, at, mlir::TypeRange{type, index}, mlir::ValueRange{op.getOperand(), iota},
                                        static_cast<uint64_t>(last), /*is_stable=*/true);
  mlir::Block& body = sort.getComparator().emplaceBlock();
  for (mlir::RankedTensorType operand : {type, index})
    for (int i = 0; i < 2; ++i) body.addArgument(mlir::RankedTensorType::get({}, operand.getElementType()), at);
  {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&body);
    const mlir::Type element = type.getElementType();
    const auto order = mlir::isa<mlir::FloatType>(element)  ? stablehlo::ComparisonType::TOTALORDER
                       : element.isUnsignedInteger() ? stablehlo::ComparisonType::UNSIGNED
                                                     : stablehlo::ComparisonType::SIGNED;
    mlir::Value greater = stablehlo::CompareOp::create(
        builder, at, mlir::RankedTensorType::get({}, builder.getI1Type()), body.getArgument(0), body.getArgument(1),
        stablehlo::ComparisonDirectionAttr::get(builder.getContext(), stablehlo::ComparisonDirection::GT),
        stablehlo::ComparisonTypeAttr::get(builder.getContext(), order));
    stablehlo::ReturnOp::create(builder, at, greater);
  }
  llvm::SmallVector<int64_t> start(type.getRank(), 0), limit(type.getShape()), step(type.getRank(), 1);
  limit[last] = static_cast<int64_t>(op.getK());
  for (auto [result, sorted] : llvm::zip(op.getResults(), sort.getResults())) {
    mlir::Value part = stablehlo::SliceOp::create(builder, at, result.getType(), sorted, start, limit, step);
    result.replaceAllUsesWith(part);
  }
  op.erase();
}

void expand_chlo(mlir::ModuleOp module, PassContext&) {
  llvm::SmallVector<chlo::TopKOp> top_ks;
  module.walk([&](chlo::TopKOp op) { top_ks.push_back(op); });
  for (chlo::TopKOp op : top_ks) expand_top_k(op);
  llvm::SmallVector<chlo::SquareOp> squares;
  module.walk([&](chlo::SquareOp op) {  // of complex numbers it is less than the multiplication
    if (!mlir::isa<mlir::ComplexType>(op.getType().getElementType())) squares.push_back(op);
  });
  for (chlo::SquareOp op : squares) {  // square(x)  ->  multiply(x, x)
    mlir::OpBuilder builder(op);
    auto product = stablehlo::MultiplyOp::create(builder, op.getLoc(), op.getType(), op.getOperand(), op.getOperand());
    op.replaceAllUsesWith(product.getResult());
    op.erase();
  }
}

}  // namespace tenon::passes
