#include "passes/fusion_boundaries.h"

#include "dialect/module.h"
#include "dialect/module_impl.h"
#include "dialect/tenon_ops.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "passes/blocks.h"
#include "passes/cost.h"
#include "passes/in_place.h"
#include "passes/source.h"

namespace tenon::passes {

using mlir::Operation;
using mlir::Value;

static constexpr llvm::StringLiteral kRefused = "tenon.refused";  // a rule for each operand, or ""

void refuse_operand(Operation* consumer, unsigned operand, const char* rule) {
  mlir::Builder builder(consumer->getContext());
  llvm::SmallVector<mlir::Attribute> rules(consumer->getNumOperands(), builder.getStringAttr(""));
  if (auto noted = consumer->getAttrOfType<mlir::ArrayAttr>(kRefused)) rules.assign(noted.begin(), noted.end());
  rules[operand] = builder.getStringAttr(*rule ? rule : "it is in memory for others, and reading it costs no more than making it again");
  consumer->setDiscardableAttr(kRefused, builder.getArrayAttr(rules));
}

namespace {

/// The operation inside of kernels that reads `operand`.
mlir::OpOperand& reader_of(mlir::OpOperand& operand) {
  mlir::OpOperand* use = &operand;
  while (true) {
    Value inside;
    if (auto fusion = mlir::dyn_cast<ir::FusionOp>(use->getOwner())) inside = fusion.getBody().front().getArgument(use->getOperandNumber());
    if (mlir::isa<stablehlo::ReshapeOp>(use->getOwner())) inside = use->getOwner()->getResult(0);
    if (!inside || inside.use_empty()) return *use;
    use = &*llvm::max_element(inside.getUses(), [](const mlir::OpOperand& a, const mlir::OpOperand& b) {
      return b.getOwner()->isBeforeInBlock(a.getOwner());  // the first one
    });
  }
}

std::string kernel_of(Operation* op) {
  auto fusion = mlir::dyn_cast<ir::FusionOp>(op);
  return fusion ? fusion.getName().str() : hlo_opcode(op).str();
}

/// By the innermost operation that notes one.
std::string rule_of(mlir::OpOperand& operand) {
  std::string rule;
  for (mlir::OpOperand* use = &operand;;) {
    if (auto noted = use->getOwner()->getAttrOfType<mlir::ArrayAttr>(kRefused)) {
      llvm::StringRef text = mlir::cast<mlir::StringAttr>(noted[use->getOperandNumber()]).strref();
      if (!text.empty()) rule = text.str();
    }
    auto fusion = mlir::dyn_cast<ir::FusionOp>(use->getOwner());
    Value inside = fusion ? Value(fusion.getBody().front().getArgument(use->getOperandNumber())) : Value();
    if (!inside || !inside.hasOneUse()) break;
    use = &*inside.use_begin();
  }
  if (!rule.empty()) return rule;
  Operation* reader = reader_of(operand).getOwner();
  if (mlir::isa<stablehlo::DotGeneralOp>(reader)) return "the GEMM reads its operands from memory";
  if (mlir::isa<ir::CopyOp>(reader)) return "each result has a buffer of its own";
  if (mlir::isa<ir::FusionOp>(operand.getOwner())) return "fusion is switched off, or its limit is reached (disable_passes, bisect_limit)";
  return "what reads it is no kernel, but a routine of the runtime";
}

}  // namespace

std::vector<FusionBoundary> fusion_boundaries(const Module& module) {
  std::vector<FusionBoundary> boundaries;
  llvm::DenseSet<Value> written;
  mlir::ModuleOp op = module_op(module);
  for_each_block(op, [&](mlir::Block& block) {
    for (Operation& consumer : block.without_terminator()) {
      if (mlir::isa<stablehlo::ReshapeOp>(consumer)) continue;
      for (mlir::OpOperand& operand : consumer.getOpOperands()) {
        Value root = buffer_root(operand.get());
        Operation* producer = root.getDefiningOp();
        if (!producer || producer->getBlock() != &block || producer->hasTrait<mlir::OpTrait::ConstantLike>()) continue;
        FusionBoundary boundary;
        Operation *maker = maker_of(root), *reader = reader_of(operand).getOwner();
        boundary.producer = hlo_opcode(maker).str();
        boundary.consumer = hlo_opcode(reader).str();
        boundary.producer_kernel = kernel_of(producer);
        boundary.consumer_kernel = kernel_of(&consumer);
        boundary.rule = rule_of(operand);
        boundary.bytes = (written.insert(root).second ? 2 : 1) * bytes_of(root);
        boundary.producer_source = source_of(maker);
        boundary.consumer_source = source_of(reader);
        boundaries.push_back(std::move(boundary));
      }
    }
  }, /*enter_element_loops=*/false);
  return boundaries;
}

}  // namespace tenon::passes
