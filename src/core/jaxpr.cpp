// Jaxpr: accessors. An empty Jaxpr is a named error.
#include "tenon/jaxpr.h"

#include "base/fail.h"
#include "core/literal.h"

namespace tenon {

Eqn::Eqn(const Primitive& primitive, Vars invars, Vars outvars, EqnParams params, SourceInfo source, Effects effects, uint32_t call)
    : primitive_(&primitive), invars_(std::move(invars)), outvars_(std::move(outvars)), params_(std::move(params)),
      source_(std::move(source)), effects_(effects), call_(call) {}

static const detail::JaxprNode& node_of(const detail::Ref<const detail::JaxprNode>& node) {
  if (!node) fail<ValueError>("Jaxpr", "it is empty; make one with make_jaxpr");
  return *node;
}

const std::vector<Eqn>& Jaxpr::eqns() const& { return node_of(node_).eqns; }
std::vector<Eqn> Jaxpr::eqns() && { return node_of(node_).eqns; }
const Vars& Jaxpr::invars() const& { return node_of(node_).invars; }
Vars Jaxpr::invars() && { return node_of(node_).invars; }
const Vars& Jaxpr::outvars() const& { return node_of(node_).outvars; }
Vars Jaxpr::outvars() && { return node_of(node_).outvars; }
const Vars& Jaxpr::constvars() const& { return node_of(node_).constvars; }
Vars Jaxpr::constvars() && { return node_of(node_).constvars; }
const Arrays& Jaxpr::consts() const& { return node_of(node_).consts; }
Arrays Jaxpr::consts() && { return node_of(node_).consts; }
Effects Jaxpr::effects() const { return node_of(node_).effects; }

static Avals avals_of(const Vars& vars) {
  Avals avals;
  for (const Var& v : vars) avals.push_back(v.aval());
  return avals;
}
Avals Jaxpr::in_avals() const { return avals_of(node_of(node_).invars); }
Avals Jaxpr::out_avals() const { return avals_of(node_of(node_).outvars); }

std::string Var::str() const {
  if (!node_) fail<ValueError>("Var", "it is empty");
  return is_literal() ? detail::literal_str(literal()) : "Var:" + aval().str_short();
}

}  // namespace tenon
