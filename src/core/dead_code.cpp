// Backwards over the equations: one is kept when a kept one reads a result of it, or when it has effects.
#include "core/dead_code.h"

#include <algorithm>
#include <unordered_set>

#include "base/fail.h"
#include "core/flags.h"
#include "core/jaxpr_cache.h"
#include "tenon/primitive.h"

namespace tenon::detail {
namespace {

// What is left of an equation; itself when that is all.
Eqn pruned(const Eqn& eqn, const std::vector<bool>& wanted, bool& changed) {
  if (!eqn.primitive().prune) return eqn;
  const PrunedEqn rest = eqn.primitive().prune(eqn, wanted);
  if (all_of(rest.operands) && all_of(rest.results) && rest.params == eqn.params()) return eqn;
  changed = true;
  return Eqn(eqn.primitive(), where(eqn.invars(), rest.operands, true), where(eqn.outvars(), rest.results, true), rest.params, eqn.source(),
             eqn.effects(), eqn.call());
}

}  // namespace

PrunedJaxpr dead_code_eliminated(const Jaxpr& jaxpr, const std::vector<bool>& used, bool keep_inputs) {
  TENON_CHECK(used.size() == jaxpr.outvars().size(), "dead_code_eliminated");
  auto node = make_ref<JaxprNode>();
  node->effects = jaxpr.effects();
  node->name = jaxpr.id()->name;
  node->outvars = where(jaxpr.outvars(), used, true);
  std::unordered_set<const void*> live;
  for (const Var& v : node->outvars) live.insert(v.id());
  bool changed = false;  // an equation became another one
  std::vector<bool> wanted;
  for (auto eqn = jaxpr.eqns().rbegin(); eqn != jaxpr.eqns().rend(); ++eqn) {
    wanted.clear();
    for (const Var& v : eqn->outvars()) wanted.push_back(live.contains(v.id()));
    if (eqn->effects() == Effects::none && !any_of(wanted)) continue;
    node->eqns.push_back(pruned(*eqn, wanted, changed));
    for (const Var& v : node->eqns.back().invars()) live.insert(v.id());
  }
  std::ranges::reverse(node->eqns);

  PrunedJaxpr out;
  for (size_t i = 0; i < jaxpr.invars().size(); ++i) {
    out.used_inputs.push_back(live.contains(jaxpr.invars()[i].id()));
    if (!out.used_inputs[i] && !keep_inputs) continue;
    node->invars.push_back(jaxpr.invars()[i]);
    if (!jaxpr.id()->arg_names.empty()) node->arg_names.push_back(jaxpr.id()->arg_names[i]);
  }
  for (size_t i = 0; i < jaxpr.consts().size(); ++i) {
    if (!live.contains(jaxpr.constvars()[i].id())) continue;
    node->constvars.push_back(jaxpr.constvars()[i]);
    node->consts.push_back(jaxpr.consts()[i]);
  }
  changed |= !all_of(used) || node->eqns.size() != jaxpr.eqns().size() || node->invars.size() != jaxpr.invars().size() ||
             node->constvars.size() != jaxpr.constvars().size();
  out.jaxpr = changed ? Jaxpr(Ref<const JaxprNode>(node)) : jaxpr;
  return out;
}

PrunedJaxpr pruned_call(const Jaxpr& jaxpr, const std::vector<bool>& used, bool keep_inputs) {
  static JaxprCache<PrunedJaxpr>* cache = new JaxprCache<PrunedJaxpr>;
  return cache->get(jaxpr, key_of({used, {keep_inputs}}), [&] { return dead_code_eliminated(jaxpr, used, keep_inputs); });
}

}  // namespace tenon::detail
