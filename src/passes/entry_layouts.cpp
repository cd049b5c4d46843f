// What main takes and gives becomes what lies in memory, with a transpose at the border that later passes absorb. AUTO
// is the order in which all that read an argument want it, or in which a result is made: no transpose is left then.
#include <numeric>
#include <optional>

#include "base/fail.h"
#include "dialect/entry_layouts.h"
#include "dialect/tenon_ops.h"
#include "llvm/ADT/STLExtras.h"
#include "passes/cost.h"
#include "passes/pass.h"
#include "passes/splat.h"

namespace tenon::passes {
namespace {

using llvm::SmallVector;
using mlir::Operation;
using mlir::RankedTensorType;
using mlir::Value;
using Order = SmallVector<int64_t>;  // of axes, major to minor

Order identity(int64_t rank) {
  Order order(static_cast<size_t>(rank));
  std::iota(order.begin(), order.end(), 0);
  return order;
}
Order inverse(llvm::ArrayRef<int64_t> order) {
  Order result(order.size());
  for (auto [i, axis] : llvm::enumerate(order)) result[static_cast<size_t>(axis)] = static_cast<int64_t>(i);
  return result;
}

/// Elementwise with one operand that is no splat, of the result's shape.
Value only_array_of(Operation* op) {
  if (!is_elementwise(op) || op->getNumResults() != 1) return {};
  Value array;
  for (Value operand : op->getOperands()) {
    if (splat_of(operand)) continue;
    if (array || elements_of(operand) != elements_of(op->getResult(0))) return {};
    array = operand;
  }
  return array;
}

/// The order in which all that read `value` want its axes; none when they want none in particular, or different ones.
std::optional<Order> wanted_order(Value value) {
  std::optional<Order> order;
  for (Operation* user : value.getUsers()) {
    std::optional<Order> wanted;
    if (auto transpose = mlir::dyn_cast<stablehlo::TransposeOp>(user)) {
      wanted = Order(transpose.getPermutation());
    } else if (only_array_of(user) == value) {
      wanted = wanted_order(user->getResult(0));
    }
    if (!wanted || (order && *order != *wanted)) return std::nullopt;
    order = wanted;
  }
  return order;
}

/// The order in which `value` is made.
std::optional<Order> made_order(Value value) {
  while (Operation* op = value.getDefiningOp()) {
    if (auto transpose = mlir::dyn_cast<stablehlo::TransposeOp>(op)) return inverse(transpose.getPermutation());
    value = only_array_of(op);
    if (!value) break;
  }
  return std::nullopt;
}

/// `wish` for an array of `type`; none: row-major.
std::optional<Order> order_of(mlir::Attribute wish, RankedTensorType type, llvm::function_ref<std::optional<Order>()> best) {
  const auto mode = mlir::dyn_cast_if_present<mlir::StringAttr>(wish);
  if (!mode || !type) return std::nullopt;
  const Layout layout = parse_layout_mode(mode);
  std::optional<Order> order = layout.is_auto ? best() : Order(layout.major_to_minor.begin(), layout.major_to_minor.end());
  if (!order || order->empty()) return std::nullopt;
  Order sorted = *order;
  llvm::sort(sorted);
  if (sorted != identity(type.getRank()))
    fail<CompileError>("entry-layouts", "a layout names each axis once; got '", std::string_view(mode.getValue()), "' for ", type.getRank(), " axes");
  if (llvm::is_sorted(*order)) return std::nullopt;
  return order;
}

RankedTensorType in_memory(RankedTensorType type, llvm::ArrayRef<int64_t> order) {
  SmallVector<int64_t> shape;
  for (int64_t axis : order) shape.push_back(type.getDimSize(static_cast<unsigned>(axis)));
  return RankedTensorType::get(shape, type.getElementType());
}

mlir::Attribute layout_of(mlir::MLIRContext* context, llvm::ArrayRef<int64_t> order) {
  return ir::LayoutAttr::get(context, SmallVector<int64_t>(llvm::reverse(order)));
}

}  // namespace

void entry_layouts(mlir::ModuleOp module, PassContext& context) {
  mlir::func::FuncOp main = main_function(module);
  mlir::Block& body = main.getBody().front();
  mlir::OpBuilder builder = mlir::OpBuilder::atBlockBegin(&body);
  for (mlir::BlockArgument argument : body.getArguments()) {
    const unsigned i = argument.getArgNumber();
    mlir::Attribute wish = main.removeArgAttr(i, kLayoutMode);
    if (!context.options.entry_layouts) wish = {};
    const auto type = mlir::dyn_cast<RankedTensorType>(argument.getType());
    const std::optional<Order> order = order_of(wish, type, [&] { return wanted_order(argument); });
    if (!order) continue;
    argument.setType(in_memory(type, *order));
    auto transpose = stablehlo::TransposeOp::create(builder, argument.getLoc(), type, argument, inverse(*order));
    argument.replaceAllUsesExcept(transpose, transpose);
    main.setArgAttr(i, kEntryLayout, layout_of(module.getContext(), *order));
  }
  Operation* end = body.getTerminator();
  builder.setInsertionPoint(end);
  for (mlir::OpOperand& result : end->getOpOperands()) {
    const unsigned i = result.getOperandNumber();
    mlir::Attribute wish = main.removeResultAttr(i, mlir::StringAttr::get(module.getContext(), kLayoutMode));
    if (!context.options.entry_layouts) wish = {};
    const auto type = mlir::dyn_cast<RankedTensorType>(result.get().getType());
    const std::optional<Order> order = order_of(wish, type, [&] { return made_order(result.get()); });
    if (!order) continue;
    result.set(stablehlo::TransposeOp::create(builder, result.get().getLoc(), in_memory(type, *order), result.get(), *order));
    main.setResultAttr(i, kEntryLayout, layout_of(module.getContext(), *order));
  }
  main.setFunctionType(builder.getFunctionType(body.getArgumentTypes(), end->getOperandTypes()));
}

}  // namespace tenon::passes
