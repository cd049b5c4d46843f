// pure_callback: a pure function of the host. An operation like any other: it goes when nobody needs it.
#include "base/fail.h"
#include "control/host_function.h"
#include "control/primitives.h"
#include "core/nodes.h"
#include "tenon/detail/rules.h"
#include "transforms/batch.h"

namespace tenon::detail {
namespace {

const char* const kHostCall = "host_call";

Param method_param(VmapMethod method) {
  switch (method) {
    case VmapMethod::none: return {};
    case VmapMethod::sequential: return "sequential";
    case VmapMethod::sequential_unrolled: return "sequential_unrolled";
    case VmapMethod::expand_dims: return "expand_dims";
    case VmapMethod::broadcast_all: return "broadcast_all";
  }
  return {};
}

[[noreturn]] void throw_pure_derivative() {
  fail<ValueError>(kHostCall, "a function of the host has no derivative; give a function around it a custom_jvp or a custom_vjp");
}

// The function gets all elements at once.
BatchResult call_once(const Primitive& self, const BatchAxis& axis, const Arrays& operands, const std::vector<int>& axes, const EqnParams& params,
                      bool broadcast) {
  Arrays all;
  for (size_t i = 0; i < operands.size(); ++i)
    all.push_back(axes[i] == kNotMapped ? broadcast_along(operands[i], broadcast ? axis.size : 1, 0) : move_axis(operands[i], axes[i], 0));
  ResultAvals results = params.get<ResultAvals>("result_avals");
  for (Aval& aval : results.avals) aval = with_axis(aval, 0, axis.size);
  const Arrays values = bind_all(self, all, params.with("result_avals", results));
  return {values, std::vector<int>(values.size(), 0)};
}

BatchResult batch_pure_callback(const Primitive& self, const BatchAxis& axis, const Arrays& operands, const std::vector<int>& axes,
                                const EqnParams& params) {
  const Param& method = params.at("vmap_method");
  if (method.is_none())
    fail<UnimplementedError>(kHostCall, "vmap is not told how to call the function; set vmap_method to sequential, sequential_unrolled, "
                             "expand_dims or broadcast_all");
  const std::string how = method.str();
  if (how.starts_with("sequential")) return call_for_each(self, axis, operands, axes, params, how == "sequential" ? 1 : 0);
  return call_once(self, axis, operands, axes, params, how == "broadcast_all");
}

}  // namespace

constinit const Primitive pure_callback_p{
    .name = "pure_callback",
    .abstract_eval = [](const Avals&, const EqnParams& params) -> Avals { return params.get<ResultAvals>("result_avals").avals; },
    .jvp = [](const Primitive&, const Arrays&, const Tangents&, const EqnParams&) -> JvpResult { throw_pure_derivative(); },
    .transpose = [](const Primitive&, const Cotangents&, const LinearOperands&, const EqnParams&) -> Cotangents { throw_pure_derivative(); },
    .batching = batch_pure_callback,
    .lowering = [](StablehloBuilder& b, const Values& operands, const EqnParams& params) -> Values {
      return lower_host_call(b, kHostCall, params.get<HostFunctionParam>("callback").function, operands, params.get<ResultAvals>("result_avals").avals, false);
    },
    .evaluate = [](const Arrays& operands, const EqnParams& params) -> Arrays {
      return evaluate_host_call(kHostCall, *params.get<HostFunctionParam>("callback").function, operands, params.get<ResultAvals>("result_avals").avals);
    },
};

Arrays call_pure(const HostFunctionRef& function, const Avals& results, const Arrays& operands, VmapMethod method, const Loc& loc) {
  const SiteScope site(loc);
  return bind_all(pure_callback_p, operands,
                  {{"callback", HostFunctionParam{function, operands.size()}}, {"result_avals", ResultAvals{results}}, {"sharding", Param()},
                   {"vmap_method", method_param(method)}});
}

}  // namespace tenon::detail
