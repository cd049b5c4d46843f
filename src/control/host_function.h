// Functions of the host as parameters of equations, and calls of them.
#pragma once

#include "tenon/detail/host_callee.h"
#include "tenon/host_call.h"
#include "tenon/primitive.h"
#include "tenon/stablehlo_builder.h"

namespace tenon::detail {

/// The parameter `callback`: the function, and how many operands it takes. Prints as JAX prints its own.
struct HostFunctionParam {
  HostFunctionRef function;
  size_t operands;
  bool operator==(const HostFunctionParam&) const = default;
  std::string str() const;
};
/// The same of a debugging function.
struct DebugFunctionParam {
  HostFunctionRef function;
  bool operator==(const DebugFunctionParam&) const = default;
  std::string str() const;
};
/// The parameter `result_avals`.
struct ResultAvals {
  Avals avals;
  bool operator==(const ResultAvals&) const = default;
  std::string str() const;
};

/// The operands of a function as JAX prints their tree.
std::string operand_tree_str(size_t operands);

/// One call on values, and calls from a program: the results, of the types promised. Throws RuntimeError for what the function
/// throws, with `who` and the user's line (of a program that of the operation that is being lowered); TypeError or ShapeError
/// for results of other types.
Arrays evaluate_host_call(const char* who, const HostFunction& function, const Arrays& operands, const Avals& results);
Values lower_host_call(StablehloBuilder& b, const char* who, const HostFunctionRef& function, const Values& operands, const Avals& results,
                       bool has_side_effect);

/// Once for each element in order: a loop of steps, `unroll` (0: all) at a time.
BatchResult call_for_each(const Primitive& self, const BatchAxis& axis, const Arrays& operands, const std::vector<int>& axes, const EqnParams& params,
                          int64_t unroll);

}  // namespace tenon::detail
