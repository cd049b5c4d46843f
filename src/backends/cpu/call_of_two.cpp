#include "backends/cpu/call_of_two.h"

#include <string>

#include "llvm/IR/Module.h"

namespace tenon::cpu {

// A place on the stack, made where the function begins.
static llvm::Value* place(llvm::Function& function, llvm::Type* type) {
  llvm::BasicBlock& entry = function.getEntryBlock();
  return llvm::IRBuilder<>(&entry, entry.begin()).CreateAlloca(type);
}

llvm::Value* emit_call_of_two(llvm::IRBuilderBase& b, const char* name, llvm::Value* x, llvm::Value* y) {
  llvm::Function* function = b.GetInsertBlock()->getParent();
  llvm::Type* type = x->getType();
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  llvm::Value *first = place(*function, type), *second = place(*function, type), *result = place(*function, type);
  b.CreateStore(x, first);
  b.CreateStore(y, second);
  const char* suffix = type->getScalarType()->isDoubleTy() ? "_f64" : "_f32";
  llvm::FunctionCallee callee = function->getParent()->getOrInsertFunction("tenon_" + std::string(name) + suffix, b.getVoidTy(), b.getPtrTy(), b.getPtrTy(),
                                                                           b.getPtrTy(), b.getInt64Ty());
  b.CreateCall(callee, {result, first, second, b.getInt64(vector ? vector->getNumElements() : 1)})->setDoesNotThrow();
  return b.CreateLoad(type, result);
}

}  // namespace tenon::cpu
