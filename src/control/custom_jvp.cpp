#include "control/custom_jvp.h"

#include "base/fail.h"
#include "control/call.h"
#include "control/jit.h"
#include "core/nodes.h"
#include "tenon/detail/rules.h"
#include "trace/jaxpr_trace.h"
#include "transforms/batch.h"

namespace tenon::detail {

// The rule is for the function's own operands.
static JvpResult jvp_by_rule(const Primitive&, const Arrays& primals, const Tangents& tangents, const EqnParams& params) {
  const auto& rule = params.get<JvpRule>("jvp");
  Tangents own;
  for (size_t i = 0; i < tangents.size(); ++i) {
    if (i < rule.operands) own.push_back(rule.function->symbolic_zeros ? tangents[i] : Tangent(instantiate(tangents[i])));
    else if (!tangents[i].is_zero())
      fail<ValueError>(rule.function->name, "a custom_jvp function is differentiated by a value that it captures; its rule knows only "
                       "its arguments: make the captured ", primals[i].aval(), " an argument");
  }
  return rule.function->jvp(Arrays(primals.begin(), primals.begin() + static_cast<ptrdiff_t>(rule.operands)), own);
}

constinit const Primitive custom_jvp_call_p{
    .name = "custom_jvp_call",
    .abstract_eval = [](const Avals& operands, const EqnParams& params) -> Avals {
      return called_avals("custom_jvp_call", params.get<Jaxpr>("call_jaxpr"), operands);
    },
    .jvp = jvp_by_rule,
    .batching = [](const Primitive& self, const BatchAxis& axis, const Arrays& operands, const std::vector<int>& axes,
                   const EqnParams& params) -> BatchResult {
      const auto& rule = params.get<JvpRule>("jvp");
      const std::vector<int> own(axes.begin(), axes.begin() + static_cast<ptrdiff_t>(rule.operands));
      const BatchedJaxpr batched = batch_jaxpr(params.get<Jaxpr>("call_jaxpr"), axis, axes);
      const JvpRule batched_rule{batched_custom_jvp(rule.function, axis, own, batched.axes), rule.operands};
      return {bind_all(self, operands, params.with("call_jaxpr", batched.jaxpr).with("jvp", batched_rule)), batched.axes};
    },
    .effects = [](const EqnParams& params) { return params.get<Jaxpr>("call_jaxpr").effects(); },
    .call_like = true,
};

Arrays record_custom_jvp(const CustomJvpRef& function, const Arrays& operands) {
  Arrays all = operands;
  const auto body = [&](const Arrays& x) { return function->call(x); };
  const Jaxpr jaxpr = hoist_tracers(trace_to_jaxpr(body, avals_of(operands), function->name, function->name), all);
  return bind_all(custom_jvp_call_p, all,
                  {{"call_jaxpr", jaxpr}, {"jvp", JvpRule{function, operands.size()}}, {"name", function->name},
                   {"symbolic_zeros", function->symbolic_zeros}});
}

namespace {
// What it is made of belongs to the user's line that calls it.
class LibraryCustomJvp final : public CustomJvp {
 public:
  explicit LibraryCustomJvp(const FunctionWithJvp& function) : function_(function), site_(current_site() ? *current_site() : Loc()) {
    name = function.name;
    rule_name = function.rule_name;
    record = record_custom_jvp;
  }
  Arrays call(const Arrays& operands) const override {
    const SiteScope scope(site_);
    return function_.call(operands);
  }
  JvpResult jvp(const Arrays& primals, const Tangents& tangents) const override {
    const SiteScope scope(site_);
    return function_.jvp(primals, tangents);
  }

 private:
  const FunctionWithJvp& function_;
  const Loc site_;
};
}  // namespace

Arrays call_custom_jvp(const FunctionWithJvp& function, const Arrays& operands) {
  if (is_evaluating()) return looks_at_values() ? call_jitted(function.name, function.call, operands) : function.call(operands);
  return current_trace().process_custom_jvp(CustomJvpRef(make_ref<LibraryCustomJvp>(function)), operands);
}

}  // namespace tenon::detail
