#include "evaluator/prepare.h"

#include <algorithm>

#include "base/fail.h"
#include "dialect/check.h"
#include "dialect/host_calls.h"
#include "dialect/module_impl.h"
#include "dialect/stablehlo.h"
#include "dialect/tenon_ops.h"
#include "evaluator/prepare_op.h"
#include "evaluator/program_builder.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Transforms/RegionUtils.h"

namespace tenon::evaluator {
namespace {

using llvm::dyn_cast;
using llvm::isa;

/// The functions of a module, each prepared once.
class Functions {
 public:
  explicit Functions(mlir::ModuleOp module) : symbols_(module ? module.getOperation() : nullptr) {}

  ProgramRef prepare(llvm::StringRef name);

 private:
  mlir::SymbolTable symbols_;
  llvm::DenseMap<mlir::Operation*, ProgramRef> programs_;  // null while being prepared
  int depth_ = 0;
};

/// Turns blocks into steps of one program.
class Preparer {
 public:
  explicit Preparer(Functions* functions) : functions_(functions) {}

  void add_arguments(mlir::ValueRange values) {
    for (mlir::Value value : values) values_[value] = builder_.argument(value_aval(value));
  }
  void add_block(mlir::Block& block) {
    for (mlir::Operation& op : block.without_terminator()) add_operation(&op);
  }
  ProgramRef finish(mlir::ValueRange results) { return builder_.finish(names_of(results), value_avals(results)); }
  void add_operation(mlir::Operation* op);

 private:
  int name_of(mlir::Value value) const {
    const auto it = values_.find(value);
    TENON_CHECK(it != values_.end(), "a value that no operation before defines");
    return it->second;
  }
  std::vector<int> names_of(mlir::ValueRange values) const {
    std::vector<int> names;
    for (mlir::Value value : values) names.push_back(name_of(value));
    return names;
  }
  int constant(mlir::ElementsAttr attribute);
  void add_step(mlir::Operation* op, KernelRef kernel, const std::vector<int>& operands) {
    int name = builder_.step(std::move(kernel), operands, value_avals(op->getResults()));
    for (mlir::Value result : op->getResults()) values_[result] = name++;
  }
  void add_control(mlir::Operation* op);
  ProgramRef region_program(mlir::Region& region, mlir::ValueRange captured);
  /// The program of a region that captures nothing.
  ProgramRef closed_region(mlir::Region& region);

