// Functions of two and of three operands.
#include "evaluator/loop.h"
#include "evaluator/scalar_functions.h"
#include "math/zeta.h"

namespace tenon::evaluator {

template <class Function>
struct OfTwo {
  template <Float T>
  static T apply(const ScalarParams&, T a, T b) { return Function::call(a, b); }
};

template <class Function>
static ElementwiseLoop of(DType operand) {
  return with_element_type(operand, []<class T>() { return loop_if_defined<Function, T, T, T>(); });
}

template <template <Comparison> class Function>
static ElementwiseLoop of_comparison(DType operand, Comparison comparison) {
  switch (comparison) {
    case Comparison::eq: return of<Function<Comparison::eq>>(operand);
    case Comparison::ne: return of<Function<Comparison::ne>>(operand);
    case Comparison::ge: return of<Function<Comparison::ge>>(operand);
    case Comparison::gt: return of<Function<Comparison::gt>>(operand);
    case Comparison::le: return of<Function<Comparison::le>>(operand);
    case Comparison::lt: return of<Function<Comparison::lt>>(operand);
  }
  return nullptr;
}

template <int exponent_bits, class Bits>
static ElementwiseLoop next_after() {
  return make_loop<NextAfter<exponent_bits, Bits>, Bits, Bits, Bits>();
}
static ElementwiseLoop next_after_of(DType operand) {
  switch (operand.code()) {
    case DType::kFloat16: return next_after<5, std::uint16_t>();
    case DType::kBFloat16: return next_after<8, std::uint16_t>();
    case DType::kFloat32: return next_after<8, std::uint32_t>();
    case DType::kFloat64: return next_after<11, std::uint64_t>();
    default: return nullptr;
  }
}

ElementwiseLoop find_binary_loop(ScalarOp op, DType operand, const ScalarParams& params) {
  switch (op) {
    case ScalarOp::kAdd: return of<Add>(operand);
    case ScalarOp::kAnd: return of<And>(operand);
    case ScalarOp::kAtan2: return of<Atan2>(operand);
    case ScalarOp::kCompare:
      return params.total_order ? of_comparison<CompareTotalOrder>(operand, params.comparison)
                                : of_comparison<Compare>(operand, params.comparison);
    case ScalarOp::kComplex: return of<MakeComplex>(operand);
    case ScalarOp::kDivide: return of<Divide>(operand);
    case ScalarOp::kMaximum: return of<Maximum>(operand);
    case ScalarOp::kMinimum: return of<Minimum>(operand);
    case ScalarOp::kMulhi: return of<Mulhi>(operand);
    case ScalarOp::kMultiply: return of<Multiply>(operand);
    case ScalarOp::kNextAfter: return next_after_of(operand);
    case ScalarOp::kOr: return of<Or>(operand);
    case ScalarOp::kPolygamma: return of<OfTwo<math::Polygamma>>(operand);
    case ScalarOp::kPower: return of<Power>(operand);
    case ScalarOp::kRemainder: return of<Remainder>(operand);
    case ScalarOp::kShiftLeft: return of<ShiftLeft>(operand);
    case ScalarOp::kShiftRightArithmetic: return of<ShiftRightArithmetic>(operand);
    case ScalarOp::kShiftRightLogical: return of<ShiftRightLogical>(operand);
    case ScalarOp::kSubtract: return of<Subtract>(operand);
    case ScalarOp::kXor: return of<Xor>(operand);
    case ScalarOp::kZeta: return of<OfTwo<math::Zeta>>(operand);
    default: return nullptr;
  }
}

ElementwiseLoop find_ternary_loop(ScalarOp op, DType operand) {
  return with_element_type(operand, [op]<class T>() -> ElementwiseLoop {
    if (op == ScalarOp::kSelect) return loop_if_defined<Select, T, bool, T, T>();
    if (op == ScalarOp::kClamp) return loop_if_defined<Clamp, T, T, T, T>();
    return nullptr;
  });
}

}  // namespace tenon::evaluator
