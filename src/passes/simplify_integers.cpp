// Integers whose range is known: index arithmetic in 64 bits, of which 32 are kept, becomes arithmetic
// in 32. All of it holds modulo 2^n; a range is of the value as an unsigned number.
#include "dialect/stablehlo.h"
#include "passes/simplify.h"
#include "passes/splat.h"

namespace tenon::passes {
namespace {

using mlir::Operation;
using mlir::RewriterBase;
using mlir::Value;

/// Bits of an integer type that is not bool; 0 for other types.
unsigned integer_bits(Value value) {
  auto type = mlir::dyn_cast<mlir::IntegerType>(tensor_type(value).getElementType());
  return type && type.getWidth() > 1 ? type.getWidth() : 0;
}

bool is_unsigned(Value value) { return tensor_type(value).getElementType().isUnsignedInteger(); }

constexpr int kDepth = 8;  // of expressions that are looked through

/// The largest that an element can be as an unsigned number of 64 bits; all ones when nothing is known.
uint64_t largest(Value value, int depth = 0) {
  const unsigned bits = integer_bits(value);
  const uint64_t all = ~uint64_t{0} >> (64 - std::max(bits, 1u));
  if (bits == 0) return ~uint64_t{0};
  if (auto number = integer_splat(value)) return number->getZExtValue();
  Operation* op = value.getDefiningOp();
  if (!op || depth == kDepth) return all;
  if (auto iota = mlir::dyn_cast<stablehlo::IotaOp>(op)) {
    const auto size = static_cast<uint64_t>(tensor_type(value).getDimSize(iota.getIotaDimension()));
    return size == 0 ? 0 : std::min(all, size - 1);
  }
  if (mlir::isa<stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp, stablehlo::TransposeOp>(op)) return largest(op->getOperand(0), depth + 1);
  if (mlir::isa<stablehlo::ConvertOp>(op)) {
    const Value from = op->getOperand(0);
    if (integer_bits(from) == 0) return all;
    const uint64_t inside = largest(from, depth + 1);
    // A negative number stays negative in more bits.
    const bool is_positive = is_unsigned(from) || inside <= ~uint64_t{0} >> (65 - integer_bits(from));
    return is_positive && inside <= all ? inside : all;
  }
  uint64_t result = 0;
  if (mlir::isa<stablehlo::AddOp>(op))
    return __builtin_add_overflow(largest(op->getOperand(0), depth + 1), largest(op->getOperand(1), depth + 1), &result) ? all : std::min(all, result);
  if (mlir::isa<stablehlo::MultiplyOp>(op))
    return __builtin_mul_overflow(largest(op->getOperand(0), depth + 1), largest(op->getOperand(1), depth + 1), &result) ? all : std::min(all, result);
  return all;
}

bool shift_out(Operation* op, RewriterBase& rewriter) {
  if (!mlir::isa<stablehlo::ShiftRightLogicalOp>(op)) return false;
  auto count = integer_splat(op->getOperand(1));
  const unsigned bits = integer_bits(op->getOperand(0));
  if (!count || bits == 0 || count->uge(bits) || largest(op->getOperand(0)) >> count->getZExtValue() != 0) return false;
  rewriter.replaceOp(op, make_integer_splat(rewriter, op->getLoc(), tensor_type(op->getResult(0)), 0));
  return true;
}

bool convert_of_iota(Operation* op, RewriterBase& rewriter) {
  if (!mlir::isa<stablehlo::ConvertOp>(op)) return false;
  auto iota = op->getOperand(0).getDefiningOp<stablehlo::IotaOp>();
  const Value result = op->getResult(0);
  if (!iota || integer_bits(result) == 0 || integer_bits(iota.getResult()) == 0) return false;
  // Every index is a number of both types, with room for a sign.
  const unsigned bits = std::min(integer_bits(result), integer_bits(iota.getResult())) - 1;
  if (static_cast<uint64_t>(tensor_type(result).getDimSize(iota.getIotaDimension())) > uint64_t{1} << std::min(bits, 62u)) return false;
  rewriter.replaceOpWithNewOp<stablehlo::IotaOp>(op, result.getType(), iota.getIotaDimension());
  return true;
}

/// Arithmetic on iotas and splats, whose conversions vanish.
bool is_index(Value value, int depth = 0) {
  Operation* op = value.getDefiningOp();
  if (integer_splat(value) || (op && mlir::isa<stablehlo::IotaOp>(op))) return true;
  return op && depth < kDepth && mlir::isa<stablehlo::AddOp, stablehlo::MultiplyOp, stablehlo::SubtractOp>(op) && op->hasOneUse() &&
         is_index(op->getOperand(0), depth + 1) && is_index(op->getOperand(1), depth + 1);
}

/// The low bits of a sum are the sum of the low bits.
bool narrow_arithmetic(Operation* op, RewriterBase& rewriter) {
  if (!mlir::isa<stablehlo::ConvertOp>(op)) return false;
  Operation* wide = op->getOperand(0).getDefiningOp();
  if (!wide || !mlir::isa<stablehlo::AddOp, stablehlo::MultiplyOp, stablehlo::SubtractOp>(wide) || !is_index(op->getOperand(0))) return false;
  const Value result = op->getResult(0);
  if (integer_bits(result) == 0 || integer_bits(result) >= integer_bits(wide->getResult(0))) return false;
  llvm::SmallVector<Value> operands;
  for (Value operand : wide->getOperands())
    operands.push_back(stablehlo::ConvertOp::create(rewriter, op->getLoc(), tensor_type(operand).clone(tensor_type(result).getElementType()), operand));
  rewriter.replaceOp(op, rewriter.create(op->getLoc(), wide->getName().getIdentifier(), operands, {result.getType()}));
  return true;
}

}  // namespace

llvm::ArrayRef<Rule> integer_rules() {
  static const Rule rules[] = {
      {"shift_right_logical(x < 2^n, n)  ->  0", shift_out},
      {"convert(integer iota that fits)  ->  iota", convert_of_iota},
      {"convert(add(iota, c)) to fewer bits  ->  add(convert(iota), convert(c)); so multiply, subtract", narrow_arithmetic},
  };
  return rules;
}

}  // namespace tenon::passes
