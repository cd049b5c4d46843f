#include "control/custom_jvp.h"

#include "base/fail.h"
#include "core/nodes.h"
#include "trace/jaxpr_trace.h"

namespace tenon::detail {

constinit const Primitive custom_jvp_call_p{
    .name = "custom_jvp_call",
    .abstract_eval = [](const Avals& operands, const EqnParams& params) -> Avals {
      const auto& jaxpr = params.get<Jaxpr>("call_jaxpr");
      TENON_CHECK(operands.size() == jaxpr.invars().size(), params.at("name").str());
      return jaxpr.out_avals();
    },
    .effects = [](const EqnParams& params) { return params.get<Jaxpr>("call_jaxpr").effects(); },
    .call_like = true,
};

Arrays call_custom_jvp(const char* name, const char* rule, FunctionRef<Arrays(const Arrays&)> body, const Arrays& operands) {
  if (is_evaluating()) return body(operands);
  Arrays all = operands;
  const Jaxpr jaxpr = hoist_tracers(trace_to_jaxpr(body, avals_of(operands), name, name), all);
  return bind_all(custom_jvp_call_p, all, {{"call_jaxpr", jaxpr}, {"jvp", rule}, {"name", name}, {"symbolic_zeros", false}});
}

}  // namespace tenon::detail
