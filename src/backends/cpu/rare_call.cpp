// Lanes that hardly ever occur: a test, and behind it a call of a runtime function.
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

  llvm::Value* argument = shared_place(*function, type, "rare.argument");
  llvm::Value* result = shared_place(*function, type, "rare.result");
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
