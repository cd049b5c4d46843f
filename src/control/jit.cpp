#include "control/jit.h"

#include <algorithm>

#include "base/fail.h"
#include "control/rules.h"
#include "trace/jaxpr_trace.h"
#include "transforms/jaxpr_cache.h"

namespace tenon::detail {

namespace {

// `jaxpr` under the name that `params` has; equal ones are one.
Arrays bind_called(const Jaxpr& jaxpr, const Arrays& operands, const EqnParams& params) {
  return bind_all(jit_p, operands, params.with("jaxpr", called_jaxpr(params.get<std::string>("name"), jaxpr)));
}

JvpResult jit_jvp(const Primitive&, const Arrays& primals, const Tangents& tangents, const EqnParams& params) {
  const auto& jaxpr = params.get<Jaxpr>("jaxpr");
  const JvpJaxpr derived = jvp_jaxpr(jaxpr, nonzero_flags(tangents));
  Arrays operands = primals;
  append_nonzero(operands, tangents);
  const Arrays values = bind_called(derived.jaxpr, operands, params);
  const size_t count = derived.nonzero.size();
  return {Arrays(values.begin(), values.begin() + static_cast<ptrdiff_t>(count)),
          spread(values, count, derived.nonzero, jaxpr.out_avals())};
}

// A program whose results are inputs, or come twice, returns each value once.
struct DistinctResults {
  Jaxpr jaxpr;
  std::vector<int> from;  // of each result: >= 0 a result of `jaxpr`, < 0 the input -1 - from
};
DistinctResults distinct_results(const Jaxpr& jaxpr, size_t replaceable_by_inputs) {
  DistinctResults out;
  Vars kept;
  for (size_t i = 0; i < jaxpr.outvars().size(); ++i) {
    const Var& v = jaxpr.outvars()[i];
    const auto input = std::ranges::find(jaxpr.invars(), v);
    if (i < replaceable_by_inputs && !v.is_literal() && input != jaxpr.invars().end()) {
      out.from.push_back(-1 - static_cast<int>(input - jaxpr.invars().begin()));
      continue;
    }
    const auto same = v.is_literal() ? kept.end() : std::ranges::find(kept, v);
    out.from.push_back(static_cast<int>(same - kept.begin()));
    if (same == kept.end()) kept.push_back(v);
  }
  out.jaxpr = kept.size() == jaxpr.outvars().size() ? jaxpr : with_results(jaxpr, kept);
  return out;
}

JvpResult jit_linearize(const Primitive&, const Arrays& primals, const Tangents& tangents, const EqnParams& params) {
  const auto& jaxpr = params.get<Jaxpr>("jaxpr");
  const LinearizedJaxpr parts = linearize_jaxpr(jaxpr, nonzero_flags(tangents));
  const size_t count = parts.nonzero.size();
  static auto* cache = new JaxprCache<DistinctResults>;
  const DistinctResults distinct = cache->get(parts.forward, {}, [&] { return distinct_results(parts.forward, count); });
  const Arrays values = bind_called(distinct.jaxpr, primals, params);
  Arrays results;
  for (int from : distinct.from) results.push_back(from >= 0 ? values[static_cast<size_t>(from)] : primals[static_cast<size_t>(-1 - from)]);
  Arrays operands;
  size_t next = count;
  for (int input : parts.forwarded) operands.push_back(input >= 0 ? primals[static_cast<size_t>(input)] : results[next++]);
  append_nonzero(operands, tangents);
  results.resize(count);
  if (!any_of(parts.nonzero))
    return {results, spread({}, 0, parts.nonzero, jaxpr.out_avals())};
  return {results, spread(bind_called(parts.tangents, operands, params), 0, parts.nonzero, jaxpr.out_avals())};
}

Cotangents jit_transpose(const Primitive&, const Cotangents& cotangents, const LinearOperands& inputs, const EqnParams& params) {
  return transposed_call(params.get<Jaxpr>("jaxpr"), cotangents, inputs,
                         [&](const Jaxpr& transposed, const Arrays& operands) { return bind_called(transposed, operands, params); });
}

BatchResult jit_batching(const Primitive&, const BatchAxis& axis, const Arrays& operands, const std::vector<int>& axes,
                         const EqnParams& params) {
  const BatchedJaxpr batched = batch_jaxpr(params.get<Jaxpr>("jaxpr"), axis, axes);
  return {bind_called(batched.jaxpr, operands, params), batched.axes};
}

PrunedEqn jit_prune(const Eqn& eqn, const std::vector<bool>& used) {
  const PrunedJaxpr pruned = pruned_call(eqn.params().get<Jaxpr>("jaxpr"), used);
  return {eqn.params().with("jaxpr", pruned.jaxpr), pruned.used_inputs, used};
}

}  // namespace

constinit const Primitive jit_p{
    .name = "jit",
    .abstract_eval = [](const Avals& operands, const EqnParams& params) -> Avals {
      const auto& jaxpr = params.get<Jaxpr>("jaxpr");
      TENON_CHECK(operands.size() == jaxpr.invars().size(), params.at("name").str());
      return jaxpr.out_avals();
    },
    .jvp = jit_jvp,
    .linearize = jit_linearize,
    .transpose = jit_transpose,
    .batching = jit_batching,
    .prune = jit_prune,
    .effects = [](const EqnParams& params) { return params.get<Jaxpr>("jaxpr").effects(); },
    .call_like = true,
};

Arrays bind_jit(const std::string& name, const Jaxpr& jaxpr, Arrays operands) {
  const Jaxpr closed = called_jaxpr(name, hoist_tracers(jaxpr, operands));
  return bind_all(jit_p, operands, {{"jaxpr", closed}, {"name", name}});
}

// Large values go through one fused program instead of one after the other; tracing costs some 20 us.
static constexpr int64_t kWorthFusing = 1 << 16;

Arrays call_jitted(const char* name, FunctionRef<Arrays(const Arrays&)> body, const Arrays& operands, int64_t elements) {
  const bool evaluates = is_evaluating();
  for (const Array& operand : operands) elements = std::max(elements, operand.size());
  if (!current_trace().records() && elements < kWorthFusing) return body(operands);
  const Jaxpr jaxpr = trace_to_jaxpr(body, avals_of(operands), name, name);
  if (!evaluates) return bind_jit(name, jaxpr, operands);
  if (!jaxpr.consts().empty()) return body(operands);  // a program for these values alone
  return bind_all(jit_p, operands, {{"jaxpr", evaluated_jaxpr(name, jaxpr)}, {"name", name}});
}

}  // namespace tenon::detail
