#include "control/remat.h"

#include <functional>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "base/fail.h"
#include "control/call.h"
#include "control/rules.h"
#include "control/split.h"
#include "ops/primitives.h"
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

// The parameters of reduce_precision that leave a floating dtype as it is. Small types have them in their names (float8_e4m3fn).
EqnParams format_of(DType dtype) {
  int exponent = 8, mantissa = 23;
  switch (dtype.code()) {
    case DType::kFloat64: exponent = 11, mantissa = 52; break;
    case DType::kFloat32: break;
    case DType::kFloat16: exponent = 5, mantissa = 10; break;
    case DType::kBFloat16: mantissa = 7; break;
    default: {
      const std::string name = dtype.str();
      const size_t at = name.find("_e");
      TENON_CHECK(at != std::string::npos, dtype);
      exponent = name[at + 2] - '0';
      mantissa = name[at + 4] - '0';
    }
  }
  return {{"exponent_bits", exponent}, {"mantissa_bits", mantissa}};
}

// Values that are kept are what both programs read, bit for bit: whoever computes with more digits rounds them first.
Jaxpr with_rounded_results(const Jaxpr& jaxpr, size_t count) {
  std::unordered_set<const void*> read;
  for (const Eqn& eqn : jaxpr.eqns())
    for (const Var& v : eqn.invars()) read.insert(v.id());
  const Vars& results = jaxpr.outvars();
  std::unordered_map<const void*, size_t> rounded;
  for (size_t i = results.size() - count; i < results.size(); ++i)
    if (results[i].aval().dtype.is_floating() && read.contains(results[i].id())) rounded.emplace(results[i].id(), i);
  auto node = make_ref<JaxprNode>(*jaxpr.id());
  node->eqns.clear();
  for (const Eqn& eqn : jaxpr.eqns()) {
    Vars outvars = eqn.outvars();
    std::map<size_t, Eqn, std::greater<>> more;  // of several results the last comes first, as in JAX
    for (Var& v : outvars) {
      const auto at = rounded.find(v.id());
      if (at == rounded.end()) continue;
      const EqnParams params = format_of(v.aval().dtype);
      if (&eqn.primitive() == &lax::reduce_precision_p && eqn.params() == params) continue;
      auto exact = make_ref<VarNode>();
      exact->aval = v.aval();
      more.emplace(at->second, Eqn(lax::reduce_precision_p, {Var(exact)}, {v}, params, eqn.source()));
      v = Var(exact);
    }
    node->eqns.emplace_back(eqn.primitive(), eqn.invars(), outvars, eqn.params(), eqn.source(), eqn.effects(), eqn.call());
    for (auto& [index, rounding] : more) node->eqns.push_back(std::move(rounding));
  }
  return Jaxpr(Ref<const JaxprNode>(node));
}

// The values are computed now; the linear map takes the inputs (and what the policy keeps) and
// computes what it needs of the rest again.
JvpResult remat_linearize(const Primitive&, const Arrays& primals, const Tangents& tangents, const EqnParams& params) {
  const auto& jaxpr = params.get<Jaxpr>("jaxpr");
  check_no_io("checkpoint", jaxpr, "what is computed again would do it again");
  const Param& policy = params.at("policy");
  const auto saves_by_policy = [&](const Eqn& eqn) { return !policy.is_none() && policy.get<CheckpointPolicy>().saves(eqn); };
  const Saves saves{saves_by_policy, policy.is_none() ? "" : policy.get<CheckpointPolicy>().key()};
  const Flags nonzero = nonzero_flags(tangents);
  const size_t count = jaxpr.outvars().size();
  Flags moving;
  std::optional<SplitJaxpr> of_derivative;
  if (holds_calls_only(jaxpr)) {
    const JvpJaxpr derived = jvp_jaxpr(jaxpr, nonzero);
    moving = derived.nonzero;
    of_derivative = split_derivative(derived.jaxpr, primals.size(), count, saves);
  }
  if (!of_derivative) {
    const LinearizedJaxpr parts = linearize_jaxpr(jaxpr, nonzero);
    moving = parts.nonzero;
    of_derivative = split_linearized(parts, saves);
  }
  const SplitJaxpr& split = *of_derivative;
  // Where nothing is kept, the program itself gives the values: a checkpoint inside stays one.
  const Jaxpr now = split.kept > 0 ? with_rounded_results(split.now, split.kept)
                                   : with_results(split_jaxpr(jaxpr, Flags(primals.size(), true), saves).now, jaxpr.outvars());
  const Arrays values = eval_jaxpr(now, primals);
  const Arrays results = part(values, 0, count);
  if (!any_of(moving)) return {results, spread({}, 0, moving, jaxpr.out_avals())};
  Arrays operands = part(values, count, values.size());
  extend(operands, primals);
  append_nonzero(operands, tangents);
  const PrunedJaxpr later = dead_code_eliminated(split.later, Flags(split.later.outvars().size(), true));
  const Arrays changes = bind_remat(known("checkpoint", later.jaxpr), where(operands, later.used_inputs, true), params, true);
  return {results, spread(changes, 0, moving, jaxpr.out_avals())};
}

Cotangents remat_transpose(const Primitive&, const Cotangents& cotangents, const LinearOperands& operands, const EqnParams& params) {
  const auto& jaxpr = params.get<Jaxpr>("jaxpr");
  return transposed_call(jaxpr, cotangents, operands, false, holds_calls_only(jaxpr), [&](const Jaxpr& transposed, const Arrays& inputs) {
    return bind_remat(known("checkpoint", transposed), inputs, params, true);
  });
}

PrunedEqn remat_prune(const Eqn& eqn, const Flags& used) {
  const PrunedJaxpr pruned = pruned_call(eqn.params().get<Jaxpr>("jaxpr"), used);
  return {eqn.params().with("jaxpr", pruned.jaxpr), pruned.used_inputs, used};
}

}  // namespace

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
  const auto body = [&](const Arrays& leaves) {
    value = call.run(leaves);
    return value.leaves;
  };
  Arrays operands;
  const Jaxpr jaxpr = trace_closed("checkpoint", body, avals_of(call.leaves), operands);
  extend(operands, call.leaves);
  Param policy;
  if (options.policy) policy = *options.policy;
  value.leaves = bind_all(remat_p, operands, {{"differentiated", false}, {"jaxpr", jaxpr}, {"policy", policy}, {"prevent_cse", options.prevent_cse}});
  return value;
}

}  // namespace tenon::detail
