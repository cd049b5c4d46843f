// A number type of src/math whose operators append LLVM instructions: one handle stands for a
// scalar or for all lanes of a vector.
#pragma once

#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/IRBuilder.h"
#include "math/number.h"

namespace tenon::cpu {

struct IrMask {
  llvm::IRBuilderBase* b;
  llvm::Value* value;
};

template <class F>
struct IrBits {
  llvm::IRBuilderBase* b;
  llvm::Value* value;
};

template <class F>
struct IrFloat {
  llvm::IRBuilderBase* b;
  llvm::Value* value;
};

/// Calls the runtime function `name` (math/rare.h) for the lanes of the mask; defined in rare_call.cpp.
llvm::Value* emit_rare(llvm::IRBuilderBase& b, const char* name, llvm::Value* mask,
                       llvm::Value* fast, llvm::Value* x);

/// Code that runs where any lane of a mask is set; defined in rare_call.cpp.
class IfAny {
 public:
  /// The builder appends to that code from here on.
  IfAny(llvm::IRBuilderBase& b, llvm::Value* mask);
  /// Ends it. The value after it: `other`, or `usual` where it did not run.
  llvm::Value* merge(llvm::Value* other, llvm::Value* usual);

 private:
  llvm::IRBuilderBase& b_;
  llvm::BasicBlock *before_, *after_;
};

/// `type` with its scalar type replaced by `scalar`.
inline llvm::Type* like_type(llvm::Type* type, llvm::Type* scalar) {
  if (auto* vector = llvm::dyn_cast<llvm::VectorType>(type))
    return llvm::VectorType::get(scalar, vector->getElementCount());
  return scalar;
}
inline llvm::Value* unary_intrinsic(llvm::IRBuilderBase& b, llvm::Intrinsic::ID id,
                                    llvm::Value* x) {
  return b.CreateIntrinsic(id, {x->getType()}, {x});
}
inline llvm::Value* binary_intrinsic(llvm::IRBuilderBase& b, llvm::Intrinsic::ID id, llvm::Value* x,
                                     llvm::Value* y) {
  return b.CreateIntrinsic(id, {x->getType()}, {x, y});
}

// Masks
inline IrMask operator&(IrMask a, IrMask c) { return {a.b, a.b->CreateAnd(a.value, c.value)}; }
inline IrMask operator|(IrMask a, IrMask c) { return {a.b, a.b->CreateOr(a.value, c.value)}; }
inline IrMask operator!(IrMask a) { return {a.b, a.b->CreateNot(a.value)}; }

// Bits
template <class F>
IrBits<F> operator+(IrBits<F> a, IrBits<F> c) {
  return {a.b, a.b->CreateAdd(a.value, c.value)};
}
template <class F>
IrBits<F> operator-(IrBits<F> a, IrBits<F> c) {
  return {a.b, a.b->CreateSub(a.value, c.value)};
}
template <class F>
IrBits<F> operator&(IrBits<F> a, IrBits<F> c) {
  return {a.b, a.b->CreateAnd(a.value, c.value)};
}
template <class F>
IrBits<F> operator|(IrBits<F> a, IrBits<F> c) {
  return {a.b, a.b->CreateOr(a.value, c.value)};
}
template <class F>
IrBits<F> operator^(IrBits<F> a, IrBits<F> c) {
  return {a.b, a.b->CreateXor(a.value, c.value)};
}
template <class F>
IrBits<F> operator<<(IrBits<F> a, int n) {
  return {a.b, a.b->CreateShl(a.value, static_cast<uint64_t>(n))};
}
template <class F>
IrBits<F> operator>>(IrBits<F> a, int n) {
  return {a.b, a.b->CreateLShr(a.value, static_cast<uint64_t>(n))};
}

// Floats
template <class F>
IrFloat<F> operator+(IrFloat<F> a, IrFloat<F> c) {
  return {a.b, a.b->CreateFAdd(a.value, c.value)};
}
template <class F>
IrFloat<F> operator-(IrFloat<F> a, IrFloat<F> c) {
  return {a.b, a.b->CreateFSub(a.value, c.value)};
}
template <class F>
IrFloat<F> operator*(IrFloat<F> a, IrFloat<F> c) {
  return {a.b, a.b->CreateFMul(a.value, c.value)};
}
template <class F>
IrFloat<F> operator/(IrFloat<F> a, IrFloat<F> c) {
  return {a.b, a.b->CreateFDiv(a.value, c.value)};
}
template <class F>
IrFloat<F> operator-(IrFloat<F> a) {
  return {a.b, a.b->CreateFNeg(a.value)};
}
template <class F>
IrMask operator<(IrFloat<F> a, IrFloat<F> c) {
  return {a.b, a.b->CreateFCmpOLT(a.value, c.value)};
}
template <class F>
IrMask operator<=(IrFloat<F> a, IrFloat<F> c) {
  return {a.b, a.b->CreateFCmpOLE(a.value, c.value)};
}
template <class F>
IrMask operator>(IrFloat<F> a, IrFloat<F> c) {
  return {a.b, a.b->CreateFCmpOGT(a.value, c.value)};
}
template <class F>
IrMask operator>=(IrFloat<F> a, IrFloat<F> c) {
  return {a.b, a.b->CreateFCmpOGE(a.value, c.value)};
}
template <class F>
IrMask operator==(IrFloat<F> a, IrFloat<F> c) {
  return {a.b, a.b->CreateFCmpOEQ(a.value, c.value)};
}
template <class F>
IrMask operator!=(IrFloat<F> a, IrFloat<F> c) {
  return {a.b, a.b->CreateFCmpUNE(a.value, c.value)};
}

template <class F>
IrFloat<F> fma(IrFloat<F> a, IrFloat<F> x, IrFloat<F> c) {
  return {a.b, a.b->CreateIntrinsic(llvm::Intrinsic::fma, {a.value->getType()},
                                    {a.value, x.value, c.value})};
}
template <class F>
IrFloat<F> sqrt(IrFloat<F> x) {
  return {x.b, unary_intrinsic(*x.b, llvm::Intrinsic::sqrt, x.value)};
}
template <class F>
IrFloat<F> floor(IrFloat<F> x) {
  return {x.b, unary_intrinsic(*x.b, llvm::Intrinsic::floor, x.value)};
}
template <class F>
IrFloat<F> round_even(IrFloat<F> x) {
  return {x.b, unary_intrinsic(*x.b, llvm::Intrinsic::roundeven, x.value)};
}
template <class F>
IrFloat<F> maximum(IrFloat<F> x, IrFloat<F> y) {
  return {x.b, binary_intrinsic(*x.b, llvm::Intrinsic::maximum, x.value, y.value)};
}
template <class F>
IrFloat<F> minimum(IrFloat<F> x, IrFloat<F> y) {
  return {x.b, binary_intrinsic(*x.b, llvm::Intrinsic::minimum, x.value, y.value)};
}
template <class F>
IrFloat<F> select(IrMask m, IrFloat<F> x, IrFloat<F> y) {
  return {x.b, x.b->CreateSelect(m.value, x.value, y.value)};
}
template <class F>
IrBits<F> select(IrMask m, IrBits<F> x, IrBits<F> y) {
  return {x.b, x.b->CreateSelect(m.value, x.value, y.value)};
}

template <class F>
llvm::Type* bits_type(IrFloat<F> x) {
  return like_type(x.value->getType(), x.b->getIntNTy(8 * sizeof(F)));
}
template <class F>
IrBits<F> to_bits(IrFloat<F> x) {
  return {x.b, x.b->CreateBitCast(x.value, bits_type(x))};
}
template <class F>
IrFloat<F> from_bits(IrFloat<F> like, IrBits<F> bits) {
  return {like.b, like.b->CreateBitCast(bits.value, like.value->getType())};
}
template <class F>
IrFloat<F> like(IrFloat<F> x, double value) {
  return {x.b,
          llvm::ConstantFP::get(x.value->getType(), static_cast<double>(static_cast<F>(value)))};
}
template <class F>
IrBits<F> bits_like(IrFloat<F> x, std::uint64_t bits) {
  if constexpr (sizeof(F) == 4) bits &= 0xffffffff;
  return {x.b, llvm::ConstantInt::get(bits_type(x), bits)};
}
template <class Slow, class F>
IrFloat<F> rare(IrMask mask, IrFloat<F> fast, IrFloat<F> x) {
  return {x.b, emit_rare(*x.b, Slow::kName, mask.value, fast.value, x.value)};
}
template <class F, class Other>
IrFloat<F> uncommon(IrMask mask, IrFloat<F> usual, Other&& other) {
  IfAny branch(*mask.b, mask.value);
  return {usual.b, branch.merge(select(mask, other(), usual).value, usual.value)};
}

}  // namespace tenon::cpu

template <class F>
struct tenon::math::Number<tenon::cpu::IrFloat<F>> {
  using Float = F;
  using Bits = tenon::cpu::IrBits<F>;
  using Mask = tenon::cpu::IrMask;
};
