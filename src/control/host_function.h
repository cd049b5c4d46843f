// Functions of the host as parameters of equations, and calls of them.
#pragma once

#include "tenon/detail/host_callee.h"
#include "tenon/host_call.h"
#include "tenon/primitive.h"

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

/// One call on values: the results, of the types promised. Throws RuntimeError for what the function throws, with `who`
/// and the line `where` ("main.cpp:12" or nothing); TypeError or ShapeError for results of other types.
Arrays call_host(const std::string& who, const std::string& where, const HostFunction& function, const Arrays& operands, const Avals& results);
/// Calls from a program, of operands of these types; the user's line is that of the operation that is being lowered.
HostCalleeRef host_callee(const std::string& who, const HostFunctionRef& function, Avals operands, Avals results);

/// Once for each element in order: a loop of steps, `unroll` (0: all) at a time.
BatchResult call_for_each(const Primitive& self, const BatchAxis& axis, const Arrays& operands, const std::vector<int>& axes, const EqnParams& params,
                          int64_t unroll);

}  // namespace tenon::detail
