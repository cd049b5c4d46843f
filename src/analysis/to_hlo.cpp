// Module in, HloModule out: operation by operation, callees first. Where HLO is stricter than StableHLO
// (broadcasts that expand axes of size 1, rank-0 operands of select, several results) instructions are added.
#include "analysis/hlo_builder.h"
#include "dialect/entry_layouts.h"
#include "dialect/launches.h"
#include "dialect/module.h"
#include "dialect/module_impl.h"
#include "dialect/tenon_ops.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/RegionUtils.h"

namespace tenon::analysis {

using mlir::Operation;
using mlir::Value;

static HloCost cost_of(Operation* op) {
  if (mlir::isa<mlir::func::CallOp>(op)) return HloCost::call;
  if (mlir::isa<ir::FusionOp>(op)) return HloCost::fusion;
  if (mlir::isa<ReductionOpInterface>(op)) return HloCost::reduce;
  if (mlir::isa<stablehlo::DotGeneralOp, stablehlo::DotOp>(op)) return HloCost::dot;
  if (mlir::isa<stablehlo::FftOp>(op)) return HloCost::fft;
  if (mlir::isa<stablehlo::SortOp>(op)) return HloCost::sort;
  if (mlir::isa<stablehlo::SliceOp, stablehlo::DynamicSliceOp>(op)) return HloCost::slice;
  if (mlir::isa<stablehlo::GatherOp>(op)) return HloCost::gather;
  if (mlir::isa<stablehlo::DynamicUpdateSliceOp>(op)) return HloCost::update;
  if (mlir::isa<stablehlo::ConstantOp>(op)) return HloCost::free;
  if (auto cost = mlir::dyn_cast<CostOpInterface>(op)) {
    if (cost.transcendentalsPerElement() > 0) return HloCost::transcendental;
    if (cost.flopsPerElement() > 0) return HloCost::elementwise;
  }
  return HloCost::move;
}

std::string HloBuilder::unique(const std::string& name, bool numbered) {
  int count = names_[name]++;
  if (numbered) return name + "." + std::to_string(count + 1);
  return count == 0 ? name : name + "." + std::to_string(count);
}

HloInstruction HloBuilder::start(Operation* op, const std::string& opcode) const {
  HloInstruction instruction;
  instruction.opcode = opcode;
  if (auto name = op->getLoc()->findInstanceOf<mlir::NameLoc>()) instruction.op_name = name.getName().str();
  if (auto place = op->getLoc()->findInstanceOf<mlir::FileLineColLoc>()) {
    instruction.source_file = place.getFilename().str();
    instruction.source_line = static_cast<int>(place.getLine());
  }
  return instruction;
}

int HloBuilder::add(Scope& scope, HloInstruction instruction) {
  if (instruction.name.empty()) instruction.name = unique(instruction.opcode, /*numbered=*/true);
  scope.computation.instructions.push_back(std::move(instruction));
  return static_cast<int>(scope.computation.instructions.size()) - 1;
}

int HloBuilder::add_tuple(Scope& scope, std::vector<int> operands) {
  HloInstruction tuple;
  tuple.opcode = "tuple";
  tuple.cost = HloCost::tuple;
  for (int operand : operands) tuple.shape.tuple.push_back(scope.computation.instructions[operand].shape);
  tuple.operands = std::move(operands);
  return add(scope, std::move(tuple));
}

/// A scalar in a shape.
int HloBuilder::add_broadcast(Scope& scope, Operation* op, int operand, const HloShape& shape) {
  HloInstruction broadcast = start(op, "broadcast");
  broadcast.shape = shape;
  broadcast.shape.element = scope.computation.instructions[operand].shape.element;
  broadcast.shape.element_bytes = scope.computation.instructions[operand].shape.element_bytes;
  broadcast.operands = {operand};
  broadcast.attributes = {"dimensions={}"};
  return add(scope, std::move(broadcast));
}

/// One result is the instruction's; several are the elements of its tuple.
void HloBuilder::add_results(Scope& scope, Operation* op, HloInstruction instruction) {
  if (op->getNumResults() == 1) {
    instruction.shape = hlo_shape(op->getResult(0).getType());
    scope.values[op->getResult(0)] = add(scope, std::move(instruction));
    return;
  }
  for (mlir::Type type : op->getResultTypes()) instruction.shape.tuple.push_back(hlo_shape(type));
  int tuple = add(scope, std::move(instruction));
  for (Value result : op->getResults()) {
    if (result.use_empty()) continue;
    HloInstruction element = start(op, "get-tuple-element");
    element.shape = hlo_shape(result.getType());
    element.operands = {tuple};
    element.attributes = {"index=" + std::to_string(mlir::cast<mlir::OpResult>(result).getResultNumber())};
    element.cost = HloCost::free;
    scope.values[result] = add(scope, std::move(element));
  }
}

/// Axes of size 1 that grow are dropped first, as HLO's broadcast keeps the sizes of the axes it is given.
static std::vector<int64_t> kept_axes(stablehlo::BroadcastInDimOp broadcast) {
  auto from = mlir::cast<mlir::RankedTensorType>(broadcast.getOperand().getType());
  auto to = mlir::cast<mlir::RankedTensorType>(broadcast.getType());
  std::vector<int64_t> axes;
  for (auto [axis, dim] : llvm::enumerate(broadcast.getBroadcastDimensions())) {
    if (from.getDimSize(axis) == to.getDimSize(dim)) axes.push_back(static_cast<int64_t>(axis));
  }
  return axes;
}

void HloBuilder::add_operation(Scope& scope, Operation* op) {
  if (op->hasTrait<mlir::OpTrait::IsTerminator>()) return;
  if (mlir::isa<stablehlo::WhileOp, stablehlo::CaseOp, stablehlo::IfOp>(op)) return add_control_flow(scope, op);
  std::string opcode = hlo_opcode(op).str();
  bool known = !llvm::StringRef(opcode).contains('.');
  HloInstruction instruction = start(op, known ? opcode : "custom-call");
  for (Value operand : op->getOperands()) instruction.operands.push_back(scope.values.lookup(operand));
  instruction.cost = cost_of(op);
  if (auto launch = launches_.find(op); launch != launches_.end()) instruction.launch = launch->second;
  instruction.attributes = hlo_attributes(op);
  if (!known) instruction.attributes = {"custom_call_target=\"" + opcode + "\""};

  if (auto call = mlir::dyn_cast<mlir::func::CallOp>(op)) {
    auto callee = mlir::SymbolTable::lookupNearestSymbolFrom<mlir::func::FuncOp>(op, call.getCalleeAttr());
    auto [function, is_new] = functions_.try_emplace(callee, -1);
    if (is_new) {
      int number = build(callee.getBody().front(), callee.getName().str(), "Arg_");
      functions_[callee] = number;
    }
    instruction.opcode = "call";
    instruction.attributes.clear();
    instruction.calls_keyword = "to_apply";
    instruction.computation = functions_[callee];
  } else if (auto fusion = mlir::dyn_cast<ir::FusionOp>(op)) {
    llvm::StringRef name = fusion.getName();
    bool wrapped = name.starts_with("wrapped_");
    instruction.opcode = "fusion";
    instruction.name = unique(name.str(), /*numbered=*/false);
    instruction.calls_keyword = "calls";
    instruction.computation =
        build(fusion.getBody().front(), wrapped ? (name + "_computation").str() : "fused_computation", "param_");
    llvm::StringRef kind = ir::stringifyFusionKind(fusion.getKind());
    instruction.attributes = {"kind=k" + llvm::StringRef(kind.take_front().upper()).str() + kind.drop_front().str()};
  } else if (auto constant = mlir::dyn_cast<stablehlo::ConstantOp>(op)) {
    instruction.literal = hlo_literal(constant.getValue());
  } else if (auto broadcast = mlir::dyn_cast<stablehlo::BroadcastInDimOp>(op)) {
    std::vector<int64_t> axes = kept_axes(broadcast), dims;
    HloShape operand = hlo_shape(broadcast.getOperand().getType());
    if (axes.size() != operand.dims.size()) {
      HloInstruction reshape = start(op, "reshape");
      reshape.operands = instruction.operands;
      std::vector<mlir::NamedAttribute> none;
      llvm::SmallVector<int64_t> sizes;
      for (int64_t axis : axes) sizes.push_back(operand.dims[axis]);
      reshape.shape = hlo_shape(mlir::RankedTensorType::get(
          sizes, mlir::cast<mlir::RankedTensorType>(broadcast.getOperand().getType()).getElementType()));
      instruction.operands = {add(scope, std::move(reshape))};
    }
    std::string text;
    for (int64_t axis : axes) text += (text.empty() ? "" : ",") + std::to_string(broadcast.getBroadcastDimensions()[axis]);
    instruction.attributes = {"dimensions={" + text + "}"};
  } else if (mlir::isa<stablehlo::ReshapeOp>(op) && optimized_) {
    instruction.opcode = "bitcast";
    instruction.cost = HloCost::free;
  } else if (auto dot = mlir::dyn_cast<stablehlo::DotGeneralOp>(op)) {
    instruction.contracted_elements = 1;
    for (int64_t axis : dot.getDotDimensionNumbers().getLhsContractingDimensions()) {
      instruction.contracted_elements *= mlir::cast<mlir::RankedTensorType>(dot.getLhs().getType()).getDimSize(axis);
    }
  } else if (auto fft = mlir::dyn_cast<stablehlo::FftOp>(op)) {
    instruction.log_lengths = 1;
    for (int64_t length : fft.getFftLength()) instruction.log_lengths *= length > 0 ? llvm::Log2_64(static_cast<uint64_t>(length)) : 0;
  } else if (auto barrier = mlir::dyn_cast<stablehlo::OptimizationBarrierOp>(op)) {
    if (op->getNumOperands() > 1) instruction.operands = {add_tuple(scope, instruction.operands)};
  } else if (op->getNumRegions() == 1 && known) {
    instruction.calls_keyword = "to_apply";
    instruction.computation = build(op->getRegion(0).front(), "region", "Arg_");
  } else if (auto elementwise = mlir::dyn_cast<ElementwiseOpInterface>(op)) {
    HloShape shape = hlo_shape(op->getResult(0).getType());
    for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
      if (elementwise.mayBeScalar(i) && hlo_shape(operand.getType()).dims.empty() && !shape.dims.empty()) {
        instruction.operands[i] = add_broadcast(scope, op, instruction.operands[i], shape);
      }
    }
  }
  add_results(scope, op, std::move(instruction));
}

