#include "control/split.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "control/call.h"
#include "control/jit.h"
#include "control/rules.h"
#include "core/nodes.h"

namespace tenon::detail {
namespace {

// An equation in two. The results that are not `again` are kept where they are needed, as `kept` is.
struct SplitEqn {
  Eqn now;
  std::vector<Eqn> later;
  Vars kept;
  Flags again;
};
SplitEqn split_eqn(const Eqn& eqn, const Flags& at_hand, Saves saves);

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
  Splitter(const Jaxpr& jaxpr, const Flags& inputs_at_hand, Saves saves) : saves_(saves) {
    for (const Var& v : jaxpr.constvars()) at_hand_.insert(v.id());
    for (size_t i = 0; i < inputs_at_hand.size(); ++i)
      if (inputs_at_hand[i]) at_hand_.insert(jaxpr.invars()[i].id());
  }

  void add(const Eqn& eqn) {
    Flags hand;
    for (const Var& v : eqn.invars()) hand.push_back(is_at_hand(v));
    SplitEqn parts = split_eqn(eqn, hand, saves_);
    now.push_back(std::move(parts.now));
    if (!parts.later.empty())
      for (const Var& v : eqn.invars()) need(v);
    for (const Var& v : parts.kept) need(v);
    for (Eqn& again : parts.later) later.push_back(std::move(again));
    for (size_t i = 0; i < parts.again.size(); ++i)
      if (parts.again[i]) at_hand_.insert(eqn.outvars()[i].id());
  }
  // `v` is read later.
  void need(const Var& v) {
    if (!is_at_hand(v) && listed_.insert(v.id()).second) kept.push_back(v);
  }
  bool is_at_hand(const Var& v) const { return v.is_literal() || at_hand_.contains(v.id()); }

  std::vector<Eqn> now, later;
  Vars kept;

