#include "transforms/hidden.h"

#include <algorithm>

#include "core/elementwise.h"
#include "tenon/lax.h"
#include "transforms/pass.h"

namespace tenon::detail {

static bool is_linear(const Var& v, const VarSet& linear) { return !v.is_literal() && linear.contains(v.id()); }

// Inputs of the called program that are linear.
static VarSet linear_inputs(const Eqn& call, const Jaxpr& jaxpr, const VarSet& linear) {
  VarSet inner;
  for (size_t i = 0; i < call.invars().size(); ++i)
    if (is_linear(call.invars()[i], linear)) inner.insert(jaxpr.invars()[i].id());
  return inner;
}

// The program that is all an equation does.
static const Jaxpr* called(const Eqn& eqn) {
  if (!eqn.primitive().call_like) return nullptr;
  const Param* param = eqn.params().find("jaxpr");
  return param && param->is<Jaxpr>() ? &param->get<Jaxpr>() : nullptr;
}

// Equations of a program that depend on its linear inputs: calls `each`, until it says no.
static bool all_linear(const Jaxpr& jaxpr, VarSet linear, FunctionRef<bool(const Eqn&, const VarSet&)> each) {
  for (const Eqn& eqn : jaxpr.eqns()) {
    if (std::ranges::none_of(eqn.invars(), [&](const Var& v) { return is_linear(v, linear); })) continue;
    if (!each(eqn, linear)) return false;
    for (const Var& v : eqn.outvars()) linear.insert(v.id());
  }
  return true;
}

// Have the linear operands and the only result one shape?
static bool keeps_shape(const Eqn& eqn, const VarSet& linear) {
  if (eqn.outvars().size() != 1) return false;
  const Aval& result = eqn.outvars()[0].aval();
  return std::ranges::all_of(eqn.invars(), [&](const Var& v) {
    return !is_linear(v, linear) || (v.aval().shape == result.shape && v.aval().dtype.is_floating());
  });
}

bool acts_elementwise(const Eqn& eqn, const VarSet& linear) {
  if (!keeps_shape(eqn, linear)) return false;
  if (is_elementwise(eqn.primitive()) || &eqn.primitive() == &pass_p) return true;
  const Jaxpr* jaxpr = called(eqn);
  return jaxpr && all_linear(*jaxpr, linear_inputs(eqn, *jaxpr, linear), [](const Eqn& inner, const VarSet& known) {
           return acts_elementwise(inner, known);
         });
}

bool scales(const Eqn& eqn, const VarSet& linear) {
  if (const Jaxpr* jaxpr = called(eqn))
    return !all_linear(*jaxpr, linear_inputs(eqn, *jaxpr, linear), [](const Eqn& inner, const VarSet& known) { return !scales(inner, known); });
  bool has_known = false;
  for (const Var& v : eqn.invars()) {
    if (is_linear(v, linear)) continue;
    if (v.aval().dtype.is_bool()) return false;
    has_known = true;
  }
  return has_known;
}

bool may_hide(const Eqn& eqn) { return eqn.params().find("hides") || called(eqn); }

bool hides(const Eqn& eqn, const VarSet& linear) {
  const auto is_one = [&](const Var& v) { return is_linear(v, linear); };
  if (!may_hide(eqn) || !keeps_shape(eqn, linear) || std::ranges::count_if(eqn.invars(), is_one) != 1) return false;
  const Jaxpr* jaxpr = called(eqn);
  if (!jaxpr) return true;
  int count = 0;
  const bool only_hides = all_linear(*jaxpr, linear_inputs(eqn, *jaxpr, linear), [&](const Eqn& inner, const VarSet& known) {
    return ++count == 1 && hides(inner, known);
  });
  return only_hides && count == 1;
}

Cotangent LateHiding::apply(const Cotangent& cotangent) const {
  SourceScope source(eqn->source());
  const DType own = eqn->outvars()[0].aval().dtype, dtype = cotangent.aval().dtype;
  const Array value = own == dtype ? cotangent.value() : lax::convert_element_type(cotangent.value(), own);
  const Cotangents out = eqn->primitive().transpose(eqn->primitive(), {value}, operands, eqn->params());
  for (size_t i = 0; i < operands.size(); ++i)
    if (operands[i].linear) return own == dtype || out[i].is_zero() ? out[i] : Tangent(lax::convert_element_type(out[i].value(), dtype));
  return cotangent;
}

}  // namespace tenon::detail
