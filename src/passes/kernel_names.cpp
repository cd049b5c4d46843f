#include "passes/kernel_names.h"

#include "dialect/tenon_ops.h"
#include "llvm/ADT/STLExtras.h"
#include "mlir/IR/IRMapping.h"

namespace tenon::passes {

std::string identifier(mlir::Operation* op) {
  std::string name = hlo_opcode(op).str();
  for (char& c : name) {
    if (c == '-' || c == '.') c = '_';
  }
  return name;
}

KernelMaker::KernelMaker(mlir::ModuleOp module) {
  module.walk([&](ir::FusionOp fusion) { ++taken_[fusion.getName().split('.').first]; });
}

std::string KernelMaker::unique(std::string name) {
  int count = taken_[name]++;
  return count == 0 ? name : name + "." + std::to_string(count);
}

mlir::Operation* KernelMaker::emit(mlir::OpBuilder& builder, llvm::ArrayRef<mlir::Operation*> roots,
                                   llvm::ArrayRef<mlir::Operation*> members, llvm::ArrayRef<mlir::Value> operands,
                                   mlir::Operation* first_fused) {
  mlir::Operation* root = roots.front();
  std::string name = "wrapped_" + identifier(root);
  if (members.size() > 1) name = (first_fused ? identifier(first_fused) + "_" : "") + identifier(root) + "_fusion";
  return emit(builder, std::move(name), roots, members, operands);
}

mlir::Operation* KernelMaker::emit(mlir::OpBuilder& builder, std::string name, llvm::ArrayRef<mlir::Operation*> roots,
                                   llvm::ArrayRef<mlir::Operation*> members, llvm::ArrayRef<mlir::Value> operands) {
  mlir::Location location = roots.front()->getLoc();
  auto reduces = [](mlir::Operation* op) { return mlir::isa<ReductionOpInterface>(op); };
  auto multiplies = [](mlir::Operation* op) { return mlir::isa<stablehlo::DotGeneralOp>(op); };
  ir::FusionKind kind = llvm::any_of(members, reduces) ? ir::FusionKind::Input : ir::FusionKind::Loop;
  if (llvm::any_of(members, multiplies)) kind = ir::FusionKind::Custom;

  llvm::SmallVector<mlir::Value> used;
  for (mlir::Operation* one : roots) {
    for (mlir::Value result : one->getResults()) {
      if (!result.use_empty()) used.push_back(result);
    }
  }
  auto fusion = ir::FusionOp::create(builder, location, mlir::TypeRange(mlir::ValueRange(used)), operands, kind,
                                     unique(std::move(name)));
  mlir::Block* body = builder.createBlock(&fusion.getBody());
  mlir::IRMapping mapping;
  for (mlir::Value operand : operands) mapping.map(operand, body->addArgument(operand.getType(), operand.getLoc()));
  for (mlir::Operation* op : members) {
    mlir::Operation* clone = builder.clone(*op, mapping);
    clone->removeDiscardableAttr("tenon.buffers");
  }
  llvm::SmallVector<mlir::Value> results;
  for (mlir::Value result : used) results.push_back(mapping.lookup(result));
  ir::YieldOp::create(builder, location, results);
  builder.setInsertionPointAfter(fusion);
  for (auto [result, replacement] : llvm::zip(used, fusion.getResults())) replacements_.emplace_back(result, replacement);
  return fusion;
}

void KernelMaker::replace_results() {
  for (auto [result, replacement] : replacements_) result.replaceAllUsesWith(replacement);
  replacements_.clear();
}

}  // namespace tenon::passes
