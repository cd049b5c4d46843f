// How each scalar function of the dialects is emitted: the only list of operations in this backend.
#pragma once

#include "backends/cpu/graph.h"
#include "dialect/scalar_op.h"
#include "llvm/IR/IRBuilder.h"
#include "tenon/dtype.h"

namespace tenon::cpu {

struct ScalarOperands {
  llvm::IRBuilderBase& b;
  llvm::ArrayRef<llvm::Value*> x;  // scalars, or vectors of the same length
  DType operand_type;              // of operand 0 (select: of operand 1)
  DType result_type;
  ScalarFacts facts = {};
};

/// A row of the table.
struct ScalarCode {
  ScalarOp op;
  /// Appends instructions; null when the types are not supported.
  llvm::Value* (*emit)(const ScalarOperands&);
  int cost;  // instructions of one f32 vector, about
};

/// The row of `op`; null when there is none.
const ScalarCode* scalar_code(ScalarOp op);

/// How values of a type are held while computing: bool as i1, 16-bit floats as float. Complex
/// numbers are none here: a graph holds their parts. Null when the
/// backend does not know the type.
llvm::Type* value_type(llvm::LLVMContext& context, DType type);
/// How they are held in memory: bool as i8, 16-bit floats as i16.
llvm::Type* memory_type(llvm::LLVMContext& context, DType type);
/// A value that was computed in `value_type` rounded to what `type` can hold.
llvm::Value* round_to_type(llvm::IRBuilderBase& b, llvm::Value* value, DType type);
/// From memory form to value form, and back.
llvm::Value* from_memory(llvm::IRBuilderBase& b, llvm::Value* value, DType type);
llvm::Value* to_memory(llvm::IRBuilderBase& b, llvm::Value* value, DType type);

}  // namespace tenon::cpu
