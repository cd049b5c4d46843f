// AVX and AVX2 have sixteen vector registers, and a kernel with a few functions has thirty constants.
// LLVM keeps a splat as one scalar and broadcasts it in each round, an instruction of its own: a
// fifth of a loop with exp and log. A whole vector in memory is an operand of the instruction
// itself. (AVX-512 broadcasts in the operand; SSE has whole vectors in memory anyway.)
//
// Small functions may keep them in registers over a loop. In large ones that is not worth the register
// allocator's time, which grows with the blocks that each value lives through: there the memory does
// not look constant.
#include "backends/cpu/constant_operands.h"

#include "backends/cpu/target.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace tenon::cpu {

namespace {

constexpr size_t kMaxBlocks = 40;  // a rare call makes two

/// Zeros and ones cost nothing; elements of other widths have their own patterns.
bool is_worth_memory(const llvm::Value* operand) {
  const auto* constant = llvm::dyn_cast<llvm::Constant>(operand);
  const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(operand->getType());
  if (!constant || !type || type->getScalarSizeInBits() < 32 || type->getPrimitiveSizeInBits() < 128) return false;
  const llvm::Constant* element = constant->getSplatValue();
  return element && !constant->isNullValue() && !constant->isAllOnesValue() &&
         (llvm::isa<llvm::ConstantFP>(element) || llvm::isa<llvm::ConstantInt>(element));
}

/// Instructions with a memory operand. Shifts take their constant as an immediate.
bool has_memory_operand(const llvm::Instruction& instruction) {
  switch (instruction.getOpcode()) {
    case llvm::Instruction::FAdd:
    case llvm::Instruction::FSub:
    case llvm::Instruction::FMul:
    case llvm::Instruction::FDiv:
    case llvm::Instruction::FCmp:
    case llvm::Instruction::Add:
    case llvm::Instruction::Sub:
    case llvm::Instruction::And:
    case llvm::Instruction::Or:
    case llvm::Instruction::Xor:
    case llvm::Instruction::Select:
      return true;
    default:
      break;
  }
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  return call && call->getIntrinsicID() == llvm::Intrinsic::fma;
}

/// Twice a number: LLVM adds it to itself, as long as it sees the 2.
bool is_doubling(const llvm::Instruction& instruction, const llvm::Value* operand) {
  const auto* two = llvm::dyn_cast_if_present<llvm::ConstantFP>(llvm::cast<llvm::Constant>(operand)->getSplatValue());
  return instruction.getOpcode() == llvm::Instruction::FMul && two && two->isExactlyValue(2.0);
}

class Pool {
 public:
  explicit Pool(llvm::Module& module) : module_(module) {}
  llvm::GlobalVariable* place(llvm::Constant* constant) {
    llvm::GlobalVariable*& variable = variables_[constant];
    if (!variable) {
      variable = new llvm::GlobalVariable(module_, constant->getType(), /*isConstant=*/false, llvm::GlobalValue::PrivateLinkage,
                                          constant, "splat");
      variable->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
      variable->setAlignment(llvm::Align(constant->getType()->getPrimitiveSizeInBits() / 8));
    }
    return variable;
  }

 private:
  llvm::Module& module_;
  llvm::DenseMap<llvm::Constant*, llvm::GlobalVariable*> variables_;
};

}  // namespace

void read_constants_from_memory(llvm::Module& module, const Target& target) {
  if (target.instruction_set != runtime::InstructionSet::avx2) return;
  Pool pool(module);
  llvm::MDNode* const none = llvm::MDNode::get(module.getContext(), {});
  for (llvm::Function& function : module) {
    const bool is_small = function.size() <= kMaxBlocks;
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      if (!has_memory_operand(instruction)) continue;
      for (llvm::Use& operand : instruction.operands()) {
        if (!is_worth_memory(operand) || is_doubling(instruction, operand)) continue;
        llvm::GlobalVariable* const place = pool.place(llvm::cast<llvm::Constant>(operand.get()));
        auto* load = new llvm::LoadInst(operand->getType(), place, "", /*isVolatile=*/false, *place->getAlign(), instruction.getIterator());
        if (is_small) load->setMetadata(llvm::LLVMContext::MD_invariant_load, none);
        operand.set(load);
      }
    }
  }
}

}  // namespace tenon::cpu