  Functions* functions_;
  ProgramBuilder builder_;
  llvm::DenseMap<mlir::Value, int> values_;
};

ProgramRef Functions::prepare(llvm::StringRef name) {
  auto function = symbols_.lookup<mlir::func::FuncOp>(name);
  if (!function || function.isExternal())
    fail<ValueError>("evaluator", "the module has no function @", name.str(), " with a body");
  const auto [it, is_new] = programs_.try_emplace(function, nullptr);
  if (!is_new) {
    if (!it->second) fail<UnimplementedError>("evaluator", "function @", name.str(), " calls itself");
    return it->second;
  }
  constexpr int max_depth = 1000;
  if (++depth_ > max_depth) fail<UnimplementedError>("evaluator", "calls are nested deeper than ", max_depth);
  if (!function.getBody().hasOneBlock())
    fail<UnimplementedError>("evaluator", "function @", name.str(), " has more than one block");
  mlir::Block& block = function.getBody().front();
  Preparer preparer(this);
  preparer.add_arguments(block.getArguments());
  preparer.add_block(block);
  ProgramRef program = preparer.finish(block.getTerminator()->getOperands());
  --depth_;
  return programs_[function] = std::move(program);
}

int Preparer::constant(mlir::ElementsAttr attribute) {
  ConstantData constant = constant_data(attribute);
  const Aval aval = aval_of(attribute.getType());
  if (!constant.is_splat) return builder_.constant(aval, std::move(constant.data));
  const int element = builder_.constant(Aval{Shape{}, aval.dtype}, std::move(constant.data));
  if (aval.ndim() == 0) return element;
  return builder_.step(strided_kernel(aval.dtype.itemsize(), aval.shape, Dims(aval.shape.size(), 0), 0), {element},
                       {aval});
}

ProgramRef Preparer::region_program(mlir::Region& region, mlir::ValueRange captured) {
  if (!region.hasOneBlock()) fail<UnimplementedError>("evaluator", "a region has more than one block");
  mlir::Block& block = region.front();
  Preparer inner(functions_);
  inner.add_arguments(block.getArguments());
  inner.add_arguments(captured);
  inner.add_block(block);
  return inner.finish(block.getTerminator()->getOperands());
}

ProgramRef Preparer::closed_region(mlir::Region& region) {
  llvm::SetVector<mlir::Value> captured;
  mlir::getUsedValuesDefinedAbove(region, captured);
  if (!captured.empty())
    fail<UnimplementedError>(region.getParentOp()->getName().getStringRef().str(),
                             "the evaluator takes no outer values in this operation's function");
  return region_program(region, {});
}

void Preparer::add_control(mlir::Operation* op) {
  llvm::SetVector<mlir::Value> captured;
  for (mlir::Region& region : op->getRegions()) mlir::getUsedValuesDefinedAbove(region, captured);
  std::vector<int> operands = names_of(op->getOperands());
  for (mlir::Value value : captured) operands.push_back(name_of(value));
  std::vector<ProgramRef> programs;
  for (mlir::Region& region : op->getRegions())
    programs.push_back(region_program(region, captured.getArrayRef()));
  if (isa<stablehlo::WhileOp>(op))
    add_step(op, while_kernel(programs[0], programs[1], static_cast<int>(op->getNumOperands())), operands);
  else
    add_step(op, case_kernel(std::move(programs), isa<stablehlo::IfOp>(op)), operands);
}

/// `custom_call @check.expect_eq` and its like, as StableHLO's test data has them.
static KernelRef check_call_kernel(stablehlo::CustomCallOp op) {
  const Aval aval = value_aval(op->getOperand(0));
  const llvm::StringRef name = op.getCallTargetName();
  if (name == "check.expect_eq") return check_kernel(Check::equal, aval, 0, 0, 0);
  if (name == "check.expect_almost_eq") return check_kernel(Check::almost_equal, aval, 1e-3, 0, 0);
  if (name == "check.expect_close") return check_kernel(Check::close, aval, 0, 0, 3);
  fail<UnimplementedError>(name.str(), "the evaluator has no such check");
}

void Preparer::add_operation(mlir::Operation* op) {
  if (mlir::ElementsAttr value; op->hasTrait<mlir::OpTrait::ConstantLike>() && op->getNumOperands() == 0 &&
                                (value = op->getAttrOfType<mlir::ElementsAttr>("value"))) {
    values_[op->getResult(0)] = constant(value);
  } else if (renames_bytes(op)) {
    for (auto [operand, result] : llvm::zip_equal(op->getOperands(), op->getResults()))
      values_[result] = name_of(operand);  // kernels know shapes from their own operation
  } else if (auto fusion = dyn_cast<ir::FusionOp>(op)) {
    mlir::Block& block = fusion.getBody().front();
    for (auto [argument, operand] : llvm::zip_equal(block.getArguments(), fusion.getInputs()))
      values_[argument] = name_of(operand);
    add_block(block);
    for (auto [result, yielded] : llvm::zip_equal(op->getResults(), block.getTerminator()->getOperands()))
      values_[result] = name_of(yielded);
  } else if (auto call = dyn_cast<mlir::func::CallOp>(op)) {
    if (!functions_) fail<UnimplementedError>("evaluator", "a call outside of a module");
    add_step(op, call_kernel(functions_->prepare(call.getCallee())), names_of(op->getOperands()));
  } else if (auto composite = dyn_cast<stablehlo::CompositeOp>(op)) {
    if (!functions_) fail<UnimplementedError>("evaluator", "a composite outside of a module");
    add_step(op, call_kernel(functions_->prepare(composite.getDecomposition())), names_of(op->getOperands()));
  } else if (isa<stablehlo::WhileOp, stablehlo::CaseOp, stablehlo::IfOp>(op)) {
    add_control(op);
  } else if (isa<stablehlo::AfterAllOp, stablehlo::CreateTokenOp>(op)) {
    values_[op->getResult(0)] = builder_.constant(value_aval(op->getResult(0)), allocate(1));
  } else if (auto expect = dyn_cast<check::ExpectEqConstOp>(op)) {
    add_step(op, check_kernel(Check::equal, value_aval(expect.getLhs()), 0, 0, 0),
             {name_of(expect.getLhs()), constant(expect.getValue())});
  } else if (auto expect = dyn_cast<check::ExpectAlmostEqConstOp>(op)) {
    const double tolerance = expect.getTolerance() ? expect.getTolerance()->convertToDouble() : 1e-4;
    add_step(op, check_kernel(Check::almost_equal, value_aval(expect.getLhs()), tolerance, 0, 0),
             {name_of(expect.getLhs()), constant(expect.getValue())});
  } else if (auto host = dyn_cast<stablehlo::CustomCallOp>(op); host && is_host_call(host)) {
    add_step(op, host_call_kernel(host_callee_of(host)), names_of(op->getOperands()));
  } else if (auto custom = dyn_cast<stablehlo::CustomCallOp>(op); custom && custom.getCallTargetName().starts_with("check.")) {
    add_step(op, check_call_kernel(custom), names_of(op->getOperands()));
  } else {
    KernelRef kernel = make_kernel(op, [this](mlir::Region& region) { return closed_region(region); });
    add_step(op, std::move(kernel), names_of(op->getOperands()));
  }
}

}  // namespace

ProgramRef prepare(const Module& module, std::string_view function) {
  return Functions(module_op(module)).prepare(function);
}

ProgramRef prepare_operation(mlir::Operation* op) {
  llvm::SetVector<mlir::Value> captured;
  for (mlir::Region& region : op->getRegions()) mlir::getUsedValuesDefinedAbove(region, captured);
  Preparer preparer(nullptr);
  preparer.add_arguments(op->getOperands());
  preparer.add_arguments(captured.getArrayRef());
  preparer.add_operation(op);
  return preparer.finish(op->getResults());
}

}  // namespace tenon::evaluator
