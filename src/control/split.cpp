#include "control/split.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "control/call.h"
#include "control/custom_jvp.h"
#include "control/jit.h"
#include "control/rules.h"
#include "core/jaxpr_cache.h"
#include "core/nodes.h"

namespace tenon::detail {
namespace {

// An equation in two. The results that are not `again` are kept where they are needed, as `kept` is.
struct SplitEqn {
  std::vector<Eqn> now, later;
  Vars kept;
  Flags again, unknown;
};
SplitEqn split_eqn(const Eqn& eqn, const Flags& at_hand, const Flags& unknown, const Saves& saves);

Var new_var(const ShapedArray& aval) {
  auto node = make_ref<VarNode>();
  node->aval = aval;
  return Var(node);
}
Eqn with(const Eqn& eqn, Vars invars, Vars outvars, EqnParams params) {
  return Eqn(eqn.primitive(), std::move(invars), std::move(outvars), std::move(params), eqn.source(), eqn.effects(), eqn.call());
}
Jaxpr with_parts(const Jaxpr& jaxpr, Vars invars, std::vector<Eqn> eqns, Vars outvars) {
  auto node = make_ref<JaxprNode>(*jaxpr.id());
  node->invars = std::move(invars);
  node->eqns = std::move(eqns);
  node->outvars = std::move(outvars);
  node->arg_names.clear();
  node->effects = Effects::none;
  for (const Eqn& eqn : node->eqns) node->effects = node->effects | eqn.effects();
  return Jaxpr(Ref<const JaxprNode>(node));
}

// Goes along a program and puts its equations where they belong.
class Splitter {
 public:
  Splitter(const Jaxpr& jaxpr, const Flags& inputs_at_hand, const Saves& saves, const Flags& unknown = {}) : saves_(saves) {
    for (const Var& v : jaxpr.constvars()) at_hand_.insert(v.id());
    for (size_t i = 0; i < unknown.size(); ++i)
      if (unknown[i]) unknown_.insert(jaxpr.invars()[i].id());
    for (size_t i = 0; i < inputs_at_hand.size(); ++i)
      if (inputs_at_hand[i]) at_hand_.insert(jaxpr.invars()[i].id());
  }

  void add(const Eqn& eqn) {
    Flags hand, unknown;
    for (const Var& v : eqn.invars()) {
      hand.push_back(is_at_hand(v));
      unknown.push_back(is_unknown(v));
    }
    SplitEqn parts = split_eqn(eqn, hand, unknown, saves_);
    for (Eqn& known : parts.now) now.push_back(std::move(known));
    if (!parts.later.empty())
      for (const Var& v : eqn.invars()) need(v);
    for (const Var& v : parts.kept) need(v);
    for (Eqn& again : parts.later) later.push_back(std::move(again));
    for (size_t i = 0; i < parts.again.size(); ++i) {
      if (parts.again[i]) at_hand_.insert(eqn.outvars()[i].id());
      if (!parts.unknown.empty() && parts.unknown[i]) unknown_.insert(eqn.outvars()[i].id());
    }
  }
  // `v` is read later.
  void need(const Var& v) {
    if (!is_at_hand(v) && listed_.insert(v.id()).second) kept.push_back(v);
  }
  bool is_at_hand(const Var& v) const { return v.is_literal() || at_hand_.contains(v.id()); }
  bool is_unknown(const Var& v) const { return !v.is_literal() && unknown_.contains(v.id()); }

  std::vector<Eqn> now, later;
  Vars kept;

