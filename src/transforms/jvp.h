// Forward differentiation: values together with their tangents.
#pragma once

#include "core/trace.h"

namespace tenon::detail {

/// What a trace of derivatives knows of the operands of an operation.
struct Dual {
  Arrays primals;
  Tangents tangents;
  bool is_constant() const;  // no tangent but zeros
};
/// However a function is left, the tracers of its trace are dead afterwards.
struct EndOf {
  Trace& trace;
  ~EndOf() { trace.end(); }
};

/// Applies the jvp rules of operations; what the rules bind goes to the trace below.
class JvpTrace final : public Trace {
 public:
  explicit JvpTrace(TraceRef below) : below_(std::move(below)) {}

  /// A tracer of this trace; the primal itself when the tangent is zero.
  Array join(Array primal, Tangent tangent);
  /// What this trace knows of a value.
  Array primal(const Array& x) const;
  Tangent tangent(const Array& x) const;
  Dual split(const Arrays& operands) const;

  Arrays process(const Primitive& primitive, const Arrays& operands, const EqnParams& params) override;
  Arrays process_custom_jvp(const CustomJvpRef& function, const Arrays& operands) override;
  Arrays process_custom_vjp(const CustomVjpRef& function, const Arrays& operands) override;
  bool records() const override { return below_ && below_->records(); }
  std::string describe(const Tracer& tracer) const override;
  Array concrete_value(const Tracer& tracer) const override;
  std::string tracer_str(const Tracer& tracer) const override;
  std::string name() const override { return "jvp"; }

 private:
  Arrays joined(JvpResult result);

  TraceRef below_;
};

/// Results and tangents of a function at `primals`, each with its tangent.
JvpResult jvp_flat(FunctionRef<Arrays(const Arrays&)> function, const Arrays& primals, const Tangents& tangents);

/// A concrete value behind `x` in whatever trace; else an empty Array.
Array concrete_behind(const Array& x);
/// What is known of where `x` comes from, for errors.
std::string describe_behind(const Array& x);

}  // namespace tenon::detail
