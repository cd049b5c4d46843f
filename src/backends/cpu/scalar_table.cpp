#include "backends/cpu/scalar_table.h"

#include <array>

#include "backends/cpu/call_of_two.h"
#include "backends/cpu/ir_number.h"
#include "math/functions.h"
#include "math/next_after.h"
#include "math/reduce_precision.h"
#include "math/zeta.h"

namespace tenon::cpu {

using llvm::Value;
using llvm::Intrinsic::ID;

// ---- types

llvm::Type* value_type(llvm::LLVMContext& context, DType type) {
  switch (type.code()) {
    case DType::kBool:
      return llvm::Type::getInt1Ty(context);
    case DType::kFloat32:
    case DType::kFloat16:
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

static bool is_half(DType type) {
  return type.code() == DType::kFloat16 || type.code() == DType::kBFloat16;
}

llvm::Type* memory_type(llvm::LLVMContext& context, DType type) {
  if (type.is_bool()) return llvm::Type::getInt8Ty(context);
  if (is_half(type)) return llvm::Type::getInt16Ty(context);
  return value_type(context, type);
}

static llvm::Type* i32_like(llvm::IRBuilderBase& b, Value* x) {
  return like_type(x->getType(), b.getInt32Ty());
}
static llvm::Type* float_like(llvm::IRBuilderBase& b, Value* x) {
  return like_type(x->getType(), b.getFloatTy());
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

// float16 has 10 bits of fraction; its numbers below 2^-14 are multiples of 2^-24, the unit of
// floats in [1/2, 1). NaN stays NaN (quiet). The instruction does the same.
static Value* round_to_half(llvm::IRBuilderBase& b, Value* x) {
  llvm::Type* type = x->getType();
  const llvm::StringRef cpu =
      b.GetInsertBlock()->getParent()->getFnAttribute("target-cpu").getValueAsString();
  if (cpu == "x86-64-v3" || cpu == "x86-64-v4")  // with F16C
    return b.CreateFPExt(b.CreateFPTrunc(x, like_type(type, b.getHalfTy())), type);
  llvm::Type* i32 = i32_like(b, x);
  const auto constant = [&](uint64_t v) { return llvm::ConstantInt::get(i32, v); };
  Value* bits = b.CreateBitCast(x, i32);
  Value* magnitude = b.CreateAnd(bits, constant(0x7fffffff));
  Value* odd = b.CreateAnd(b.CreateLShr(bits, 13), constant(1));
  Value* normal = b.CreateAdd(magnitude, b.CreateAdd(odd, constant(0xfff)));
  llvm::Constant* unit = llvm::ConstantFP::get(type, 0.5);
  Value* small = b.CreateFSub(b.CreateFAdd(b.CreateBitCast(magnitude, type), unit), unit);
  Value* rounded = b.CreateSelect(b.CreateICmpULT(magnitude, constant(0x38800000)),
                                  b.CreateBitCast(small, i32),
                                  b.CreateAnd(normal, constant(0xffffe000)));
  rounded = b.CreateSelect(b.CreateICmpUGT(rounded, constant(0x477fe000)), constant(0x7f800000),
                           rounded);  // beyond 65504
  Value* quiet = b.CreateAnd(b.CreateOr(magnitude, constant(0x400000)), constant(0xffffe000));
  rounded = b.CreateSelect(b.CreateICmpUGT(magnitude, constant(0x7f800000)), quiet, rounded);
  return b.CreateBitCast(b.CreateOr(rounded, b.CreateAnd(bits, constant(0x80000000))), type);
}

// From the 16 bits, and back from a float that float16 can hold; both exact, NaN's payload too.
static constexpr double kHalfScale = 0x1p112;  // between the exponents' biases
static Value* half_to_float(llvm::IRBuilderBase& b, Value* x) {
  llvm::Type *i32 = i32_like(b, x), *type = float_like(b, x);
  const auto constant = [&](uint64_t v) { return llvm::ConstantInt::get(i32, v); };
  Value* wide = b.CreateZExt(x, i32);
  Value* magnitude = b.CreateShl(b.CreateAnd(wide, constant(0x7fff)), 13);
  Value* number =
      b.CreateFMul(b.CreateBitCast(magnitude, type), llvm::ConstantFP::get(type, kHalfScale));
  Value* bits = b.CreateSelect(b.CreateICmpUGE(magnitude, constant(0x0f800000)),
                               b.CreateOr(magnitude, constant(0x7f800000)),
                               b.CreateBitCast(number, i32));
  Value* sign = b.CreateShl(b.CreateAnd(wide, constant(0x8000)), 16);
  return b.CreateBitCast(b.CreateOr(bits, sign), type);
}
static Value* float_to_half(llvm::IRBuilderBase& b, Value* x) {
  llvm::Type* i32 = i32_like(b, x);
  const auto constant = [&](uint64_t v) { return llvm::ConstantInt::get(i32, v); };
  Value* bits = b.CreateBitCast(x, i32);
  Value* magnitude = b.CreateAnd(bits, constant(0x7fffffff));
  Value* number = b.CreateFMul(b.CreateBitCast(magnitude, x->getType()),
                               llvm::ConstantFP::get(x->getType(), 1 / kHalfScale));
  Value* half = b.CreateSelect(b.CreateICmpUGE(magnitude, constant(0x7f800000)),
                               b.CreateAnd(b.CreateLShr(magnitude, 13), constant(0x7fff)),
                               b.CreateLShr(b.CreateBitCast(number, i32), 13));
  Value* sign = b.CreateAnd(b.CreateLShr(bits, 16), constant(0x8000));
  return b.CreateTrunc(b.CreateOr(half, sign), like_type(x->getType(), b.getInt16Ty()));
}

Value* round_to_type(llvm::IRBuilderBase& b, Value* value, DType type) {
  if (type.code() == DType::kFloat16) return round_to_half(b, value);
  if (type.code() == DType::kBFloat16)
    return b.CreateBitCast(bfloat_bits(b, value), value->getType());
  return value;
}

Value* from_memory(llvm::IRBuilderBase& b, Value* value, DType type) {
  if (type.is_bool()) return b.CreateICmpNE(value, llvm::Constant::getNullValue(value->getType()));
  if (type.code() == DType::kFloat16) return half_to_float(b, value);
  if (type.code() == DType::kBFloat16) {
    Value* wide = b.CreateZExt(value, i32_like(b, value));
    return b.CreateBitCast(b.CreateShl(wide, 16), float_like(b, value));
  }
  return value;
}

Value* to_memory(llvm::IRBuilderBase& b, Value* value, DType type) {
  if (type.is_bool()) return b.CreateZExt(value, like_type(value->getType(), b.getInt8Ty()));
  if (type.code() == DType::kFloat16) return float_to_half(b, value);
  if (type.code() == DType::kBFloat16) {
    Value* bits = b.CreateBitCast(value, i32_like(b, value));
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

// The bits as a signed integer; of negative numbers all but the sign flipped.
static Value* total_order_rank(llvm::IRBuilderBase& b, Value* x) {
  const int width = x->getType()->getScalarSizeInBits();
  Value* bits = b.CreateBitCast(x, like_type(x->getType(), b.getIntNTy(width)));
  Value* flips = b.CreateLShr(b.CreateAShr(bits, width - 1), 1);
  return b.CreateXor(bits, flips);
}

static Value* compare(const ScalarOperands& o) {
  using P = llvm::CmpInst::Predicate;
  static constexpr P kFloat[] = {P::FCMP_OEQ, P::FCMP_UNE, P::FCMP_OGE,
                                 P::FCMP_OGT, P::FCMP_OLE, P::FCMP_OLT};
  static constexpr P kSigned[] = {P::ICMP_EQ,  P::ICMP_NE,  P::ICMP_SGE,
                                  P::ICMP_SGT, P::ICMP_SLE, P::ICMP_SLT};
  static constexpr P kUnsigned[] = {P::ICMP_EQ,  P::ICMP_NE,  P::ICMP_UGE,
                                    P::ICMP_UGT, P::ICMP_ULE, P::ICMP_ULT};
  const int how = o.facts.comparison;
  if (is_float(o) && o.facts.is_total_order)
    return o.b.CreateICmp(kSigned[how], total_order_rank(o.b, o.x[0]),
                          total_order_rank(o.b, o.x[1]));
  if (is_float(o)) return o.b.CreateFCmp(kFloat[how], o.x[0], o.x[1]);
  return o.b.CreateICmp((is_signed(o) ? kSigned : kUnsigned)[how], o.x[0], o.x[1]);
}
static Value* select(const ScalarOperands& o) { return o.b.CreateSelect(o.x[0], o.x[1], o.x[2]); }

// A double as a float from which one more rounding to 16 bits is as if from the double: an inexact
// result gets an odd last bit. As round_to_odd of src/evaluator/conversion.cpp.
static Value* round_to_odd(llvm::IRBuilderBase& b, Value* x) {
  Value* nearest = b.CreateFPTrunc(x, float_like(b, x));
  Value* back = b.CreateFPExt(nearest, x->getType());
  llvm::Type* i32 = i32_like(b, x);
  llvm::Constant* one = llvm::ConstantInt::get(i32, 1);
  Value* bits = b.CreateBitCast(nearest, i32);
  Value* is_even = b.CreateICmpEQ(b.CreateAnd(bits, one), llvm::Constant::getNullValue(i32));
  Value* is_inexact = b.CreateAnd(b.CreateFCmpONE(back, x), is_even);
  Value* is_beyond = b.CreateFCmpOGT(unary_intrinsic(b, llvm::Intrinsic::fabs, back),
                                     unary_intrinsic(b, llvm::Intrinsic::fabs, x));
  Value* odd = b.CreateSelect(is_beyond, b.CreateSub(bits, one), b.CreateAdd(bits, one));
  return b.CreateBitCast(b.CreateSelect(is_inexact, odd, bits), nearest->getType());
}
// The same from an integer of 64 bits to a double, by its magnitude and a sticky bit.
static Value* to_double_odd(llvm::IRBuilderBase& b, Value* x, bool is_signed) {
  llvm::Type* type = like_type(x->getType(), b.getDoubleTy());
  Value* is_negative = nullptr;
  Value* magnitude = x;
  if (is_signed) {
    is_negative = b.CreateICmpSLT(x, integer(x, 0));
    magnitude = b.CreateSelect(is_negative, b.CreateNeg(x), x);
  }
  Value* rest = b.CreateAnd(magnitude, integer(x, 0x7ff));
  Value* sticky = b.CreateSelect(b.CreateICmpNE(rest, integer(x, 0)), integer(x, 0x800),
                                 integer(x, 0));
  Value* cut = b.CreateOr(b.CreateAnd(magnitude, integer(x, ~int64_t{0x7ff})), sticky);
  Value* is_long = b.CreateICmpUGE(magnitude, integer(x, int64_t{1} << 53));
  Value* value = b.CreateUIToFP(b.CreateSelect(is_long, cut, magnitude), type);
  return is_signed ? b.CreateSelect(is_negative, b.CreateFNeg(value), value) : value;
}

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
  if (is_half(into) && from.bits() >= 32 && from.code() != DType::kFloat32) {
    if (from.is_integer() && from.bits() == 64) x = to_double_odd(b, x, from.is_signed());
    if (from.is_integer() && from.bits() == 32) {
      llvm::Type* type = like_type(x->getType(), b.getDoubleTy());
      x = from.is_signed() ? b.CreateSIToFP(x, type) : b.CreateUIToFP(x, type);
    }
    return round_to_odd(b, x);
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
template <class Function>
static Value* function_of_two(const ScalarOperands& o) {
  return with_numbers(o, [](auto x) {
    const auto a = x(0), b = x(1);
    return decltype(x(0)){a.b, emit_call_of_two(*a.b, Function::kName, a.value, b.value)};
  });
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

namespace {

/// Integer lanes for src/math/next_after.h.
struct IrInteger {
  llvm::IRBuilderBase* b;
  Value* value;
  friend IrInteger operator&(IrInteger x, IrInteger y) {
    return {x.b, x.b->CreateAnd(x.value, y.value)};
  }
  friend IrInteger operator|(IrInteger x, IrInteger y) {
    return {x.b, x.b->CreateOr(x.value, y.value)};
  }
  friend IrInteger operator^(IrInteger x, IrInteger y) {
    return {x.b, x.b->CreateXor(x.value, y.value)};
  }
  friend IrInteger operator+(IrInteger x, IrInteger y) {
    return {x.b, x.b->CreateAdd(x.value, y.value)};
  }
  friend IrInteger operator-(IrInteger x, IrInteger y) {
    return {x.b, x.b->CreateSub(x.value, y.value)};
  }
  friend IrMask operator==(IrInteger x, IrInteger y) {
    return {x.b, x.b->CreateICmpEQ(x.value, y.value)};
  }
  friend IrMask operator>(IrInteger x, IrInteger y) {
    return {x.b, x.b->CreateICmpUGT(x.value, y.value)};
  }
  friend IrInteger choose(IrMask mask, IrInteger x, IrInteger y) {
    return {x.b, x.b->CreateSelect(mask.value, x.value, y.value)};
  }
};

}  // namespace

static Value* next_after(const ScalarOperands& o) {
  if (!is_float(o)) return nullptr;
  auto& b = o.b;
  const auto bits_of = [&](Value* x) {
    Value* stored = to_memory(b, x, o.operand_type);
    const int width = stored->getType()->getScalarSizeInBits();
    return IrInteger{&b, b.CreateBitCast(stored, like_type(x->getType(), b.getIntNTy(width)))};
  };
  const IrInteger x = bits_of(o.x[0]), y = bits_of(o.x[1]);
  const auto constant = [&](int64_t v) { return IrInteger{&b, integer(x.value, v)}; };
  const math::FloatBits format = math::float_bits(o.operand_type.code() == DType::kBFloat16 ? 8
                                                  : o.operand_type.bits() == 16             ? 5
                                                  : o.operand_type.bits() == 32             ? 8
                                                                                            : 11,
                                                  o.operand_type.bits());
  const IrInteger next = math::next_after(x, y, constant(format.sign), constant(format.infinity),
                                          constant(format.quiet), constant(1), constant(0));
  llvm::Type* memory = like_type(o.x[0]->getType(), memory_type(b.getContext(), o.operand_type));
  return from_memory(b, b.CreateBitCast(next.value, memory), o.operand_type);
}
static Value* reduce_precision(const ScalarOperands& o) {
  const int own_exponent = o.operand_type.code() == DType::kFloat16   ? 5
                           : o.operand_type.code() == DType::kFloat64 ? 11
                                                                      : 8;
  return with_numbers(o, [&](auto x) {
    return math::reduce_precision(x(0), own_exponent, o.facts.exponent_bits,
                                  o.facts.mantissa_bits);
  });
}
static Value* multiply_high(const ScalarOperands& o) {
  auto& b = o.b;
  llvm::Type* type = o.x[0]->getType();
  const int width = type->getScalarSizeInBits();
  llvm::Type* wide = like_type(type, b.getIntNTy(2 * width));
  const auto widened = [&](Value* x) {
    return is_signed(o) ? b.CreateSExt(x, wide) : b.CreateZExt(x, wide);
  };
  Value* product = b.CreateMul(widened(o.x[0]), widened(o.x[1]));
  return b.CreateTrunc(b.CreateLShr(product, width), type);
}
// Of real numbers.
static Value* itself(const ScalarOperands& o) { return is_float(o) ? o.x[0] : nullptr; }
static Value* zero(const ScalarOperands& o) {
  return is_float(o) ? llvm::Constant::getNullValue(o.x[0]->getType()) : nullptr;
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
    {ScalarOp::kConj, itself, 0},
    {ScalarOp::kConvert, convert, 2},
    {ScalarOp::kCosh, TENON_MATH_FUNCTION(cosh), 30},
    {ScalarOp::kCosine, TENON_MATH_FUNCTION(cos), 24},
    {ScalarOp::kCountLeadingZeros, count_leading_zeros, 8},
    {ScalarOp::kDigamma, TENON_MATH_FUNCTION(digamma), 400},
    {ScalarOp::kDivide, divide, 5},
    {ScalarOp::kErf, TENON_MATH_FUNCTION(erf), 50},
    {ScalarOp::kErfInv, TENON_MATH_FUNCTION(erf_inv), 60},
    {ScalarOp::kErfc, TENON_MATH_FUNCTION(erfc), 50},
    {ScalarOp::kExponential, TENON_MATH_FUNCTION(exp), 22},
    {ScalarOp::kExponentialMinusOne, TENON_MATH_FUNCTION(expm1), 25},
    {ScalarOp::kFloor, float_intrinsic<llvm::Intrinsic::floor>, 1},
    {ScalarOp::kImag, zero, 0},
    {ScalarOp::kIsFinite, is_finite, 2},
    {ScalarOp::kIsInf, is_infinity<0>, 2},
    {ScalarOp::kIsNegInf, is_infinity<-1>, 1},
    {ScalarOp::kIsPosInf, is_infinity<1>, 1},
    {ScalarOp::kLgamma, TENON_MATH_FUNCTION(lgamma), 400},
    {ScalarOp::kLog, TENON_MATH_FUNCTION(log), 32},
    {ScalarOp::kLogPlusOne, TENON_MATH_FUNCTION(log1p), 40},
    {ScalarOp::kLogistic, TENON_MATH_FUNCTION(logistic), 30},
    {ScalarOp::kMaximum, maximum, 4},
    {ScalarOp::kMinimum, minimum, 4},
    {ScalarOp::kMulhi, multiply_high, 4},
    {ScalarOp::kMultiply, multiply, 1},
    {ScalarOp::kNegate, negate, 1},
    {ScalarOp::kNextAfter, next_after, 12},
    {ScalarOp::kNot, logical_not, 1},
    {ScalarOp::kOr, logical_or, 1},
    {ScalarOp::kPolygamma, function_of_two<math::Polygamma>, 1000},
    {ScalarOp::kPopcnt, count_ones, 8},
    {ScalarOp::kPower, power, 80},
    {ScalarOp::kReal, itself, 0},
    {ScalarOp::kReducePrecision, reduce_precision, 8},
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
    {ScalarOp::kZeta, function_of_two<math::Zeta>, 1000},
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