 private:
  const Saves& saves_;
  std::unordered_set<const void*> at_hand_, unknown_, listed_;
};

// Nothing of the equation is kept: all of it is done again.
SplitEqn all_again(const Eqn& eqn) { return {{eqn}, {eqn}, {}, Flags(eqn.outvars().size(), true), {}}; }
// All of it is kept where it is needed.
SplitEqn all_saved(const Eqn& eqn) { return {{eqn}, {}, {}, Flags(eqn.outvars().size(), false), {}}; }

// A called program in two. Of what is kept, operands and results of the call do not come out again.
struct SplitCall {
  SplitJaxpr parts;        // `now` without those
  std::vector<int> kept;   // where each is: >= 0 a result of `now`, < 0 the operand -1 - k
};
SplitCall make_split_call(const Jaxpr& program, const Flags& at_hand, const Flags& unknown, const Saves& saves) {
  SplitCall out{split_jaxpr(program, at_hand, saves, false, unknown), {}};
  const Vars& values = out.parts.now.outvars();
  const size_t results = values.size() - out.parts.kept;
  Vars outvars = part(values, 0, results);
  for (size_t i = results; i < values.size(); ++i) {
    const auto input = std::ranges::find(program.invars(), values[i]);
    if (input != program.invars().end()) {
      out.kept.push_back(-1 - static_cast<int>(input - program.invars().begin()));
      continue;
    }
    const auto at = std::find(outvars.begin(), outvars.begin() + static_cast<ptrdiff_t>(results), values[i]) - outvars.begin();
    out.kept.push_back(static_cast<int>(at < static_cast<ptrdiff_t>(results) ? at : static_cast<ptrdiff_t>(outvars.size())));
    if (at == static_cast<ptrdiff_t>(results)) outvars.push_back(values[i]);
  }
  out.parts.now = with_results(out.parts.now, outvars);
  return out;
}

SplitEqn split_call(const Eqn& eqn, const char* param, const Flags& at_hand, const Flags& unknown, const Saves& saves) {
  const Jaxpr& program = eqn.params().get<Jaxpr>(param);
  static auto* cache = new JaxprCache<SplitCall>;
  const SplitCall call = cache->get(program, key_of({at_hand, unknown}) + saves.key, [&] { return make_split_call(program, at_hand, unknown, saves); });
  const SplitJaxpr& parts = call.parts;
  if (parts.kept == 0 && !any_of(parts.again)) return all_saved(eqn);
  const bool all = count_of(parts.again) == parts.again.size() && count_of(at_hand) == at_hand.size();
  if (parts.kept == 0 && all && !any_of(unknown)) return all_again(eqn);
  Vars out = where(eqn.outvars(), parts.unknown, false), kept;
  for (const int from : call.kept) {
    if (from >= static_cast<int>(out.size())) out.push_back(new_var(parts.now.outvars()[static_cast<size_t>(from)].aval()));
    kept.push_back(from >= 0 ? out[static_cast<size_t>(from)] : eqn.invars()[static_cast<size_t>(-1 - from)]);
  }
  SplitEqn split{{}, {}, kept, parts.again, parts.unknown};
  if (!out.empty()) split.now.push_back(with(eqn, where(eqn.invars(), unknown, false), out, eqn.params().with(param, parts.now)));
  Vars in = kept;
  extend(in, where(eqn.invars(), at_hand, true));
  if (any_of(parts.again)) split.later.push_back(with(eqn, in, where(eqn.outvars(), parts.again, true), eqn.params().with(param, parts.later)));
  return split;
}

// A call of a program that is one equation: in JAX this part of a scan is one.
Eqn in_a_call(const Eqn& eqn) {
  auto node = make_ref<JaxprNode>();
  Vars operands;
  for (const Var& v : eqn.invars()) {
    if (v.is_literal()) continue;
    if (std::ranges::find(operands, v) == operands.end()) operands.push_back(v);
  }
  node->invars = operands;
  node->eqns = {eqn};
  node->outvars = eqn.outvars();
  node->effects = eqn.effects();
  return Eqn(eval_jaxpr_p, operands, eqn.outvars(), {{"call_jaxpr", Jaxpr(Ref<const JaxprNode>(node))}}, eqn.source(), eqn.effects(), eqn.call());
}

SplitEqn split_scan(const Eqn& eqn, const Saves& saves) {
  const EqnParams& params = eqn.params();
  if (saves(eqn)) return all_saved(in_a_call(eqn));
  const Jaxpr& body = params.get<Jaxpr>("jaxpr");
  const SplitJaxpr parts = split_jaxpr(body, Flags(body.invars().size(), true), saves, true);
  if (parts.kept == 0) return {{in_a_call(eqn)}, {eqn}, {}, Flags(eqn.outvars().size(), true), {}};
  // What a step keeps is stacked, and goes along again.
  Vars kept, out = eqn.outvars(), in = eqn.invars();
  for (size_t i = eqn.outvars().size(); i < parts.now.outvars().size(); ++i)
    kept.push_back(new_var(with_axis(parts.now.outvars()[i].aval(), 0, params.get<int64_t>("length"))));
  extend(out, kept);
  extend(in, kept);
  const Vars& binders = parts.later.invars();
  const Jaxpr later = with_binders(parts.later, concatenated({part(binders, parts.kept, binders.size()), part(binders, 0, parts.kept)}), parts.later.outvars());
  return {{in_a_call(with(eqn, eqn.invars(), out, params.with("jaxpr", parts.now)))},
          {with(eqn, in, eqn.outvars(), params.with("jaxpr", later))}, kept, Flags(eqn.outvars().size(), true), {}};
}

SplitEqn split_eqn(const Eqn& eqn, const Flags& at_hand, const Flags& unknown, const Saves& saves) {
  const Primitive* primitive = &eqn.primitive();
  if (primitive == &jit_p) return split_call(eqn, "jaxpr", at_hand, unknown, saves);
  if (primitive == &eval_jaxpr_p) return split_call(eqn, "call_jaxpr", at_hand, unknown, saves);
  const Flags all(eqn.outvars().size(), true);
  if (any_of(unknown)) return {{}, {eqn}, {}, all, all};
  if (eqn.effects() != Effects::none) return all_saved(eqn);
  if (primitive == &scan_p) return split_scan(eqn, saves);
  return saves(eqn) ? all_saved(eqn) : all_again(eqn);
}

// Without what nobody needs: `now` gives `results`, `later` gives `changes`.
SplitJaxpr finished(const Jaxpr& jaxpr, const Splitter& split, const Vars& known, const Vars& results, const Vars& inputs, const Vars& changes) {
  SplitJaxpr out;
  out.again.assign(changes.size(), true);
  const Jaxpr later = with_parts(jaxpr, concatenated({split.kept, inputs}), split.later, changes);
  const Flags used = dead_code_eliminated(later, out.again).used_inputs;
  const Vars kept = where(split.kept, part(used, 0, split.kept.size()), true);
  out.kept = kept.size();
  out.later = dead_code_eliminated(with_parts(jaxpr, concatenated({kept, inputs}), split.later, changes), out.again, true).jaxpr;
  const Jaxpr now = with_parts(jaxpr, known, split.now, concatenated({results, kept}));
  out.now = dead_code_eliminated(now, Flags(now.outvars().size(), true), true).jaxpr;
  return out;
}

}  // namespace

bool holds_calls_only(const Jaxpr& jaxpr) {
  return std::ranges::all_of(jaxpr.eqns(), [](const Eqn& eqn) {
    const std::vector<Jaxpr> programs = jaxprs_in_params(eqn.params());
    const bool is_call = &eqn.primitive() == &jit_p || &eqn.primitive() == &eval_jaxpr_p || &eqn.primitive() == &custom_jvp_call_p;
    return programs.empty() || (is_call && std::ranges::all_of(programs, holds_calls_only));
  });
}

SplitJaxpr split_jaxpr(const Jaxpr& jaxpr, const Flags& at_hand, const Saves& saves, bool all_again, const Flags& unknown) {
  Splitter split(jaxpr, at_hand, saves, unknown);
  for (const Eqn& eqn : jaxpr.eqns()) split.add(eqn);
  SplitJaxpr out;
  Vars again, known;
  for (const Var& v : jaxpr.outvars()) {
    if (all_again) split.need(v);
    out.again.push_back(all_again || split.is_at_hand(v));
    out.unknown.push_back(split.is_unknown(v));
    if (out.again.back()) again.push_back(v);
    if (!out.unknown.back()) known.push_back(v);
  }
  out.kept = split.kept.size();
  const Vars inputs = unknown.empty() ? jaxpr.invars() : where(jaxpr.invars(), unknown, false);
  out.now = with_parts(jaxpr, inputs, split.now, concatenated({known, split.kept}));
  out.later = with_parts(jaxpr, concatenated({split.kept, where(jaxpr.invars(), at_hand, true)}), split.later, again);
  return out;
}

std::optional<SplitJaxpr> split_derivative(const Jaxpr& jaxpr, size_t primals, size_t results, const Saves& saves) {
  if (!holds_calls_only(jaxpr)) return std::nullopt;
  Flags unknown(jaxpr.invars().size(), false);
  std::fill(unknown.begin() + static_cast<ptrdiff_t>(primals), unknown.end(), true);
  Splitter split(jaxpr, Flags(unknown.size(), true), saves, unknown);
  for (const Eqn& eqn : jaxpr.eqns()) split.add(eqn);
  const Vars& out = jaxpr.outvars();
  for (size_t i = 0; i < out.size(); ++i)
    if (split.is_unknown(out[i]) != (i >= results)) return std::nullopt;
  return finished(jaxpr, split, part(jaxpr.invars(), 0, primals), part(out, 0, results), jaxpr.invars(), part(out, results, out.size()));
}

SplitJaxpr split_linearized(const LinearizedJaxpr& parts, const Saves& saves) {
  const Jaxpr& forward = parts.forward;
  Splitter split(forward, Flags(forward.invars().size(), true), saves);
  // The residuals by their names in the forward program.
  const size_t results = parts.nonzero.size();
  std::unordered_map<const void*, Var> residuals;
  const Vars& binders = parts.tangents.invars();
  size_t next = results;
  for (size_t i = 0; i < parts.forwarded.size(); ++i)
    residuals.emplace(binders[i].id(), parts.forwarded[i] >= 0 ? forward.invars()[static_cast<size_t>(parts.forwarded[i])] : forward.outvars()[next++]);
  const auto renamed = [&](const Vars& vars) {
    Vars out;
    for (const Var& v : vars) {
      const auto at = residuals.find(v.id());
      out.push_back(at == residuals.end() ? v : at->second);
    }
    return out;
  };
  // An equation of tangents comes as soon as what it reads is there, and after those before it.
  std::unordered_map<const void*, size_t> made_by;
  for (size_t i = 0; i < forward.eqns().size(); ++i)
    for (const Var& v : forward.eqns()[i].outvars()) made_by[v.id()] = i + 1;
  size_t at = 0;
  for (const Eqn& eqn : parts.tangents.eqns()) {
    const Vars invars = renamed(eqn.invars());
    size_t position = at;
    for (const Var& v : invars)
      if (const auto made = made_by.find(v.id()); made != made_by.end()) position = std::max(position, made->second);
    for (; at < position; ++at) split.add(forward.eqns()[at]);
    for (size_t i = 0; i < invars.size(); ++i)
      if (residuals.contains(eqn.invars()[i].id())) split.need(invars[i]);
    split.later.push_back(with(eqn, invars, eqn.outvars(), eqn.params()));
  }
  for (; at < forward.eqns().size(); ++at) split.add(forward.eqns()[at]);
  const Vars changes = renamed(parts.tangents.outvars());
  for (size_t i = 0; i < changes.size(); ++i)
    if (residuals.contains(parts.tangents.outvars()[i].id())) split.need(changes[i]);

  const Vars tangents = part(binders, parts.forwarded.size(), binders.size());
  return finished(forward, split, forward.invars(), part(forward.outvars(), 0, results), concatenated({forward.invars(), tangents}), changes);
}

}  // namespace tenon::detail
