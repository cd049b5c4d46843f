#include "evaluator/fold.h"

#include "dialect/interfaces.h"
#include "dialect/types.h"
#include "evaluator/prepare.h"
#include "evaluator/prepare_op.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "tenon/error.h"

namespace tenon::evaluator {

static mlir::DenseElementsAttr attribute_of(mlir::ShapedType type, DType dtype, const void* data, std::int64_t size_bytes) {
  if (dtype.is_bool()) return mlir::DenseElementsAttr::get(type, llvm::ArrayRef(static_cast<const bool*>(data), size_bytes));
  return mlir::DenseElementsAttr::getFromRawBuffer(type, {static_cast<const char*>(data), static_cast<std::size_t>(size_bytes)});
}

/// f(splats) is a splat of f(elements).
static mlir::DenseElementsAttr fold_splats(ElementwiseOpInterface op, llvm::ArrayRef<ConstantData> operands) {
  const auto type = llvm::cast<mlir::ShapedType>(op->getResult(0).getType());
  const Aval result{Shape{}, value_aval(op->getResult(0)).dtype};
  Avals avals = value_avals(op->getOperands());
  std::vector<const void*> data;
  for (std::size_t i = 0; i < avals.size(); ++i) {
    avals[i].shape = {};
    data.push_back(operands[i].data.get());
  }
  const KernelRef kernel = make_scalar_kernel(op, avals, result);
  Tensor element(result);
  void* out = element.mutable_data();
  kernel->run(data.data(), &out);
  return attribute_of(type, result.dtype, out, result.nbytes());
}

static void fold_all(mlir::Operation* op, llvm::ArrayRef<ConstantData> operands,
                     llvm::SmallVectorImpl<mlir::DenseElementsAttr>& results) {
  const ProgramRef program = prepare_operation(op);
  const Avals& avals = program->argument_avals();
  std::vector<Tensor> expanded;
  expanded.reserve(avals.size());
  std::vector<const void*> arguments;
  for (std::size_t i = 0; i < avals.size(); ++i) {
    arguments.push_back(operands[i].data.get());
    if (!operands[i].is_splat) continue;
    expanded.emplace_back(avals[i]);
    void* out = expanded.back().mutable_data();
    strided_kernel(avals[i].dtype.itemsize(), avals[i].shape, Dims(avals[i].shape.size(), 0), 0)
        ->run(&arguments.back(), &out);
    arguments.back() = out;
  }
  std::vector<Tensor> tensors;
  std::vector<void*> outputs;
  for (const Aval& aval : program->result_avals()) {
    tensors.emplace_back(aval);
    outputs.push_back(tensors.back().mutable_data());
  }
  program->run(arguments.data(), outputs.data());
  for (std::size_t i = 0; i < tensors.size(); ++i)
    results.push_back(attribute_of(llvm::cast<mlir::ShapedType>(op->getResult(static_cast<unsigned>(i)).getType()),
                                   tensors[i].dtype(), tensors[i].data(), tensors[i].nbytes()));
}

bool fold(mlir::Operation* op, llvm::ArrayRef<mlir::ElementsAttr> operands,
          llvm::SmallVectorImpl<mlir::DenseElementsAttr>& results) {
  llvm::SetVector<mlir::Value> captured;
  for (mlir::Region& region : op->getRegions()) mlir::getUsedValuesDefinedAbove(region, captured);
  if (operands.size() != op->getNumOperands() || !captured.empty() || !mlir::isPure(op)) return false;
  try {
    std::vector<ConstantData> data;
    bool all_splat = true;
    for (mlir::ElementsAttr operand : operands) {
      data.push_back(constant_data(operand));
      all_splat &= data.back().is_splat;
    }
    auto elementwise = llvm::dyn_cast<ElementwiseOpInterface>(op);
    if (elementwise && elementwise.isElementwise() && all_splat && !renames_bytes(op))
      results.push_back(fold_splats(elementwise, data));
    else
      fold_all(op, data, results);
    return true;
  } catch (const Error&) {
    results.clear();
    return false;
  }
}

}  // namespace tenon::evaluator