int HloBuilder::add_element(Scope& scope, Operation* op, int tuple, int index) {
  HloInstruction element = start(op, "get-tuple-element");
  element.shape = scope.computation.instructions[tuple].shape.tuple[index];
  element.operands = {tuple};
  element.attributes = {"index=" + std::to_string(index)};
  element.cost = HloCost::free;
  return add(scope, std::move(element));
}

/// A region of a loop or a branch: HLO's computations see nothing from outside, so what the region captures comes
/// behind its arguments in the one tuple it takes; the body of a loop hands it on.
int HloBuilder::build_region(mlir::Block& block, mlir::ValueRange arguments, mlir::ValueRange captured, bool hands_on) {
  Scope scope;
  const int number = regions_++;
  scope.computation.name = unique("region_" + std::to_string(number) + "." + std::to_string(number + 1), /*numbered=*/false);
  HloInstruction parameter;
  parameter.opcode = "parameter";
  parameter.parameter_number = 0;
  parameter.name = unique("arg_tuple", /*numbered=*/true);
  for (mlir::ValueRange part : {arguments, captured})
    for (Value value : part) parameter.shape.tuple.push_back(hlo_shape(value.getType()));
  parameter.cost = HloCost::free;
  const int tuple = add(scope, std::move(parameter));
  int index = 0;
  for (mlir::ValueRange part : {arguments, captured})
    for (Value value : part) scope.values[value] = add_element(scope, block.getParentOp(), tuple, index++);
  for (mlir::Operation& op : block) add_operation(scope, &op);
  std::vector<int> results;
  for (Value value : block.getTerminator()->getOperands()) results.push_back(scope.values.lookup(value));
  const bool decides = !arguments.empty() && !hands_on;
  if (hands_on)
    for (Value value : captured) results.push_back(scope.values.lookup(value));
  if (!decides) add_tuple(scope, results);
  else make_root(scope, results[0]);
  module_.computations.push_back(std::move(scope.computation));
  return static_cast<int>(module_.computations.size()) - 1;
}

