// custom_jvp_call_p: a program that brings its own derivative.
#pragma once

#include "core/trace.h"
#include "tenon/detail/jitted.h"

namespace tenon::detail {

/// EqnParams: name, jvp (JvpRule), call_jaxpr (Jaxpr), symbolic_zeros (bool). Operands are the
/// inputs of the jaxpr: those of the function, then what it captured. Lowers as the jaxpr in its place.
extern constinit const Primitive custom_jvp_call_p;

/// The parameter jvp; prints as the rule's name.
struct JvpRule {
  CustomJvpRef function;
  size_t operands;  // of the function; what it captured follows
  std::string str() const { return function->rule_name; }
  bool operator==(const JvpRule&) const = default;
};

/// CustomJvp::record of every function.
Arrays record_custom_jvp(const CustomJvpRef& function, const Arrays& operands);

}  // namespace tenon::detail
