#include "control/jit.h"

#include <algorithm>

#include "base/options.h"
#include "control/call.h"
#include "control/rules.h"
#include "trace/jaxpr_trace.h"

namespace tenon::detail {

constinit const Primitive jit_p{
    .name = "jit",
    .abstract_eval = [](const Avals& operands, const EqnParams& params) -> Avals {
      return called_avals("jit", params.get<Jaxpr>("jaxpr"), operands);
    },
    .jvp = call_jvp,
    .linearize = call_linearize,
    .transpose = call_transpose,
    .batching = call_batching,
    .prune = call_prune,
    .effects = [](const EqnParams& params) { return params.get<Jaxpr>("jaxpr").effects(); },
    .call_like = true,
};

Arrays bind_jit(const std::string& name, const Jaxpr& jaxpr, Arrays operands) {
  const Jaxpr closed = called_jaxpr(name, hoist_tracers(jaxpr, operands));
  return bind_all(jit_p, operands, {{"jaxpr", closed}, {"name", name}});
}

// Large values go through one fused program instead of one after the other; tracing costs some 20 us.
static constexpr int64_t kWorthFusing = 1 << 16;

bool looks_at_values() { return options().debug_nans || options().debug_infs; }

Arrays call_jitted(const char* name, FunctionRef<Arrays(const Arrays&)> body, const Arrays& operands, int64_t elements) {
  const bool evaluates = is_evaluating();
  for (const Array& operand : operands) elements = std::max(elements, operand.size());
  if (!current_trace().records() && elements < kWorthFusing && !looks_at_values()) return body(operands);
  const Loc* site = current_site();  // what a library's function is made of belongs to the line that calls it
  const auto at_site = [&](const Arrays& in) {
    SiteScope scope(site ? *site : Loc());
    return body(in);
  };
  const Jaxpr jaxpr = trace_to_jaxpr(at_site, avals_of(operands), name, name);
  if (!evaluates) return bind_jit(name, jaxpr, operands);
  if (!jaxpr.consts().empty()) return body(operands);  // a program for these values alone
  return bind_all(jit_p, operands, {{"jaxpr", evaluated_jaxpr(name, jaxpr)}, {"name", name}});
}

}  // namespace tenon::detail
