#include "evaluator/loop.h"
#include "evaluator/scalar_functions.h"

namespace tenon::evaluator {

template <class Function>
static ElementwiseLoop of(DType operand) {
  return with_element_type(operand, []<class T>() { return loop_if_defined<Function, T, T>(); });
}

ElementwiseLoop find_transcendental_loop(ScalarOp op, DType operand) {
  switch (op) {
    case ScalarOp::kAcos: return of<Acos>(operand);
    case ScalarOp::kAcosh: return of<Acosh>(operand);
    case ScalarOp::kAsin: return of<Asin>(operand);
    case ScalarOp::kAsinh: return of<Asinh>(operand);
    case ScalarOp::kAtan: return of<Atan>(operand);
    case ScalarOp::kAtanh: return of<Atanh>(operand);
    case ScalarOp::kCbrt: return of<Cbrt>(operand);
    case ScalarOp::kCosh: return of<Cosh>(operand);
    case ScalarOp::kCosine: return of<Cosine>(operand);
    case ScalarOp::kDigamma: return of<Digamma>(operand);
    case ScalarOp::kErf: return of<Erf>(operand);
    case ScalarOp::kErfInv: return of<ErfInv>(operand);
    case ScalarOp::kErfc: return of<Erfc>(operand);
    case ScalarOp::kExponential: return of<Exponential>(operand);
    case ScalarOp::kExponentialMinusOne: return of<ExponentialMinusOne>(operand);
    case ScalarOp::kLgamma: return of<Lgamma>(operand);
    case ScalarOp::kLog: return of<Log>(operand);
    case ScalarOp::kLogPlusOne: return of<LogPlusOne>(operand);
    case ScalarOp::kLogistic: return of<Logistic>(operand);
    case ScalarOp::kRsqrt: return of<Rsqrt>(operand);
    case ScalarOp::kSine: return of<Sine>(operand);
    case ScalarOp::kSinh: return of<Sinh>(operand);
    case ScalarOp::kSqrt: return of<Sqrt>(operand);
    case ScalarOp::kTan: return of<Tan>(operand);
    case ScalarOp::kTanh: return of<Tanh>(operand);
    default: return nullptr;
  }
}

}  // namespace tenon::evaluator
