// Partial evaluation of derivatives: a function is run once, and what is linear in its tangents is
// recorded as a jaxpr. Reverse differentiation transposes that jaxpr.
#pragma once

#include "trace/jaxpr_trace.h"
#include "transforms/jvp.h"

namespace tenon::detail {

/// Values below, tangents in a jaxpr that is being recorded.
class LinearizeTrace final : public Trace {
 public:
  LinearizeTrace(TraceRef below, Ref<JaxprTrace> tangents);

  Array join(Array primal, Tangent tangent);
  Array primal(const Array& x) const;
  /// A tracer of the tangents' trace, or zero.
  Tangent tangent(const Array& x) const;

  Arrays process(const Primitive& primitive, const Arrays& operands, const EqnParams& params) override;
  Arrays process_custom_jvp(const CustomJvpRef& function, const Arrays& operands) override;
  Arrays process_custom_vjp(const CustomVjpRef& function, const Arrays& operands) override;
  bool records() const override { return below_ && below_->records(); }
  std::string describe(const Tracer& tracer) const override;
  Array concrete_value(const Tracer& tracer) const override;
  std::string tracer_str(const Tracer& tracer) const override;
  std::string name() const override { return "grad"; }

 private:
  Dual split(const Arrays& operands) const;
  Arrays joined(JvpResult result);
  void mark_passes(const Tangents& in, Tangents& out);

  TraceRef below_;
  Ref<JaxprTrace> tangents_;
  TraceRef rules_;  // where rules run: on values below, on tangents recorded
};

/// For rules of linearization: values of the tangents with a flag. Zeros become arrays, made where the tangents are: they belong to the
/// linear map, and not to the values.
Arrays recorded_tangents(const Tangents& tangents, const std::vector<bool>& flags);

/// A function at a point: its results, and the linear map of tangents.
struct Linearized {
  Arrays primals;
  std::vector<bool> nonzero;  // results whose tangent depends on the inputs
  Jaxpr tangents;             // one input per primal, one result per nonzero; captures what it needs
};
/// `active`: the inputs that vary; the tangent of an integer is zero in any case.
Linearized linearize_flat(FunctionRef<Arrays(const Arrays&)> function, const Arrays& primals, const std::vector<bool>& active);

/// The same of a program, as two programs.
struct LinearizedJaxpr {
  Jaxpr forward;               // results, then residuals
  std::vector<bool> nonzero;   // one per result
  /// One per residual of `tangents`: the input that it is; else -1, and it is the next residual of `forward`.
  std::vector<int> forwarded;
  Jaxpr tangents;              // residuals, then tangents of nonzero inputs -> tangents of nonzero results
};
/// `instantiate`: results whose tangent is wanted even when it is zero (empty: none). `forwardable`:
/// inputs that may be residuals as they are (empty: all).
/// Of one jaxpr and masks always the same objects.
LinearizedJaxpr linearize_jaxpr(const Jaxpr& jaxpr, const std::vector<bool>& nonzero, const std::vector<bool>& instantiate = {},
                                const std::vector<bool>& forwardable = {});

/// The program of results and tangents: primals and nonzero tangents -> results and nonzero tangents.
struct JvpJaxpr {
  Jaxpr jaxpr;
  std::vector<bool> nonzero;
};
JvpJaxpr jvp_jaxpr(const Jaxpr& jaxpr, const std::vector<bool>& nonzero, const std::vector<bool>& instantiate = {});

}  // namespace tenon::detail
