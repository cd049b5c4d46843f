// Lanes that hardly ever occur: a test, and behind it a call of a runtime function.
#include <string>

#include "backends/cpu/ir_number.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"

namespace tenon::cpu {

llvm::Value* emit_rare(llvm::IRBuilderBase& b, const char* name, llvm::Value* mask,
                       llvm::Value* fast, llvm::Value* x) {
  llvm::LLVMContext& context = b.getContext();
  llvm::Function* function = b.GetInsertBlock()->getParent();
  llvm::Type* type = x->getType();
  llvm::Value* lanes = mask;
  if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(mask->getType()))
    lanes = b.CreateBitCast(mask, b.getIntNTy(vector->getNumElements()));
  auto* slow = llvm::BasicBlock::Create(context, "rare", function);
  auto* merge = llvm::BasicBlock::Create(context, "usual", function);
  llvm::BasicBlock* before = b.GetInsertBlock();
  b.CreateCondBr(b.CreateIsNotNull(lanes), slow, merge,
                 llvm::MDBuilder(context).createBranchWeights(1, 1 << 16));

  llvm::BasicBlock& entry = function->getEntryBlock();
  llvm::IRBuilder<> first(&entry, entry.begin());
  llvm::Value* argument = first.CreateAlloca(type);
  llvm::Value* result = first.CreateAlloca(type);
  b.SetInsertPoint(slow);
  b.CreateStore(x, argument);
  b.CreateStore(fast, result);
  const char* suffix = type->getScalarType()->isDoubleTy() ? "_f64" : "_f32";
  llvm::FunctionCallee callee = function->getParent()->getOrInsertFunction(
      "tenon_" + std::string(name) + suffix, b.getVoidTy(), b.getPtrTy(), b.getPtrTy(),
      b.getInt64Ty());
  llvm::CallInst* call =
      b.CreateCall(callee, {result, argument, b.CreateZExt(lanes, b.getInt64Ty())});
  call->setDoesNotThrow();
  llvm::Value* from_slow = b.CreateLoad(type, result);
  b.CreateBr(merge);
  b.SetInsertPoint(merge);
  llvm::PHINode* phi = b.CreatePHI(type, 2);
  phi->addIncoming(fast, before);
  phi->addIncoming(from_slow, slow);
  return phi;
}

}  // namespace tenon::cpu
