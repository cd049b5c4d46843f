#include "control/call.h"

#include <algorithm>

#include "base/fail.h"
#include "control/rules.h"
#include "core/jaxpr_cache.h"

namespace tenon::detail {
namespace {

const char* name_of_program(const EqnParams& params) { return params.find("call_jaxpr") ? "call_jaxpr" : "jaxpr"; }
const Jaxpr& program_of(const EqnParams& params) { return params.get<Jaxpr>(name_of_program(params)); }

// A call of a program that was made of that of `params`. It is the same object where it was made of the same one (JaxprCache), as in JAX.
Arrays bind_called(const Primitive& self, const Jaxpr& jaxpr, const Arrays& operands, const EqnParams& params) {
  const Jaxpr called = params.find("name") ? jaxpr : known(self.name.text, jaxpr);
  return bind_all(self, operands, params.with(name_of_program(params), called));
}

// A program whose results are inputs, or come twice, returns each value once; what it keeps of its constants is known.
struct DistinctResults {
  Jaxpr jaxpr;
  std::vector<int> from;  // of each result: >= 0 a result of `jaxpr`, < 0 the input -1 - from
  Arrays constants;       // of each result; empty where it is none
};
DistinctResults distinct_results(const Jaxpr& jaxpr, size_t replaceable_by_inputs) {
  DistinctResults out;
  Vars kept;
  for (size_t i = 0; i < jaxpr.outvars().size(); ++i) {
    const Var& v = jaxpr.outvars()[i];
    out.constants.emplace_back();
    const auto constant = std::ranges::find(jaxpr.constvars(), v);
    if (i >= replaceable_by_inputs && constant != jaxpr.constvars().end()) {
      out.constants.back() = jaxpr.consts()[static_cast<size_t>(constant - jaxpr.constvars().begin())];
      out.from.push_back(0);
      continue;
    }
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

}  // namespace

Avals called_avals(const char* who, const Jaxpr& jaxpr, const Avals& operands) {
  const Vars& inputs = jaxpr.invars();
  if (inputs.size() != operands.size())
    fail<TypeError>(who, "the program has ", inputs.size(), " inputs; got ", operands.size(), " operands");
  for (size_t i = 0; i < inputs.size(); ++i)
    if (!same_type(inputs[i].aval(), operands[i]))
      fail<TypeError>(who, "input ", i, " of the program is ", inputs[i].aval(), "; got an operand ", operands[i]);
  return jaxpr.out_avals();
}

JvpResult call_jvp(const Primitive& self, const Arrays& primals, const Tangents& tangents, const EqnParams& params) {
  const Jaxpr& jaxpr = program_of(params);
  const JvpJaxpr derived = jvp_jaxpr(jaxpr, nonzero_flags(tangents));
  Arrays operands = primals;
  append_nonzero(operands, tangents);
  const Arrays values = bind_called(self, derived.jaxpr, operands, params);
  const size_t count = derived.nonzero.size();
  return {part(values, 0, count), spread(values, count, derived.nonzero, jaxpr.out_avals())};
}

JvpResult call_linearize(const Primitive& self, const Arrays& primals, const Tangents& tangents, const EqnParams& params) {
  const Jaxpr& jaxpr = program_of(params);
  const LinearizedJaxpr parts = linearize_jaxpr(jaxpr, nonzero_flags(tangents));
  const size_t count = parts.nonzero.size();
  static auto* cache = new JaxprCache<DistinctResults>;
  const DistinctResults distinct = cache->get(parts.forward, {}, [&] { return distinct_results(parts.forward, count); });
  const Arrays values = bind_called(self, distinct.jaxpr, primals, params);
  Arrays results;
  for (size_t i = 0; i < distinct.from.size(); ++i) {
    const int from = distinct.from[i];
    if (!distinct.constants[i].is_empty()) results.push_back(distinct.constants[i]);
    else results.push_back(from >= 0 ? values[static_cast<size_t>(from)] : primals[static_cast<size_t>(-1 - from)]);
  }
  Arrays operands;
  size_t next = count;
  for (int input : parts.forwarded) operands.push_back(input >= 0 ? primals[static_cast<size_t>(input)] : results[next++]);
  append_nonzero(operands, tangents);
  results.resize(count);
  if (!any_of(parts.nonzero)) return {results, spread({}, 0, parts.nonzero, jaxpr.out_avals())};
  return {results, spread(bind_called(self, parts.tangents, operands, params), 0, parts.nonzero, jaxpr.out_avals())};
}

Cotangents call_transpose(const Primitive& self, const Cotangents& cotangents, const LinearOperands& inputs, const EqnParams& params) {
  return transposed_call(program_of(params), cotangents, inputs, true, false,
                         [&](const Jaxpr& transposed, const Arrays& operands) { return bind_called(self, transposed, operands, params); });
}

BatchResult call_batching(const Primitive& self, const BatchAxis& axis, const Arrays& operands, const std::vector<int>& axes,
                          const EqnParams& params) {
  const BatchedJaxpr batched = batch_jaxpr(program_of(params), axis, axes);
  return {bind_called(self, batched.jaxpr, operands, params), batched.axes};
}

PrunedEqn call_prune(const Eqn& eqn, const std::vector<bool>& used) {
  const PrunedJaxpr pruned = pruned_call(program_of(eqn.params()), used);
  return {eqn.params().with(name_of_program(eqn.params()), pruned.jaxpr), pruned.used_inputs, used};
}

constinit const Primitive eval_jaxpr_p{
    .name = "eval_jaxpr",
    .abstract_eval = [](const Avals& operands, const EqnParams& params) -> Avals {
      return called_avals("eval_jaxpr", program_of(params), operands);
    },
    .jvp = call_jvp,
    .linearize = call_linearize,
    .transpose = call_transpose,
    .batching = call_batching,
    .prune = call_prune,
    .effects = [](const EqnParams& params) { return program_of(params).effects(); },
    .call_like = true,
};

}  // namespace tenon::detail
