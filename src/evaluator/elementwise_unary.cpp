#include "evaluator/loop.h"
#include "evaluator/scalar_functions.h"

namespace tenon::evaluator {

template <class Function>
static ElementwiseLoop of(DType operand) {
  return with_element_type(operand, []<class T>() { return loop_if_defined<Function, T, T>(); });
}

ElementwiseLoop find_unary_loop(ScalarOp op, DType operand) {
  switch (op) {
    case ScalarOp::kAbs: return of<Abs>(operand);
    case ScalarOp::kCeil: return of<Ceil>(operand);
    case ScalarOp::kConj: return of<Conj>(operand);
    case ScalarOp::kCountLeadingZeros: return of<CountLeadingZeros>(operand);
    case ScalarOp::kFloor: return of<Floor>(operand);
    case ScalarOp::kImag: return of<Imag>(operand);
    case ScalarOp::kIsFinite: return of<IsFinite>(operand);
    case ScalarOp::kIsInf: return of<IsInf>(operand);
    case ScalarOp::kIsNegInf: return of<IsNegInf>(operand);
    case ScalarOp::kIsPosInf: return of<IsPosInf>(operand);
    case ScalarOp::kNegate: return of<Negate>(operand);
    case ScalarOp::kNot: return of<Not>(operand);
    case ScalarOp::kPopcnt: return of<Popcnt>(operand);
    case ScalarOp::kReal: return of<Real>(operand);
    case ScalarOp::kReducePrecision:
      if (operand.code() == DType::kFloat16) return loop_if_defined<ReducePrecision<5>, Float16, Float16>();
      if (operand.code() == DType::kFloat64) return loop_if_defined<ReducePrecision<11>, double, double>();
      return of<ReducePrecision<8>>(operand);
    case ScalarOp::kRoundNearestAfz: return of<RoundNearestAfz>(operand);
    case ScalarOp::kRoundNearestEven: return of<RoundNearestEven>(operand);
    case ScalarOp::kSign: return of<Sign>(operand);
    case ScalarOp::kSquare: return of<Square>(operand);
    default: return find_transcendental_loop(op, operand);
  }
}

}  // namespace tenon::evaluator