void HloBuilder::add_control_flow(Scope& scope, Operation* op) {
  llvm::SetVector<Value> captured;
  mlir::getUsedValuesDefinedAbove(op->getRegions(), captured);
  auto loop = mlir::dyn_cast<stablehlo::WhileOp>(op);
  HloInstruction instruction = start(op, loop ? "while" : "conditional");
  instruction.cost = HloCost::control;
  if (auto launch = launches_.find(op); launch != launches_.end()) instruction.launch = launch->second;
  std::vector<int> inputs;
  if (loop)
    for (Value operand : op->getOperands()) inputs.push_back(scope.values.lookup(operand));
  for (Value value : captured) inputs.push_back(scope.values.lookup(value));
  const int tuple = add_tuple(scope, inputs);
  if (!loop) instruction.operands.push_back(scope.values.lookup(op->getOperand(0)));
  instruction.branches.resize(op->getNumRegions());
  for (unsigned i = 0; i < op->getNumRegions(); ++i) {
    const unsigned k = loop ? 1 - i : i;  // the body of a loop first, as in XLA
    if (!loop || k == 0) instruction.operands.push_back(tuple);
    mlir::Block& block = op->getRegion(k).front();
    instruction.branches[k] = build_region(block, block.getArguments(), captured.getArrayRef(), loop && k == 1);
  }
  for (mlir::Type type : op->getResultTypes()) instruction.shape.tuple.push_back(hlo_shape(type));
  if (loop)
    for (Value value : captured) instruction.shape.tuple.push_back(hlo_shape(value.getType()));
  const int results = add(scope, std::move(instruction));
  for (Value result : op->getResults()) {
    if (!result.use_empty()) scope.values[result] = add_element(scope, op, results, static_cast<int>(mlir::cast<mlir::OpResult>(result).getResultNumber()));
  }
}

