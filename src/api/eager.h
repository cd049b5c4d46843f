// The base trace: evaluates each operation at once, as a program of one equation that is kept
// by (primitive, avals, params).
#pragma once

#include "core/trace.h"

namespace tenon::detail {

class EvaluationTrace final : public Trace {
 public:
  Arrays process(const Primitive& primitive, const Arrays& operands, const EqnParams& params) override;
  Arrays process_custom_jvp(const CustomJvpRef& function, const Arrays& operands) override { return function->call(operands); }
  Arrays process_custom_vjp(const CustomVjpRef& function, const Arrays& operands) override { return function->call(operands); }
  std::string describe(const Tracer&) const override { return ""; }
  std::string name() const override { return "evaluation"; }
};

}  // namespace tenon::detail
