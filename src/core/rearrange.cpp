#include "core/rearrange.h"

#include <algorithm>
#include <unordered_map>

#include "base/fail.h"

namespace tenon::detail {
namespace {

Ref<JaxprNode> copy_of(const Jaxpr& jaxpr) { return make_ref<JaxprNode>(*jaxpr.id()); }
Jaxpr jaxpr_of(const Ref<JaxprNode>& node) { return Jaxpr(Ref<const JaxprNode>(node)); }

// The names of the arguments belong to inputs that are moved.
void set_inputs(JaxprNode& node, Vars inputs) {
  node.invars = std::move(inputs);
  node.arg_names.clear();
}

}  // namespace

Jaxpr with_constants_as_inputs(const Jaxpr& jaxpr) {
  if (jaxpr.constvars().empty()) return jaxpr;
  auto node = copy_of(jaxpr);
  Vars inputs = node->constvars;
  inputs.insert(inputs.end(), node->invars.begin(), node->invars.end());
  set_inputs(*node, std::move(inputs));
  node->constvars.clear();
  node->consts.clear();
  return jaxpr_of(node);
}

std::vector<std::optional<size_t>> forwarded_inputs(const Jaxpr& jaxpr) {
  std::unordered_map<const void*, size_t> index;
  for (size_t i = 0; i < jaxpr.invars().size(); ++i) index.emplace(jaxpr.invars()[i].id(), i);
  std::vector<std::optional<size_t>> forwarded;
  for (const Var& v : jaxpr.outvars()) {
    auto at = index.find(v.id());
    forwarded.push_back(at == index.end() ? std::nullopt : std::optional(at->second));
  }
  return forwarded;
}

Jaxpr keep_results(const Jaxpr& jaxpr, const std::vector<bool>& keep) {
  TENON_CHECK(keep.size() == jaxpr.outvars().size(), "results");
  if (std::ranges::all_of(keep, [](bool k) { return k; })) return jaxpr;
  auto node = copy_of(jaxpr);
  node->outvars.clear();
  for (size_t i = 0; i < keep.size(); ++i)
    if (keep[i]) node->outvars.push_back(jaxpr.outvars()[i]);
  return jaxpr_of(node);
}

Jaxpr move_inputs_to_front(const Jaxpr& jaxpr, const std::vector<bool>& to_front) {
  TENON_CHECK(to_front.size() == jaxpr.invars().size(), "inputs");
  auto node = copy_of(jaxpr);
  Vars inputs;
  for (bool front : {true, false})
    for (size_t i = 0; i < to_front.size(); ++i)
      if (to_front[i] == front) inputs.push_back(jaxpr.invars()[i]);
  set_inputs(*node, std::move(inputs));
  return jaxpr_of(node);
}

Jaxpr over_more_inputs(const Jaxpr& jaxpr, const Avals& inputs, const std::vector<size_t>& at) {
  TENON_CHECK(at.size() == jaxpr.invars().size(), "inputs");
  Vars all(inputs.size());
  std::unordered_map<const void*, Var> other_name;
  for (size_t i = 0; i < at.size(); ++i) {
    if (all[at[i]].id()) other_name.emplace(jaxpr.invars()[i].id(), all[at[i]]);
    else all[at[i]] = jaxpr.invars()[i];
  }
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i].id()) continue;
    auto var = make_ref<VarNode>();
    var->aval = inputs[i];
    all[i] = Var(var);
  }
  auto node = copy_of(jaxpr);
  set_inputs(*node, std::move(all));
  if (!other_name.empty()) {
    auto rename = [&](Vars vars) {
      for (Var& v : vars)
        if (auto found = other_name.find(v.id()); found != other_name.end()) v = found->second;
      return vars;
    };
    for (Eqn& eqn : node->eqns)
      eqn = Eqn(eqn.primitive(), rename(eqn.invars()), eqn.outvars(), eqn.params(), eqn.source(), eqn.effects());
    node->outvars = rename(std::move(node->outvars));
  }
  return jaxpr_of(node);
}

}  // namespace tenon::detail
