#include "evaluator/elementwise.h"

#include "base/fail.h"
#include "evaluator/kernels.h"
#include "evaluator/loop.h"

namespace tenon::evaluator {

ElementwiseLoop find_loop(ScalarOp op, DType operand, DType result, const ScalarParams& params) {
  if (op == ScalarOp::kConvert) return find_conversion(operand, result);
  switch (arity_of(op)) {
    case 1: return find_unary_loop(op, operand);
    case 2: return find_binary_loop(op, operand, params);
    case 3: return find_ternary_loop(op, operand);
    default: return nullptr;
  }
}

namespace {
class Elementwise : public Kernel {
 public:
  Elementwise(ElementwiseLoop loop, Dims steps, std::int64_t count, const ScalarParams& params)
      : loop_(loop), steps_(std::move(steps)), count_(count), params_(params) {}
  void run(const void* const* operands, void* const* results) const override {
    loop_(operands, steps_.data(), results[0], count_, params_);
  }

 private:
  ElementwiseLoop loop_;
  Dims steps_;
  std::int64_t count_;
  ScalarParams params_;
};
}  // namespace

KernelRef elementwise_kernel(ScalarOp op, const Avals& operands, const Aval& result, const ScalarParams& params) {
  const DType dtype = operands[op == ScalarOp::kSelect ? 1 : 0].dtype;
  const ElementwiseLoop loop = find_loop(op, dtype, result.dtype, params);
  if (loop == nullptr)
    fail<UnimplementedError>(name_of(op), "the evaluator has no scalar function for ", dtype,
                             "; it would go to src/evaluator/scalar_functions.h");
  Dims steps;
  for (const Aval& operand : operands) steps.push_back(operand.ndim() == 0 && result.ndim() > 0 ? 0 : 1);
  return std::make_shared<Elementwise>(loop, std::move(steps), result.shape.num_elements(), params);
}

}  // namespace tenon::evaluator
