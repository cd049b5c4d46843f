#include "transforms/pass.h"

#include <algorithm>
#include <unordered_map>

namespace tenon::detail {

constinit const Primitive pass_p{
    .name = "pass",
    .abstract_eval = [](const Avals& operands, const EqnParams&) -> Avals { return operands; },
    .transpose = [](const Primitive&, const Cotangents& cotangents, const LinearOperands&, const EqnParams&) { return cotangents; },
};

Jaxpr without_passes(const Jaxpr& jaxpr) {
  const auto passes = [](const Eqn& eqn) { return &eqn.primitive() == &pass_p; };
  if (std::ranges::none_of(jaxpr.eqns(), passes)) return jaxpr;
  std::unordered_map<const void*, Var> origin;
  const auto followed = [&](Vars vars) {
    for (Var& v : vars)
      if (const auto at = origin.find(v.id()); at != origin.end()) v = at->second;
    return vars;
  };
  auto node = make_ref<JaxprNode>(*jaxpr.id());
  node->eqns.clear();
  for (const Eqn& eqn : jaxpr.eqns()) {
    const Vars invars = followed(eqn.invars());
    if (passes(eqn)) origin.emplace(eqn.outvars()[0].id(), invars[0]);
    else node->eqns.emplace_back(eqn.primitive(), invars, eqn.outvars(), eqn.params(), eqn.source(), eqn.effects(), eqn.call());
  }
  node->outvars = followed(node->outvars);
  return Jaxpr(Ref<const JaxprNode>(node));
}

}  // namespace tenon::detail
