#include "lowering/dead_code.h"

#include <algorithm>
#include <unordered_set>

#include "tenon/primitive.h"

namespace tenon {
namespace {

using VarSet = std::unordered_set<const void*>;

const Jaxpr* called_jaxpr(const Eqn& eqn) {
  if (!eqn.primitive().call_like) return nullptr;
  const Param* jaxpr = eqn.params().find("jaxpr");
  return jaxpr && jaxpr->is<Jaxpr>() ? &jaxpr->get<Jaxpr>() : nullptr;
}

// The body of a function with a derivative of its own.
const Jaxpr* custom_body(const Eqn& eqn) {
  const Param* jaxpr = eqn.params().find("call_jaxpr");
  return jaxpr && jaxpr->is<Jaxpr>() ? &jaxpr->get<Jaxpr>() : nullptr;
}

void mark(VarSet& live, const Var& var) {
  if (!var.is_literal()) live.insert(var.id());
}

template <class T>
std::vector<T> kept(const std::vector<T>& all, const std::vector<bool>& keep) {
  std::vector<T> out;
  for (size_t i = 0; i < all.size(); ++i)
    if (keep[i]) out.push_back(all[i]);
  return out;
}

}  // namespace

// Backwards over the equations; recursive over the nesting of programs only.
LiveJaxpr DeadCode::remove(const Jaxpr& jaxpr, const std::vector<bool>& used_outputs) {
  auto key = std::pair(static_cast<const void*>(jaxpr.id()), used_outputs);
  if (auto at = done_.find(key); at != done_.end()) return at->second.second;

  auto node = detail::make_ref<detail::JaxprNode>();
  node->effects = jaxpr.effects();
  node->name = jaxpr.id()->name;
  node->outvars = kept(jaxpr.outvars(), used_outputs);
  VarSet live;
  for (const Var& v : node->outvars) mark(live, v);
  for (auto eqn = jaxpr.eqns().rbegin(); eqn != jaxpr.eqns().rend(); ++eqn) {
    std::vector<bool> used(eqn->outvars().size());
    for (size_t i = 0; i < used.size(); ++i) used[i] = live.contains(eqn->outvars()[i].id());
    const bool has_effects = eqn->effects() != Effects::none;
    if (!has_effects && std::ranges::none_of(used, [](bool u) { return u; })) continue;
    Eqn live_eqn = *eqn;
    if (const Jaxpr* body = custom_body(*eqn)) {
      LiveJaxpr inner = remove(*body, used);
      if (inner.jaxpr != *body) {
        auto whole = detail::make_ref<detail::JaxprNode>(*inner.jaxpr.id());
        whole->invars = body->invars();  // the rule of its derivative takes all of them
        live_eqn = Eqn(eqn->primitive(), eqn->invars(), kept(eqn->outvars(), used), eqn->params().with("call_jaxpr", Jaxpr(whole)),
                       eqn->source(), eqn->effects());
      }
    }
    if (const Jaxpr* callee = called_jaxpr(*eqn)) {
      LiveJaxpr inner = remove(*callee, used);
      if (inner.jaxpr != *callee)
        live_eqn = Eqn(eqn->primitive(), kept(eqn->invars(), inner.used_inputs), kept(eqn->outvars(), used),
                       eqn->params().with("jaxpr", inner.jaxpr), eqn->source(), eqn->effects());
    }
    for (const Var& v : live_eqn.invars()) mark(live, v);
    node->eqns.push_back(std::move(live_eqn));
  }
  std::ranges::reverse(node->eqns);

  LiveJaxpr result;
  for (const Var& v : jaxpr.invars()) result.used_inputs.push_back(live.contains(v.id()));
  node->invars = kept(jaxpr.invars(), result.used_inputs);
  if (!jaxpr.id()->arg_names.empty()) node->arg_names = kept(jaxpr.id()->arg_names, result.used_inputs);
  std::vector<bool> used_consts;
  for (const Var& v : jaxpr.constvars()) used_consts.push_back(live.contains(v.id()));
  node->constvars = kept(jaxpr.constvars(), used_consts);
  node->consts = kept(jaxpr.consts(), used_consts);
  const bool changed = node->eqns.size() != jaxpr.eqns().size() || node->invars.size() != jaxpr.invars().size() ||
                       node->outvars.size() != jaxpr.outvars().size() || node->constvars.size() != jaxpr.constvars().size() ||
                       !std::ranges::equal(node->eqns, jaxpr.eqns(), [](const Eqn& a, const Eqn& b) {
                         const Jaxpr *x = called_jaxpr(a), *y = called_jaxpr(b);
                         const Jaxpr *p = custom_body(a), *q = custom_body(b);
                         if (p && q && *p != *q) return false;
                         return (x == nullptr) == (y == nullptr) && (!x || *x == *y);
                       });
  result.jaxpr = changed ? Jaxpr(node) : jaxpr;
  done_.emplace(std::move(key), std::pair(jaxpr, result));
  return result;
}

}  // namespace tenon
