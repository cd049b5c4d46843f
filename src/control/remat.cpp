#include "control/remat.h"

#include "base/fail.h"
#include "control/call.h"
#include "control/rules.h"
#include "tenon/stablehlo_builder.h"
#include "trace/jaxpr_trace.h"

namespace tenon::detail {
namespace {

Arrays bind_remat(const Jaxpr& jaxpr, const Arrays& operands, const EqnParams& params, bool differentiated) {
  return bind_all(remat_p, operands, params.with("jaxpr", jaxpr).with("differentiated", differentiated));
}

JvpResult remat_jvp(const Primitive&, const Arrays& primals, const Tangents& tangents, const EqnParams& params) {
  const auto& jaxpr = params.get<Jaxpr>("jaxpr");
  const JvpJaxpr derived = jvp_jaxpr(jaxpr, nonzero_flags(tangents));
  Arrays operands = primals;
  append_nonzero(operands, tangents);
  const Arrays values = bind_remat(derived.jaxpr, operands, params, params.get<bool>("differentiated"));
  const size_t count = derived.nonzero.size();
  return {part(values, 0, count), spread(values, count, derived.nonzero, jaxpr.out_avals())};
}

// The values are computed now; the linear map takes the inputs (and what the policy keeps) and
// computes what it needs of the rest again.
JvpResult remat_linearize(const Primitive&, const Arrays& primals, const Tangents& tangents, const EqnParams& params) {
  const auto& jaxpr = params.get<Jaxpr>("jaxpr");
  check_no_io("checkpoint", jaxpr, "what is computed again would do it again");
  const Param& policy = params.at("policy");
  const auto saves = [&](const Eqn& eqn) { return !policy.is_none() && policy.get<RematPolicy>().saves(eqn); };
  Arrays saved;
  const Arrays results = eval_jaxpr(jaxpr, primals, [&](const Eqn& eqn, Arrays& values) {
    if (saves(eqn)) extend(saved, values);
  });
  const Flags nonzero = nonzero_flags(tangents);
  Avals avals = jaxpr.in_avals();
  const size_t inputs = avals.size();
  extend(avals, avals_of(saved));
  for (size_t i = 0; i < inputs; ++i)
    if (nonzero[i]) avals.push_back(tangent_aval(avals[i]));
  Flags moving;
  const auto body = [&](const Arrays& x) {
    size_t next_saved = inputs, next = inputs + saved.size();
    const auto again = [&](const Arrays& arguments) {
      auto& trace = static_cast<LinearizeTrace&>(current_trace());
      return eval_jaxpr(jaxpr, arguments, [&](const Eqn& eqn, Arrays& values) {
        if (!saves(eqn)) return;
        for (Array& value : values) value = trace.join(x[next_saved++], trace.tangent(value));
      });
    };
    const Linearized linear = linearize_flat(again, part(x, 0, inputs), nonzero);
    moving = linear.nonzero;
    Arrays along;
    for (size_t i = 0; i < inputs; ++i) along.push_back(nonzero[i] ? x[next++] : x[i]);  // what has no tangent is not read
    return eval_jaxpr(linear.tangents, along);
  };
  const Jaxpr traced = trace_to_jaxpr(body, avals, "checkpoint", jaxpr.id()->name);
  if (!any_of(moving)) return {results, spread({}, 0, moving, jaxpr.out_avals())};
  const PrunedJaxpr linear = dead_code_eliminated(traced, Flags(traced.outvars().size(), true));
  Arrays all = primals;
  extend(all, saved);
  append_nonzero(all, tangents);
  const Arrays changes = bind_remat(known("checkpoint", linear.jaxpr), where(all, linear.used_inputs, true), params, true);
  return {results, spread(changes, 0, moving, jaxpr.out_avals())};
}

Cotangents remat_transpose(const Primitive&, const Cotangents& cotangents, const LinearOperands& operands, const EqnParams& params) {
  return transposed_call(params.get<Jaxpr>("jaxpr"), cotangents, operands, [&](const Jaxpr& transposed, const Arrays& inputs) {
    return bind_remat(known("checkpoint", transposed), inputs, params, true);
  });
}

PrunedEqn remat_prune(const Eqn& eqn, const Flags& used) {
  const PrunedJaxpr pruned = pruned_call(eqn.params().get<Jaxpr>("jaxpr"), used);
  return {eqn.params().with("jaxpr", pruned.jaxpr), pruned.used_inputs, used};
}

}  // namespace

bool RematPolicy::saves(const Eqn& eqn) const {
  const Primitive& primitive = eqn.primitive();
  switch (policy) {
    case CheckpointPolicy::nothing_saveable: return false;
    case CheckpointPolicy::everything_saveable: return true;
    case CheckpointPolicy::dots_saveable: return primitive.contraction != nullptr;
    case CheckpointPolicy::dots_with_no_batch_dims_saveable: return primitive.contraction && !primitive.contraction(eqn.params()).batched;
  }
  TENON_CHECK(false);
}
std::string RematPolicy::str() const {
  switch (policy) {
    case CheckpointPolicy::nothing_saveable: return "nothing_saveable";
    case CheckpointPolicy::everything_saveable: return "everything_saveable";
    case CheckpointPolicy::dots_saveable: return "dots_saveable";
    case CheckpointPolicy::dots_with_no_batch_dims_saveable: return "dots_with_no_batch_dims_saveable";
  }
  TENON_CHECK(false);
}

constinit const Primitive remat_p{
    .name = "remat2",
    .abstract_eval = [](const Avals& operands, const EqnParams& params) -> Avals {
      return called_avals("remat2", params.get<Jaxpr>("jaxpr"), operands);
    },
    .jvp = remat_jvp,
    .linearize = remat_linearize,
    .transpose = remat_transpose,
    .batching = [](const Primitive&, const BatchAxis& axis, const Arrays& operands, const std::vector<int>& axes,
                   const EqnParams& params) -> BatchResult {
      const BatchedJaxpr batched = batch_jaxpr(params.get<Jaxpr>("jaxpr"), axis, axes);
      return {bind_remat(batched.jaxpr, operands, params, params.get<bool>("differentiated")), batched.axes};
    },
    .prune = remat_prune,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams& params) -> Values {
      const bool barrier = params.get<bool>("differentiated") && params.get<bool>("prevent_cse") && !x.empty();
      return b.inlined(params.get<Jaxpr>("jaxpr"), barrier ? b.optimization_barrier(x) : x, "checkpoint");
    },
    .effects = [](const EqnParams& params) { return params.get<Jaxpr>("jaxpr").effects(); },
};

FlatResult checkpoint_of(const Call& call, const CheckpointOptions& options) {
  SiteScope site(call.loc);
  if (is_evaluating()) return call.run(call.leaves);
  FlatResult value;
  Arrays operands = call.leaves;
  const auto body = [&](const Arrays& leaves) {
    value = call.run(leaves);
    return value.leaves;
  };
  const Jaxpr jaxpr = hoist_tracers(trace_to_jaxpr(body, avals_of(call.leaves), "checkpoint", "checkpoint"), operands);
  Param policy;
  if (options.policy) policy = RematPolicy{*options.policy};
  value.leaves = bind_all(remat_p, operands, {{"differentiated", false}, {"jaxpr", jaxpr}, {"policy", policy}, {"prevent_cse", options.prevent_cse}});
  return value;
}

}  // namespace tenon::detail
