// Callable in, Jaxpr out: the trace that records every operation as an equation.
#pragma once

#include <unordered_map>

#include "core/trace.h"

namespace tenon::detail {

class JaxprTrace final : public Trace {
 public:
  /// `name` is what the user called ("jit f", "make_jaxpr"); `arg_names` one per input or empty.
  JaxprTrace(std::string name, std::vector<std::string> arg_names);

  /// A new input of the program.
  Array add_input(const ShapedArray& aval);
  /// Ends the trace: the equations so far, with these results.
  Jaxpr finish(const Arrays& results, std::string function_name);

  /// Scalars are captured as arrays, and do not become literals.
  void capture_scalars() { captures_scalars_ = true; }
  /// Numbers that are residuals (zeros that stand for no tangent) are captured, as in JAX, and do not become literals.
  void capture_residuals() { captures_residuals_ = true; }
  /// Equations tell the library call that bound them (Eqn::call).
  void mark_calls() { marks_calls_ = true; }
  bool marks_calls() const { return marks_calls_; }

  Arrays process(const Primitive& primitive, const Arrays& operands, const EqnParams& params) override;
  Arrays process_custom_jvp(const CustomJvpRef& function, const Arrays& operands) override { return function->record(function, operands); }
  Arrays process_custom_vjp(const CustomVjpRef& function, const Arrays& operands) override { return function->record(function, operands); }
  bool records() const override { return true; }
  std::string describe(const Tracer& tracer) const override;
  std::string name() const override { return name_; }

 private:
  Var var_of(const Array& array, std::string_view who);
  Var constant(const Array& array);

  std::string name_;
  std::vector<std::string> arg_names_;
  bool captures_scalars_ = false;
  bool captures_residuals_ = false;
  bool marks_calls_ = false;
  Ref<JaxprNode> jaxpr_;
  std::unordered_map<const ArrayNode*, Var> constants_;
};

/// Traces `body` on inputs of these types. User code inside sees its own source lines.
Jaxpr trace_to_jaxpr(FunctionRef<Arrays(const Arrays&)> body, const Avals& avals, const std::string& caller,
                     const std::string& function_name, const std::vector<std::string>& arg_names = {});

/// Outer tracers that `jaxpr` captured become inputs after its own (`operands` grows by them);
/// captured values stay constants.
Jaxpr hoist_tracers(const Jaxpr& jaxpr, Arrays& operands);

/// Equal up to the identity of variables.
bool same_structure(const Jaxpr& a, const Jaxpr& b);

}  // namespace tenon::detail
