// custom_vjp_call_p: a program with a backward pass of its own. custom_lin_p: the map of its tangents.
#pragma once

#include "core/trace.h"

namespace tenon::detail {

/// EqnParams: name, fwd, bwd (names; bwd is a VjpRule), call_jaxpr (Jaxpr), symbolic_zeros (bool).
/// Operands: those of the function, then what it captured. Lowers as the jaxpr in its place.
extern constinit const Primitive custom_vjp_call_p;
/// EqnParams: rule (LinearRule). Operands: residuals, then nonzero tangents. Can only be transposed.
extern constinit const Primitive custom_lin_p;

/// The parameter bwd; prints as the name of the backward function.
struct VjpRule {
  CustomVjpRef function;
  size_t operands;
  std::string str() const { return function->backward_name; }
  bool operator==(const VjpRule&) const = default;
};
struct LinearRule {
  CustomVjpRef function;
  size_t residuals;
  std::vector<bool> nonzero;  // operands of the function that have a tangent
  Avals results;              // types of the tangents of the results
  std::string str() const { return function->backward_name; }
  bool operator==(const LinearRule&) const = default;
};

/// CustomVjp::record and record_linear of every function.
Arrays record_custom_vjp(const CustomVjpRef& function, const Arrays& operands);
Tangents record_custom_linear(const CustomVjpRef& function, const Arrays& residuals, const Tangents& tangents, const Avals& results);

}  // namespace tenon::detail
