// Lanes that hardly ever occur: a test, and behind it more operations or a call of a runtime function.
#include <string>

#include "backends/cpu/ir_number.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"

namespace tenon::cpu {

// A place on the stack that all calls in the function share: each one's address would be a register
// that lives through the whole loop, and a hundred of them keep the register allocator busy for seconds.
static llvm::AllocaInst* shared_place(llvm::Function& function, llvm::Type* type, const char* name) {
  llvm::BasicBlock& entry = function.getEntryBlock();
  for (llvm::Instruction& instruction : entry) {
    auto* place = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    if (!place) break;  // they come first
    if (place->getAllocatedType() == type && place->getName().starts_with(name)) return place;
  }
  return llvm::IRBuilder<>(&entry, entry.begin()).CreateAlloca(type, nullptr, name);
}

IfAny::IfAny(llvm::IRBuilderBase& b, llvm::Value* mask) : b_(b), before_(b.GetInsertBlock()) {
  llvm::Function* function = before_->getParent();
  auto* block = llvm::BasicBlock::Create(b.getContext(), "rare", function);
  after_ = llvm::BasicBlock::Create(b.getContext(), "usual", function);
  if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(mask->getType()))
    mask = b.CreateIsNotNull(b.CreateBitCast(mask, b.getIntNTy(vector->getNumElements())));
  b.CreateCondBr(mask, block, after_, llvm::MDBuilder(b.getContext()).createBranchWeights(1, 1 << 16));
  b.SetInsertPoint(block);
}

llvm::Value* IfAny::merge(llvm::Value* other, llvm::Value* usual) {
  llvm::BasicBlock* block = b_.GetInsertBlock();
  b_.CreateBr(after_);
  b_.SetInsertPoint(after_);
  llvm::PHINode* phi = b_.CreatePHI(usual->getType(), 2);
  phi->addIncoming(usual, before_);
  phi->addIncoming(other, block);
  return phi;
}

llvm::Value* emit_rare(llvm::IRBuilderBase& b, const char* name, llvm::Value* mask,
                       llvm::Value* fast, llvm::Value* x) {
  llvm::Function* function = b.GetInsertBlock()->getParent();
  llvm::Type* type = x->getType();
  llvm::Value* argument = shared_place(*function, type, "rare.argument");
  llvm::Value* result = shared_place(*function, type, "rare.result");
  IfAny branch(b, mask);
  b.CreateStore(x, argument);
  b.CreateStore(fast, result);
  const char* suffix = type->getScalarType()->isDoubleTy() ? "_f64" : "_f32";
  llvm::FunctionCallee callee = function->getParent()->getOrInsertFunction(
      "tenon_" + std::string(name) + suffix, b.getVoidTy(), b.getPtrTy(), b.getPtrTy(),
      b.getInt64Ty());
  llvm::Value* lanes = mask;
  if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(mask->getType()))
    lanes = b.CreateBitCast(mask, b.getIntNTy(vector->getNumElements()));
  llvm::CallInst* call =
      b.CreateCall(callee, {result, argument, b.CreateZExt(lanes, b.getInt64Ty())});
  call->setDoesNotThrow();
  return branch.merge(b.CreateLoad(type, result), fast);
}

}  // namespace tenon::cpu
