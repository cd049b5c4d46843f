// Scalar identities. A rule is here only when both sides give the same bits for all values, infinities, signed
// zeros and NaN included (a NaN may lose its payload); the one exception has a pass of its own. What looks tempting
// and is absent: (x+y)-x, x*0, x-x, x/x, log(exp(x)) of floats.
#include "dialect/stablehlo.h"
#include "passes/simplify.h"
#include "passes/splat.h"

namespace tenon::passes {
namespace {

using mlir::Operation;
using mlir::RewriterBase;
using mlir::Value;

bool is_integer(Value value) { return mlir::isa<mlir::IntegerType>(tensor_type(value).getElementType()); }

/// Replaces the only result when the type agrees (a rank-0 operand may stand beside a bigger result).
bool replace(Operation* op, Value value, RewriterBase& rewriter) {
  if (op->getResult(0).getType() != value.getType()) return false;
  rewriter.replaceOp(op, value);
  return true;
}

bool replace_by_splat_of_integer(Operation* op, int64_t number, RewriterBase& rewriter) {
  rewriter.replaceOp(op, make_integer_splat(rewriter, op->getLoc(), tensor_type(op->getResult(0)), number));
  return true;
}

/// For a commutative operation: when one operand satisfies `test`, the other one.
template <class Op>
Value other_operand(Operation* op, bool (*test)(Value)) {
  if (!mlir::isa<Op>(op)) return nullptr;
  if (test(op->getOperand(1))) return op->getOperand(0);
  if (test(op->getOperand(0))) return op->getOperand(1);
  return nullptr;
}

template <class Op, bool (*test)(Value)>
bool drop_neutral(Operation* op, RewriterBase& rewriter) {
  Value other = other_operand<Op>(op, test);
  return other && replace(op, other, rewriter);
}

template <class Op, bool (*test)(Value)>
bool drop_neutral_right(Operation* op, RewriterBase& rewriter) {
  return mlir::isa<Op>(op) && test(op->getOperand(1)) && replace(op, op->getOperand(0), rewriter);
}

bool is_integer_zero(Value value) { return is_integer(value) && is_positive_zero(value); }

bool is_smallest(Value value) {
  if (auto number = float_splat(value)) return number->isInfinity() && number->isNegative();
  auto number = integer_splat(value);
  if (!number) return false;
  return tensor_type(value).getElementType().isUnsignedInteger() || number->getBitWidth() == 1
             ? number->isZero()
             : number->isMinSignedValue();
}

bool is_largest(Value value) {
  if (auto number = float_splat(value)) return number->isInfinity() && !number->isNegative();
  auto number = integer_splat(value);
  if (!number) return false;
  return tensor_type(value).getElementType().isUnsignedInteger() || number->getBitWidth() == 1
             ? number->isAllOnes()
             : number->isMaxSignedValue();
}

template <class Op>
bool absorb_zero(Operation* op, RewriterBase& rewriter) {
  Value other = other_operand<Op>(op, is_integer_zero);
  return other && replace_by_splat_of_integer(op, 0, rewriter);
}

bool absorb_ones(Operation* op, RewriterBase& rewriter) {
  Value other = other_operand<stablehlo::OrOp>(op, is_all_ones);
  return other && replace_by_splat_of_integer(op, -1, rewriter);
}

template <class... Ops>
bool same_operands(Operation* op, RewriterBase& rewriter) {
  return mlir::isa<Ops...>(op) && op->getOperand(0) == op->getOperand(1) && replace(op, op->getOperand(0), rewriter);
}

template <class... Ops>
bool cancel_integer(Operation* op, RewriterBase& rewriter) {
  return mlir::isa<Ops...>(op) && op->getOperand(0) == op->getOperand(1) && is_integer(op->getOperand(0)) &&
         replace_by_splat_of_integer(op, 0, rewriter);
}

template <class Op>
bool cancel_twice(Operation* op, RewriterBase& rewriter) {
  if (!mlir::isa<Op>(op)) return false;
  auto inner = op->getOperand(0).getDefiningOp<Op>();
  return inner && replace(op, inner->getOperand(0), rewriter);
}

bool abs_of_abs(Operation* op, RewriterBase& rewriter) {
  if (!mlir::isa<stablehlo::AbsOp>(op)) return false;
  Operation* inner = op->getOperand(0).getDefiningOp();
  return mlir::isa_and_present<stablehlo::AbsOp>(inner) && replace(op, op->getOperand(0), rewriter);
}

bool abs_of_negate(Operation* op, RewriterBase& rewriter) {
  if (!mlir::isa<stablehlo::AbsOp>(op) || is_integer(op->getOperand(0))) return false;
  auto inner = op->getOperand(0).getDefiningOp<stablehlo::NegateOp>();
  if (!inner) return false;
  rewriter.modifyOpInPlace(op, [&] { op->setOperand(0, inner.getOperand()); });
  return true;
}

bool select_of_known(Operation* op, RewriterBase& rewriter) {
  auto select = mlir::dyn_cast<stablehlo::SelectOp>(op);
  if (!select) return false;
  if (select.getOnTrue() == select.getOnFalse()) return replace(op, select.getOnTrue(), rewriter);
  auto known = integer_splat(select.getPred());
  return known && replace(op, known->isZero() ? select.getOnFalse() : select.getOnTrue(), rewriter);
}

bool select_of_not(Operation* op, RewriterBase& rewriter) {
  auto select = mlir::dyn_cast<stablehlo::SelectOp>(op);
  if (!select) return false;
  auto negation = select.getPred().getDefiningOp<stablehlo::NotOp>();
  if (!negation) return false;
  rewriter.replaceOpWithNewOp<stablehlo::SelectOp>(op, op->getResult(0).getType(), negation.getOperand(),
                                                   select.getOnFalse(), select.getOnTrue());
  return true;
}

bool convert_to_same(Operation* op, RewriterBase& rewriter) {
  return mlir::isa<stablehlo::ConvertOp>(op) && replace(op, op->getOperand(0), rewriter);
}

bool part_of_complex(Operation* op, RewriterBase& rewriter) {
  if (!mlir::isa<stablehlo::RealOp, stablehlo::ImagOp>(op)) return false;
  auto whole = op->getOperand(0).getDefiningOp<stablehlo::ComplexOp>();
  return whole && replace(op, mlir::isa<stablehlo::RealOp>(op) ? whole.getLhs() : whole.getRhs(), rewriter);
}

}  // namespace

llvm::ArrayRef<Rule> arithmetic_rules() {
  using namespace stablehlo;
  static const Rule rules[] = {
      {"multiply(x, 1)  ->  x", drop_neutral<MultiplyOp, is_one>},
      {"divide(x, 1)  ->  x", drop_neutral_right<DivideOp, is_one>},
      {"add(x, -0.0)  ->  x", drop_neutral<AddOp, is_negative_zero>},
      {"add(integer x, 0)  ->  x", drop_neutral<AddOp, is_integer_zero>},
      {"subtract(x, +0)  ->  x", drop_neutral_right<SubtractOp, is_positive_zero>},
      {"maximum(x, -inf)  ->  x", drop_neutral<MaximumOp, is_smallest>},
      {"minimum(x, +inf)  ->  x", drop_neutral<MinimumOp, is_largest>},
      {"maximum(x, x), minimum(x, x), and(x, x), or(x, x)  ->  x",
       same_operands<MaximumOp, MinimumOp, AndOp, OrOp>},
      {"and(x, all ones)  ->  x", drop_neutral<AndOp, is_all_ones>},
      {"or(x, 0)  ->  x", drop_neutral<OrOp, is_integer_zero>},
      {"xor(x, 0)  ->  x", drop_neutral<XorOp, is_integer_zero>},
      {"shift_left(x, 0)  ->  x", drop_neutral_right<ShiftLeftOp, is_integer_zero>},
      {"shift_right_arithmetic(x, 0)  ->  x", drop_neutral_right<ShiftRightArithmeticOp, is_integer_zero>},
      {"shift_right_logical(x, 0)  ->  x", drop_neutral_right<ShiftRightLogicalOp, is_integer_zero>},
      {"multiply(integer x, 0)  ->  0", absorb_zero<MultiplyOp>},
      {"and(x, 0)  ->  0", absorb_zero<AndOp>},
      {"or(x, all ones)  ->  all ones", absorb_ones},
      {"subtract(integer x, x), xor(x, x)  ->  0", cancel_integer<SubtractOp, XorOp>},
      {"negate(negate(x))  ->  x", cancel_twice<NegateOp>},
      {"not(not(x))  ->  x", cancel_twice<NotOp>},
      {"abs(abs(x))  ->  abs(x)", abs_of_abs},
      {"abs(negate(float x))  ->  abs(x)", abs_of_negate},
      {"select(true, a, b)  ->  a;  select(p, a, a)  ->  a", select_of_known},
      {"select(not(p), a, b)  ->  select(p, b, a)", select_of_not},
      {"convert(x to its own type)  ->  x", convert_to_same},
      {"real(complex(a, b))  ->  a;  imag(complex(a, b))  ->  b", part_of_complex},
  };
  return rules;
}

llvm::ArrayRef<Rule> zero_sum_rules() {
  static const Rule rules[] = {{"add(float x, +0.0)  ->  x", drop_neutral<stablehlo::AddOp, is_positive_zero>}};
  return rules;
}

}  // namespace tenon::passes
