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

bool all_true(const std::vector<bool>& flags) { return std::ranges::all_of(flags, [](bool f) { return f; }); }
void merge(std::vector<bool>& into, const std::vector<bool>& flags, size_t from = 0) {
  for (size_t i = 0; i < into.size(); ++i) into[i] = into[i] || flags[from + i];
}
std::vector<bool> part(const std::vector<bool>& flags, size_t begin, size_t end) {
  return std::vector<bool>(flags.begin() + static_cast<std::ptrdiff_t>(begin), flags.begin() + static_cast<std::ptrdiff_t>(end));
}
std::vector<bool> joined(std::vector<bool> a, const std::vector<bool>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
int64_t count(const std::vector<bool>& flags) { return std::ranges::count(flags, true); }

// `live`, the program `whole` without dead parts, with those inputs of `whole` that are in `keep`.
Jaxpr with_inputs(const LiveJaxpr& live, const Jaxpr& whole, const std::vector<bool>& keep) {
  if (live.used_inputs == keep) return live.jaxpr;
  auto node = detail::make_ref<detail::JaxprNode>(*live.jaxpr.id());
  node->invars = kept(whole.invars(), keep);
  node->arg_names.clear();
  return Jaxpr(node);
}

// What an equation of control flow needs when only some of its results are used.
class LiveControlFlow {
 public:
  LiveControlFlow(DeadCode& dead_code, const Eqn& eqn, const std::vector<bool>& used) : dead_code_(dead_code), eqn_(eqn), used_(used) {}

  /// The equation itself where nothing is dead in it or it is none of control flow.
  Eqn live() {
    const EqnParams& params = eqn_.params();
    if (const Param* branches = params.find("branches"); branches && branches->is<std::vector<Jaxpr>>())
      return of_cond(branches->get<std::vector<Jaxpr>>());
    if (params.find("cond_jaxpr")) return of_while(params.get<Jaxpr>("cond_jaxpr"), params.get<Jaxpr>("body_jaxpr"));
    if (params.find("num_carry")) return of_scan(params.get<Jaxpr>("jaxpr"));
    return eqn_;
  }
  bool changed() const { return changed_; }

 private:
  Eqn of_cond(const std::vector<Jaxpr>& branches) {
    std::vector<bool> inputs(eqn_.invars().size() - 1, false);
    std::vector<LiveJaxpr> live;
    for (const Jaxpr& branch : branches) {
      live.push_back(dead_code_.remove(branch, used_));
      merge(inputs, live.back().used_inputs);
    }
    std::vector<Jaxpr> left;
    for (size_t i = 0; i < branches.size(); ++i) left.push_back(all_true(inputs) && live[i].jaxpr == branches[i] ? branches[i] : with_inputs(live[i], branches[i], inputs));
    if (left == branches) return eqn_;
    return changed(joined({true}, inputs), used_, eqn_.params().with("branches", left));
  }

  Eqn of_while(const Jaxpr& condition, const Jaxpr& body) {
    const auto cond_nconsts = static_cast<size_t>(eqn_.params().get<int64_t>("cond_nconsts"));
    const auto body_nconsts = static_cast<size_t>(eqn_.params().get<int64_t>("body_nconsts"));
    const LiveJaxpr decision = dead_code_.remove(condition, {true});
    std::vector<bool> carry = used_;
    merge(carry, decision.used_inputs, cond_nconsts);
    const LiveJaxpr step = live_step(body, body_nconsts, carry, {});
    const std::vector<bool> cond_consts = part(decision.used_inputs, 0, cond_nconsts), body_consts = part(step.used_inputs, 0, body_nconsts);
    const Jaxpr new_condition = with_inputs(decision, condition, joined(cond_consts, carry));
    const Jaxpr new_body = with_inputs(step, body, joined(body_consts, carry));
    const std::vector<bool> inputs = joined(joined(cond_consts, body_consts), carry);
    if (all_true(inputs) && new_condition.eqns().size() == condition.eqns().size() && new_body == body) return eqn_;
    return changed(inputs, carry, eqn_.params().with("cond_jaxpr", new_condition).with("body_jaxpr", new_body)
                                      .with("cond_nconsts", count(cond_consts)).with("body_nconsts", count(body_consts)));
  }

  Eqn of_scan(const Jaxpr& body) {
    const auto num_consts = static_cast<size_t>(eqn_.params().get<int64_t>("num_consts"));
    const auto num_carry = static_cast<size_t>(eqn_.params().get<int64_t>("num_carry"));
    std::vector<bool> carry = part(used_, 0, num_carry);
    const std::vector<bool> ys = part(used_, num_carry, used_.size());
    const LiveJaxpr step = live_step(body, num_consts, carry, ys);
    const std::vector<bool> consts = part(step.used_inputs, 0, num_consts);
    const std::vector<bool> inputs = joined(joined(consts, carry), part(step.used_inputs, num_consts + num_carry, step.used_inputs.size()));
    const Jaxpr new_body = with_inputs(step, body, inputs);
    if (all_true(inputs) && all_true(carry) && all_true(ys) && new_body == body) return eqn_;
    return changed(inputs, joined(carry, ys),
                   eqn_.params().with("jaxpr", new_body).with("num_consts", count(consts)).with("num_carry", count(carry)));
  }

  // A carry is needed when another needed one is computed from it: until nothing is added.
  LiveJaxpr live_step(const Jaxpr& body, size_t num_consts, std::vector<bool>& carry, const std::vector<bool>& ys) {
    while (true) {
      LiveJaxpr step = dead_code_.remove(body, joined(carry, ys));
      std::vector<bool> more = carry;
      merge(more, step.used_inputs, num_consts);
      if (more == carry) return step;
      carry = more;
    }
  }

  Eqn changed(const std::vector<bool>& inputs, const std::vector<bool>& results, EqnParams params) {
    changed_ = true;
    return Eqn(eqn_.primitive(), kept(eqn_.invars(), inputs), kept(eqn_.outvars(), results), std::move(params), eqn_.source(), eqn_.effects());
  }

  DeadCode& dead_code_;
  const Eqn& eqn_;
  const std::vector<bool>& used_;
  bool changed_ = false;
};

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
  bool replaced = false;  // an equation by another one
  for (const Var& v : node->outvars) mark(live, v);
  for (auto eqn = jaxpr.eqns().rbegin(); eqn != jaxpr.eqns().rend(); ++eqn) {
    std::vector<bool> used(eqn->outvars().size());
    for (size_t i = 0; i < used.size(); ++i) used[i] = live.contains(eqn->outvars()[i].id());
    const bool has_effects = eqn->effects() != Effects::none;
    if (!has_effects && std::ranges::none_of(used, [](bool u) { return u; })) continue;
    LiveControlFlow control_flow(*this, *eqn, used);
    Eqn live_eqn = control_flow.live();
    replaced |= control_flow.changed();
    if (const Jaxpr* body = custom_body(*eqn)) {
      LiveJaxpr inner = remove(*body, used);
      if (inner.jaxpr != *body) {
        replaced = true;
        auto whole = detail::make_ref<detail::JaxprNode>(*inner.jaxpr.id());
        whole->invars = body->invars();  // the rule of its derivative takes all of them
        live_eqn = Eqn(eqn->primitive(), eqn->invars(), kept(eqn->outvars(), used), eqn->params().with("call_jaxpr", Jaxpr(whole)),
                       eqn->source(), eqn->effects());
      }
    }
    if (const Jaxpr* callee = called_jaxpr(*eqn)) {
      LiveJaxpr inner = remove(*callee, used);
      if (inner.jaxpr != *callee) {
        replaced = true;
        live_eqn = Eqn(eqn->primitive(), kept(eqn->invars(), inner.used_inputs), kept(eqn->outvars(), used),
                       eqn->params().with("jaxpr", inner.jaxpr), eqn->source(), eqn->effects());
      }
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
  const bool changed = replaced || node->eqns.size() != jaxpr.eqns().size() || node->invars.size() != jaxpr.invars().size() ||
                       node->outvars.size() != jaxpr.outvars().size() || node->constvars.size() != jaxpr.constvars().size();
  result.jaxpr = changed ? Jaxpr(node) : jaxpr;
  done_.emplace(std::move(key), std::pair(jaxpr, result));
  return result;
}

}  // namespace tenon