 private:
  Saves saves_;
  std::unordered_set<const void*> at_hand_, listed_;
};

// Nothing of the equation is kept: all of it is done again.
SplitEqn all_again(const Eqn& eqn) { return {eqn, {eqn}, {}, Flags(eqn.outvars().size(), true)}; }

SplitEqn split_call(const Eqn& eqn, const char* param, const Flags& at_hand, Saves saves) {
  const Jaxpr& program = eqn.params().get<Jaxpr>(param);
  SplitJaxpr parts = split_jaxpr(program, at_hand, saves);
  if (parts.kept == 0 && !any_of(parts.again)) return {eqn, {}, {}, parts.again};
  if (parts.kept == 0 && count_of(parts.again) == parts.again.size() && count_of(at_hand) == at_hand.size()) return all_again(eqn);
  // What is kept and is an operand or a result anyway does not come out again.
  const size_t results = parts.again.size();
  Vars outvars = part(parts.now.outvars(), 0, results), kept, out = eqn.outvars();
  for (size_t i = results; i < parts.now.outvars().size(); ++i) {
    const Var& v = parts.now.outvars()[i];
    const auto input = std::ranges::find(program.invars(), v);
    const auto result = std::find(outvars.begin(), outvars.begin() + static_cast<ptrdiff_t>(results), v);
    if (input != program.invars().end()) {
      kept.push_back(eqn.invars()[static_cast<size_t>(input - program.invars().begin())]);
    } else if (result != outvars.begin() + static_cast<ptrdiff_t>(results)) {
      kept.push_back(eqn.outvars()[static_cast<size_t>(result - outvars.begin())]);
    } else {
      kept.push_back(new_var(v.aval()));
      out.push_back(kept.back());
      outvars.push_back(v);
    }
  }
  const auto called = [&](const Jaxpr& jaxpr) {
    const Param* name = eqn.params().find("name");
    return eqn.params().with(param, name ? called_jaxpr(name->get<std::string>(), jaxpr) : jaxpr);
  };
  const Eqn now = with(eqn, eqn.invars(), out, called(with_results(parts.now, outvars)));
  if (!any_of(parts.again)) return {now, {}, kept, parts.again};
  Vars in = kept;
  extend(in, where(eqn.invars(), at_hand, true));
  return {now, {with(eqn, in, where(eqn.outvars(), parts.again, true), called(parts.later))}, kept, parts.again};
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

SplitEqn split_scan(const Eqn& eqn, Saves saves) {
  const EqnParams& params = eqn.params();
  if (saves(eqn)) return {in_a_call(eqn), {}, {}, Flags(eqn.outvars().size(), false)};
  const Jaxpr& body = params.get<Jaxpr>("jaxpr");
  const SplitJaxpr parts = split_jaxpr(body, Flags(body.invars().size(), true), saves, true);
  if (parts.kept == 0) return {in_a_call(eqn), {eqn}, {}, Flags(eqn.outvars().size(), true)};
  // What a step keeps is stacked, and goes along again.
  Vars kept, out = eqn.outvars(), in = eqn.invars();
  for (size_t i = eqn.outvars().size(); i < parts.now.outvars().size(); ++i) {
    ShapedArray aval = parts.now.outvars()[i].aval();
    std::vector<int64_t> sizes = aval.shape.dims();
    sizes.insert(sizes.begin(), params.get<int64_t>("length"));
    aval.shape = Shape(sizes);
    kept.push_back(new_var(aval));
  }
  extend(out, kept);
  extend(in, kept);
  const Vars& binders = parts.later.invars();
  const Jaxpr later = with_binders(parts.later, concatenated({part(binders, parts.kept, binders.size()), part(binders, 0, parts.kept)}), parts.later.outvars());
  return {in_a_call(with(eqn, eqn.invars(), out, params.with("jaxpr", parts.now))),
          {with(eqn, in, eqn.outvars(), params.with("jaxpr", later))}, kept, Flags(eqn.outvars().size(), true)};
}

SplitEqn split_eqn(const Eqn& eqn, const Flags& at_hand, Saves saves) {
  const Primitive* primitive = &eqn.primitive();
  if (primitive == &jit_p) return split_call(eqn, "jaxpr", at_hand, saves);
  if (primitive == &eval_jaxpr_p) return split_call(eqn, "call_jaxpr", at_hand, saves);
  if (eqn.effects() != Effects::none) return {eqn, {}, {}, Flags(eqn.outvars().size(), false)};
  if (primitive == &scan_p) return split_scan(eqn, saves);
  if (saves(eqn)) return {eqn, {}, {}, Flags(eqn.outvars().size(), false)};
  return all_again(eqn);
}

}  // namespace

SplitJaxpr split_jaxpr(const Jaxpr& jaxpr, const Flags& at_hand, Saves saves, bool all_again) {
  Splitter split(jaxpr, at_hand, saves);
  for (const Eqn& eqn : jaxpr.eqns()) split.add(eqn);
  SplitJaxpr out;
  Vars again;
  for (const Var& v : jaxpr.outvars()) {
    if (all_again) split.need(v);
    out.again.push_back(all_again || split.is_at_hand(v));
    if (out.again.back()) again.push_back(v);
  }
  out.kept = split.kept.size();
  out.now = with_parts(jaxpr, jaxpr.invars(), split.now, concatenated({jaxpr.outvars(), split.kept}));
  out.later = with_parts(jaxpr, concatenated({split.kept, where(jaxpr.invars(), at_hand, true)}), split.later, again);
  return out;
}

SplitJaxpr split_linearized(const LinearizedJaxpr& parts, Saves saves) {
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

  SplitJaxpr out;
  out.again.assign(changes.size(), true);
  const Vars tangents = part(binders, parts.forwarded.size(), binders.size());
  const Jaxpr later = with_parts(forward, concatenated({split.kept, forward.invars(), tangents}), split.later, changes);
  const Flags used = dead_code_eliminated(later, out.again).used_inputs;
  const Vars kept = where(split.kept, part(used, 0, split.kept.size()), true);
  out.kept = kept.size();
  out.later = dead_code_eliminated(with_parts(forward, concatenated({kept, forward.invars(), tangents}), split.later, changes), out.again, true).jaxpr;
  const Jaxpr now = with_parts(forward, forward.invars(), split.now, concatenated({part(forward.outvars(), 0, results), kept}));
  out.now = dead_code_eliminated(now, Flags(now.outvars().size(), true), true).jaxpr;
  return out;
}

}  // namespace tenon::detail