static std::string argument_name(mlir::BlockArgument argument, const std::string& prefix) {
  if (auto name = mlir::dyn_cast<mlir::NameLoc>(argument.getLoc())) {
    std::string text = name.getName().str();
    for (char& c : text) {
      if (!llvm::isAlnum(c) && c != '_' && c != '.') c = '_';
    }
    if (!text.empty() && !llvm::isDigit(text[0])) return text;
  }
  return prefix + std::to_string(argument.getArgNumber());
}

/// The root is the last instruction.
void HloBuilder::make_root(Scope& scope, int result) {
  auto& instructions = scope.computation.instructions;
  if (result == static_cast<int>(instructions.size()) - 1) return;
  HloInstruction root = instructions[result];
  bool used = llvm::any_of(instructions, [&](const HloInstruction& i) { return llvm::is_contained(i.operands, result); });
  if (used || root.parameter_number >= 0) {
    HloInstruction copy;
    copy.opcode = "bitcast";  // the same value once more
    copy.shape = root.shape;
    copy.operands = {result};
    copy.cost = HloCost::free;
    add(scope, std::move(copy));
  } else {
    instructions.erase(instructions.begin() + result);
    for (HloInstruction& instruction : instructions) {
      for (int& operand : instruction.operands) operand -= operand > result;
    }
    instructions.push_back(std::move(root));
  }
}

/// What is of type `memory` in memory, as the array that it is.
static HloShape in_layout(mlir::Type memory, ir::LayoutAttr layout) {
  return hlo_shape(type_in_layout(mlir::cast<mlir::RankedTensorType>(memory), layout.getMinorToMajor()));
}

