#include "backends/cpu/scalar_table.h"

#include <array>

#include "backends/cpu/ir_number.h"
#include "math/functions.h"

namespace tenon::cpu {

using llvm::Value;
using llvm::Intrinsic::ID;

// ---- types

llvm::Type* value_type(llvm::LLVMContext& context, DType type) {
  switch (type.code()) {
    case DType::kBool:
      return llvm::Type::getInt1Ty(context);
    case DType::kFloat32:
    case DType::kBFloat16:
      return llvm::Type::getFloatTy(context);
    case DType::kFloat64:
      return llvm::Type::getDoubleTy(context);
    case DType::kInt8:
    case DType::kUInt8:
    case DType::kInt16:
    case DType::kUInt16:
    case DType::kInt32:
    case DType::kUInt32:
    case DType::kInt64:
    case DType::kUInt64:
      return llvm::Type::getIntNTy(context, 8 * type.itemsize());
    default:
      return nullptr;
  }
}

llvm::Type* memory_type(llvm::LLVMContext& context, DType type) {
  if (type.is_bool()) return llvm::Type::getInt8Ty(context);
  if (type.code() == DType::kBFloat16) return llvm::Type::getInt16Ty(context);
  return value_type(context, type);
}

// bfloat16 is the upper half of a float; round to nearest even, NaN stays NaN (quiet).
static Value* bfloat_bits(llvm::IRBuilderBase& b, Value* x) {
  llvm::Type* i32 = like_type(x->getType(), b.getInt32Ty());
  const auto constant = [&](uint64_t v) { return llvm::ConstantInt::get(i32, v); };
  Value* bits = b.CreateBitCast(x, i32);
  Value* odd = b.CreateAnd(b.CreateLShr(bits, 16), constant(1));
  Value* rounded = b.CreateAdd(bits, b.CreateAdd(odd, constant(0x7fff)));
  Value* quiet = b.CreateOr(bits, constant(0x400000));
  return b.CreateAnd(b.CreateSelect(b.CreateFCmpUNO(x, x), quiet, rounded), constant(0xffff0000));
}

Value* round_to_type(llvm::IRBuilderBase& b, Value* value, DType type) {
  if (type.code() == DType::kBFloat16)
    return b.CreateBitCast(bfloat_bits(b, value), value->getType());
  return value;
}

Value* from_memory(llvm::IRBuilderBase& b, Value* value, DType type) {
  if (type.is_bool()) return b.CreateICmpNE(value, llvm::Constant::getNullValue(value->getType()));
  if (type.code() == DType::kBFloat16) {
    Value* wide = b.CreateZExt(value, like_type(value->getType(), b.getInt32Ty()));
    return b.CreateBitCast(b.CreateShl(wide, 16), like_type(value->getType(), b.getFloatTy()));
  }
  return value;
}

Value* to_memory(llvm::IRBuilderBase& b, Value* value, DType type) {
  if (type.is_bool()) return b.CreateZExt(value, like_type(value->getType(), b.getInt8Ty()));
  if (type.code() == DType::kBFloat16) {
    Value* bits = b.CreateBitCast(value, like_type(value->getType(), b.getInt32Ty()));
    return b.CreateTrunc(b.CreateLShr(bits, 16), like_type(value->getType(), b.getInt16Ty()));
  }
  return value;
}

// ---- helpers

static bool is_float(const ScalarOperands& o) { return o.operand_type.is_floating(); }
static bool is_signed(const ScalarOperands& o) { return o.operand_type.is_signed(); }
static llvm::Constant* integer(Value* like, int64_t value) {
  return llvm::ConstantInt::get(like->getType(), static_cast<uint64_t>(value), true);
}

/// Runs `f` with x[0], x[1], ... as numbers of src/math.
template <class Function>
static Value* with_numbers(const ScalarOperands& o, Function f) {
  if (!is_float(o)) return nullptr;
  if (o.x[0]->getType()->getScalarType()->isDoubleTy())
    return f([&](int i) { return IrFloat<double>{&o.b, o.x[i]}; }).value;
  return f([&](int i) { return IrFloat<float>{&o.b, o.x[i]}; }).value;
}

#define TENON_MATH_FUNCTION(name) \
  +[](const ScalarOperands& o) { return with_numbers(o, [](auto x) { return math::name(x(0)); }); }

static Value* add(const ScalarOperands& o) {
  if (o.operand_type.is_bool()) return o.b.CreateOr(o.x[0], o.x[1]);
  return is_float(o) ? o.b.CreateFAdd(o.x[0], o.x[1]) : o.b.CreateAdd(o.x[0], o.x[1]);
}
static Value* subtract(const ScalarOperands& o) {
  return is_float(o) ? o.b.CreateFSub(o.x[0], o.x[1]) : o.b.CreateSub(o.x[0], o.x[1]);
}
static Value* multiply(const ScalarOperands& o) {
  if (o.operand_type.is_bool()) return o.b.CreateAnd(o.x[0], o.x[1]);
  return is_float(o) ? o.b.CreateFMul(o.x[0], o.x[1]) : o.b.CreateMul(o.x[0], o.x[1]);
}
// Integers: x / 0 = -1 and x % 0 = x; lowest / -1 = lowest and lowest % -1 = 0, as XLA. The divisor
// is replaced where the machine would trap; -1 is a negation.
static Value* divide_integers(const ScalarOperands& o, bool remainder) {
  auto& b = o.b;
  Value *x = o.x[0], *y = o.x[1];
  Value* zero = b.CreateICmpEQ(y, integer(y, 0));
  if (!is_signed(o)) {
    Value* safe = b.CreateSelect(zero, integer(y, 1), y);
    if (remainder) return b.CreateSelect(zero, x, b.CreateURem(x, safe));
    return b.CreateSelect(zero, integer(y, -1), b.CreateUDiv(x, safe));
  }
  Value* minus = b.CreateICmpEQ(y, integer(y, -1));
  Value* safe = b.CreateSelect(b.CreateOr(zero, minus), integer(y, 1), y);
  if (remainder) return b.CreateSelect(zero, x, b.CreateSRem(x, safe));
  Value* quotient = b.CreateSelect(minus, b.CreateNeg(x), b.CreateSDiv(x, safe));
  return b.CreateSelect(zero, integer(y, -1), quotient);
}
static Value* divide(const ScalarOperands& o) {
  return is_float(o) ? o.b.CreateFDiv(o.x[0], o.x[1]) : divide_integers(o, false);
}
static Value* remainder(const ScalarOperands& o) {
  return is_float(o) ? o.b.CreateFRem(o.x[0], o.x[1]) : divide_integers(o, true);
}
static Value* maximum(const ScalarOperands& o) {
  if (o.operand_type.is_bool()) return o.b.CreateOr(o.x[0], o.x[1]);
  if (is_float(o)) return with_numbers(o, [](auto x) { return maximum(x(0), x(1)); });
  return binary_intrinsic(o.b, is_signed(o) ? llvm::Intrinsic::smax : llvm::Intrinsic::umax, o.x[0],
                          o.x[1]);
}
static Value* minimum(const ScalarOperands& o) {
  if (o.operand_type.is_bool()) return o.b.CreateAnd(o.x[0], o.x[1]);
  if (is_float(o)) return with_numbers(o, [](auto x) { return minimum(x(0), x(1)); });
  return binary_intrinsic(o.b, is_signed(o) ? llvm::Intrinsic::smin : llvm::Intrinsic::umin, o.x[0],
                          o.x[1]);
}
// clamp(low, x, high) = minimum(maximum(low, x), high)
static Value* clamp(const ScalarOperands& o) {
  Value* raised = maximum({o.b, {o.x[0], o.x[1]}, o.operand_type, o.result_type});
  return minimum({o.b, {raised, o.x[2]}, o.operand_type, o.result_type});
}
static Value* negate(const ScalarOperands& o) {
  return is_float(o) ? o.b.CreateFNeg(o.x[0]) : o.b.CreateNeg(o.x[0]);
}
static Value* absolute(const ScalarOperands& o) {
  if (is_float(o)) return with_numbers(o, [](auto x) { return math::abs(x(0)); });
  if (!is_signed(o)) return o.x[0];
  return o.b.CreateIntrinsic(llvm::Intrinsic::abs, {o.x[0]->getType()}, {o.x[0], o.b.getFalse()});
}
static Value* sign(const ScalarOperands& o) {
  if (is_float(o)) return with_numbers(o, [](auto x) { return math::sign(x(0)); });
  auto& b = o.b;
  Value* zero = integer(o.x[0], 0);
  Value* positive = b.CreateZExt(b.CreateICmpSGT(o.x[0], zero), o.x[0]->getType());
  return b.CreateOr(positive, b.CreateAShr(o.x[0], o.x[0]->getType()->getScalarSizeInBits() - 1));
}
static Value* logical_and(const ScalarOperands& o) { return o.b.CreateAnd(o.x[0], o.x[1]); }
static Value* logical_or(const ScalarOperands& o) { return o.b.CreateOr(o.x[0], o.x[1]); }
static Value* logical_xor(const ScalarOperands& o) { return o.b.CreateXor(o.x[0], o.x[1]); }
static Value* logical_not(const ScalarOperands& o) { return o.b.CreateNot(o.x[0]); }

// Shifts by the width or more give 0, or the sign.
template <int kind>
static Value* shift(const ScalarOperands& o) {
  auto& b = o.b;
  const int width = o.x[0]->getType()->getScalarSizeInBits();
  Value* in_range = b.CreateICmpULT(o.x[1], integer(o.x[1], width));
  Value* amount = b.CreateSelect(in_range, o.x[1], integer(o.x[1], kind == 2 ? width - 1 : 0));
  if (kind == 2) return b.CreateAShr(o.x[0], amount);
  Value* shifted = kind == 0 ? b.CreateShl(o.x[0], amount) : b.CreateLShr(o.x[0], amount);
  return b.CreateSelect(in_range, shifted, integer(shifted, 0));
}
static Value* count_leading_zeros(const ScalarOperands& o) {
  return o.b.CreateIntrinsic(llvm::Intrinsic::ctlz, {o.x[0]->getType()}, {o.x[0], o.b.getFalse()});
}
static Value* count_ones(const ScalarOperands& o) {
  return unary_intrinsic(o.b, llvm::Intrinsic::ctpop, o.x[0]);
}

static Value* compare(const ScalarOperands& o) {
  using P = llvm::CmpInst::Predicate;
  static constexpr P kFloat[] = {P::FCMP_OEQ, P::FCMP_UNE, P::FCMP_OGE,
                                 P::FCMP_OGT, P::FCMP_OLE, P::FCMP_OLT};
  static constexpr P kSigned[] = {P::ICMP_EQ,  P::ICMP_NE,  P::ICMP_SGE,
                                  P::ICMP_SGT, P::ICMP_SLE, P::ICMP_SLT};
  static constexpr P kUnsigned[] = {P::ICMP_EQ,  P::ICMP_NE,  P::ICMP_UGE,
                                    P::ICMP_UGT, P::ICMP_ULE, P::ICMP_ULT};
  if (is_float(o)) return o.b.CreateFCmp(kFloat[o.comparison], o.x[0], o.x[1]);
  return o.b.CreateICmp((is_signed(o) ? kSigned : kUnsigned)[o.comparison], o.x[0], o.x[1]);
}
static Value* select(const ScalarOperands& o) { return o.b.CreateSelect(o.x[0], o.x[1], o.x[2]); }

// Floats to integers saturate, NaN gives 0; integers wrap; anything to bool: != 0.
static Value* convert(const ScalarOperands& o) {
  auto& b = o.b;
  Value* x = o.x[0];
  llvm::Type* scalar = value_type(b.getContext(), o.result_type);
  if (!scalar) return nullptr;
  llvm::Type* to = like_type(x->getType(), scalar);
  const DType from = o.operand_type, into = o.result_type;
  if (into.is_bool()) {
    llvm::Constant* zero = llvm::Constant::getNullValue(x->getType());
    return from.is_floating() ? b.CreateFCmpUNE(x, zero) : b.CreateICmpNE(x, zero);
  }
  if (into.is_floating()) {
    if (from.is_floating()) return b.CreateFPCast(x, to);
    return from.is_signed() ? b.CreateSIToFP(x, to) : b.CreateUIToFP(x, to);
  }
  if (from.is_floating())
    return b.CreateIntrinsic(
        into.is_signed() ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat,
        {to, x->getType()}, {x});
  return from.is_signed() ? b.CreateSExtOrTrunc(x, to) : b.CreateZExtOrTrunc(x, to);
}

template <ID id>
static Value* float_intrinsic(const ScalarOperands& o) {
  return is_float(o) ? unary_intrinsic(o.b, id, o.x[0]) : nullptr;
}
static Value* is_finite(const ScalarOperands& o) {
  auto& b = o.b;
  Value* magnitude = unary_intrinsic(b, llvm::Intrinsic::fabs, o.x[0]);
  return b.CreateFCmpOLT(magnitude, llvm::ConstantFP::getInfinity(o.x[0]->getType()));
}

static Value* bitcast(const ScalarOperands& o) {
  Value* stored = to_memory(o.b, o.x[0], o.operand_type);
  llvm::Type* type = memory_type(o.b.getContext(), o.result_type);
  if (!type) return nullptr;
  return from_memory(o.b, o.b.CreateBitCast(stored, like_type(stored->getType(), type)),
                     o.result_type);
}

// base^exponent by squaring, all bits of the exponent; of a negative one 1 and -1 only have a
// value.
static Value* integer_power(const ScalarOperands& o) {
  auto& b = o.b;
  Value *base = o.x[0], *exponent = o.x[1];
  const int width = base->getType()->getScalarSizeInBits();
  Value* result = integer(base, 1);
  Value* square = base;
  for (int bit = 0; bit < width; ++bit) {
    Value* is_set =
        b.CreateICmpNE(b.CreateAnd(exponent, integer(base, int64_t{1} << bit)), integer(base, 0));
    result = b.CreateSelect(is_set, b.CreateMul(result, square), result);
    square = b.CreateMul(square, square);
  }
  if (!is_signed(o)) return result;
  Value* is_odd = b.CreateICmpNE(b.CreateAnd(exponent, integer(base, 1)), integer(base, 0));
  Value* of_minus_one = b.CreateSelect(is_odd, base, integer(base, 1));
  Value* negative = b.CreateSelect(b.CreateICmpEQ(base, integer(base, 1)), base, integer(base, 0));
  negative = b.CreateSelect(b.CreateICmpEQ(base, integer(base, -1)), of_minus_one, negative);
  return b.CreateSelect(b.CreateICmpSLT(exponent, integer(base, 0)), negative, result);
}
static Value* power(const ScalarOperands& o) {
  if (!is_float(o)) return integer_power(o);
  return with_numbers(o, [](auto x) { return math::pow(x(0), x(1)); });
}
static Value* arctangent2(const ScalarOperands& o) {
  return with_numbers(o, [](auto x) { return math::atan2(x(0), x(1)); });
}
static Value* square(const ScalarOperands& o) {
  return multiply({o.b, {o.x[0], o.x[0]}, o.operand_type, o.result_type});
}

// sign 0: |x| = inf; else x = sign * inf
template <int sign>
static Value* is_infinity(const ScalarOperands& o) {
  Value* x = sign == 0 ? unary_intrinsic(o.b, llvm::Intrinsic::fabs, o.x[0]) : o.x[0];
  return o.b.CreateFCmpOEQ(x, llvm::ConstantFP::getInfinity(x->getType(), sign < 0));
}

static constexpr ScalarCode kTable[] = {
    {ScalarOp::kAbs, absolute, 1},
    {ScalarOp::kAcos, TENON_MATH_FUNCTION(acos), 60},
    {ScalarOp::kAcosh, TENON_MATH_FUNCTION(acosh), 60},
    {ScalarOp::kAdd, add, 1},
    {ScalarOp::kAnd, logical_and, 1},
    {ScalarOp::kAsin, TENON_MATH_FUNCTION(asin), 60},
    {ScalarOp::kAsinh, TENON_MATH_FUNCTION(asinh), 60},
    {ScalarOp::kAtan, TENON_MATH_FUNCTION(atan), 50},
    {ScalarOp::kAtan2, arctangent2, 60},
    {ScalarOp::kAtanh, TENON_MATH_FUNCTION(atanh), 60},
    {ScalarOp::kBitcastConvert, bitcast, 1},
    {ScalarOp::kCbrt, TENON_MATH_FUNCTION(cbrt), 40},
    {ScalarOp::kCeil, float_intrinsic<llvm::Intrinsic::ceil>, 1},
    {ScalarOp::kClamp, clamp, 4},
    {ScalarOp::kCompare, compare, 1},
    {ScalarOp::kConvert, convert, 2},
    {ScalarOp::kCosh, TENON_MATH_FUNCTION(cosh), 30},
    {ScalarOp::kCosine, TENON_MATH_FUNCTION(cos), 24},
    {ScalarOp::kCountLeadingZeros, count_leading_zeros, 8},
    {ScalarOp::kDivide, divide, 5},
    {ScalarOp::kErf, TENON_MATH_FUNCTION(erf), 50},
    {ScalarOp::kErfInv, TENON_MATH_FUNCTION(erf_inv), 60},
    {ScalarOp::kErfc, TENON_MATH_FUNCTION(erfc), 50},
    {ScalarOp::kExponential, TENON_MATH_FUNCTION(exp), 22},
    {ScalarOp::kExponentialMinusOne, TENON_MATH_FUNCTION(expm1), 25},
    {ScalarOp::kFloor, float_intrinsic<llvm::Intrinsic::floor>, 1},
    {ScalarOp::kIsFinite, is_finite, 2},
    {ScalarOp::kIsInf, is_infinity<0>, 2},
    {ScalarOp::kIsNegInf, is_infinity<-1>, 1},
    {ScalarOp::kIsPosInf, is_infinity<1>, 1},
    {ScalarOp::kLog, TENON_MATH_FUNCTION(log), 32},
    {ScalarOp::kLogPlusOne, TENON_MATH_FUNCTION(log1p), 40},
    {ScalarOp::kLogistic, TENON_MATH_FUNCTION(logistic), 30},
    {ScalarOp::kMaximum, maximum, 4},
    {ScalarOp::kMinimum, minimum, 4},
    {ScalarOp::kMultiply, multiply, 1},
    {ScalarOp::kNegate, negate, 1},
    {ScalarOp::kNot, logical_not, 1},
    {ScalarOp::kOr, logical_or, 1},
    {ScalarOp::kPopcnt, count_ones, 8},
    {ScalarOp::kPower, power, 80},
    {ScalarOp::kRemainder, remainder, 40},
    {ScalarOp::kRoundNearestAfz, float_intrinsic<llvm::Intrinsic::round>, 4},
    {ScalarOp::kRoundNearestEven, float_intrinsic<llvm::Intrinsic::roundeven>, 1},
    {ScalarOp::kRsqrt, TENON_MATH_FUNCTION(rsqrt), 10},
    {ScalarOp::kSelect, select, 1},
    {ScalarOp::kShiftLeft, shift<0>, 3},
    {ScalarOp::kShiftRightArithmetic, shift<2>, 3},
    {ScalarOp::kShiftRightLogical, shift<1>, 3},
    {ScalarOp::kSign, sign, 4},
    {ScalarOp::kSine, TENON_MATH_FUNCTION(sin), 24},
    {ScalarOp::kSinh, TENON_MATH_FUNCTION(sinh), 35},
    {ScalarOp::kSqrt, float_intrinsic<llvm::Intrinsic::sqrt>, 5},
    {ScalarOp::kSquare, square, 1},
    {ScalarOp::kSubtract, subtract, 1},
    {ScalarOp::kTan, TENON_MATH_FUNCTION(tan), 40},
    {ScalarOp::kTanh, TENON_MATH_FUNCTION(tanh), 30},
    {ScalarOp::kXor, logical_xor, 1},
};

const ScalarCode* scalar_code(ScalarOp op) {
  static const auto kRows = [] {
    std::array<const ScalarCode*, kNumScalarOps> rows{};
    for (const ScalarCode& row : kTable) rows[static_cast<int>(row.op)] = &row;
    return rows;
  }();
  return kRows[static_cast<int>(op)];
}

}  // namespace tenon::cpu
