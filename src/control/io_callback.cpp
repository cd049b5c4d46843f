// io_callback: a function of the host that is called for what it does.
#include "base/fail.h"
#include "control/host_function.h"
#include "control/primitives.h"
#include "core/nodes.h"

namespace tenon::detail {

static const char* const kIoCallback = "io_callback";

[[noreturn]] static void throw_io_derivative() {
  fail<ValueError>(kIoCallback, "input and output have no derivative; give a function around it a custom_jvp, or stop_gradient the operands");
}

constinit const Primitive io_callback_p{
    .name = "io_callback",
    .abstract_eval = [](const Avals&, const EqnParams& params) -> Avals { return params.get<ResultAvals>("result_avals").avals; },
    .jvp = [](const Primitive&, const Arrays&, const Tangents&, const EqnParams&) -> JvpResult { throw_io_derivative(); },
    .transpose = [](const Primitive&, const Cotangents&, const LinearOperands&, const EqnParams&) -> Cotangents { throw_io_derivative(); },
    .batching = [](const Primitive& self, const BatchAxis& axis, const Arrays& operands, const std::vector<int>& axes,
                   const EqnParams& params) -> BatchResult {
      if (params.get<bool>("ordered")) fail<ValueError>(kIoCallback, "vmap has no order for the elements of an ordered call; make it unordered, or use a loop");
      return call_for_each(self, axis, operands, axes, params, 1);
    },
    .lowering = [](StablehloBuilder& b, const Values& operands, const EqnParams& params) -> Values {
      return lower_host_call(b, kIoCallback, params.get<HostFunctionParam>("callback").function, operands, params.get<ResultAvals>("result_avals").avals, true);
    },
    .evaluate = [](const Arrays& operands, const EqnParams& params) -> Arrays {
      return evaluate_host_call(kIoCallback, *params.get<HostFunctionParam>("callback").function, operands, params.get<ResultAvals>("result_avals").avals);
    },
    .effects = [](const EqnParams& params) { return params.get<bool>("ordered") ? Effects::ordered_io : Effects::unordered_io; },
};

Arrays call_io(const HostFunctionRef& function, const Avals& results, const Arrays& operands, bool ordered, const Loc& loc) {
  const SiteScope site(loc);
  return bind_all(io_callback_p, operands,
                  {{"callback", HostFunctionParam{function, operands.size()}}, {"ordered", ordered}, {"result_avals", ResultAvals{results}},
                   {"sharding", Param()}});
}

}  // namespace tenon::detail