/// The same bytes as another array.
int HloBuilder::add_bitcast(Scope& scope, int value, HloShape shape) {
  HloInstruction bitcast;
  bitcast.opcode = "bitcast";
  bitcast.name = unique("bitcast", /*numbered=*/true);
  bitcast.shape = std::move(shape);
  bitcast.operands = {value};
  bitcast.cost = HloCost::free;
  return add(scope, std::move(bitcast));
}

int HloBuilder::build(mlir::Block& block, const std::string& name, const std::string& parameter_prefix) {
  Scope scope;
  auto function = mlir::dyn_cast<mlir::func::FuncOp>(block.getParentOp());
  scope.computation.name = unique(name, /*numbered=*/false);
  for (mlir::BlockArgument argument : block.getArguments()) {
    HloInstruction parameter;
    parameter.opcode = "parameter";
    parameter.parameter_number = static_cast<int>(argument.getArgNumber());
    bool fused = parameter_prefix == "param_";
    parameter.name = unique(fused ? parameter_prefix + std::to_string(argument.getArgNumber()) : argument_name(argument, parameter_prefix),
                            /*numbered=*/!fused);
    parameter.shape = hlo_shape(argument.getType());
    parameter.cost = HloCost::free;
    if (const auto layout = function ? function.getArgAttrOfType<ir::LayoutAttr>(argument.getArgNumber(), kEntryLayout) : ir::LayoutAttr()) {
      parameter.shape = in_layout(argument.getType(), layout);
      scope.values[argument] = add_bitcast(scope, add(scope, std::move(parameter)), hlo_shape(argument.getType()));
    } else {
      scope.values[argument] = add(scope, std::move(parameter));
    }
  }
  for (mlir::Operation& op : block) add_operation(scope, &op);

  std::vector<int> results;
  for (auto [i, value] : llvm::enumerate(block.getTerminator()->getOperands())) {
    results.push_back(scope.values.lookup(value));
    if (const auto layout = function ? function.getResultAttrOfType<ir::LayoutAttr>(i, kEntryLayout) : ir::LayoutAttr())
      results.back() = add_bitcast(scope, results.back(), in_layout(value.getType(), layout));
  }
  results.size() == 1 ? make_root(scope, results[0]) : static_cast<void>(add_tuple(scope, results));
  module_.computations.push_back(std::move(scope.computation));
  return static_cast<int>(module_.computations.size()) - 1;
}

int HloBuilder::build_entry(mlir::Block& block, const std::string& name) { return build(block, name, "Arg_"); }

HloModule to_hlo(const Module& module) {
  mlir::ModuleOp op = module_op(module);
  HloModule hlo;
  hlo.name = op.getName() ? op.getName()->str() : "main";
  hlo.is_scheduled = op->hasAttr("tenon.temp_size_bytes");
  mlir::func::FuncOp main = op.lookupSymbol<mlir::func::FuncOp>("main");
  if (!main) {
    for (auto function : op.getOps<mlir::func::FuncOp>()) {
      if (function.isPublic() && !function.isDeclaration()) main = function;
    }
  }
  if (!main) return hlo;
  mlir::Block& body = main.getBody().front();
  const std::vector<Operation*> launched = hlo.is_scheduled ? launches(op) : std::vector<Operation*>();
  HloBuilder(hlo, hlo.is_scheduled, launched).build_entry(body, "main");

  for (auto [i, result] : llvm::enumerate(body.getTerminator()->getOperands())) {
    Operation* producer = result.getDefiningOp();
    auto buffers = producer ? producer->getAttrOfType<mlir::ArrayAttr>("tenon.buffers") : nullptr;
    if (!buffers) continue;
    auto buffer = mlir::dyn_cast<ir::BufferAttr>(buffers[mlir::cast<mlir::OpResult>(result).getResultNumber()]);
    if (buffer && buffer.getKind() == ir::BufferKind::Argument) {
      hlo.aliases.push_back({static_cast<int>(i), static_cast<int>(buffer.getIndex())});
    }
  }
  return hlo;
}

}  // namespace tenon::analysis
