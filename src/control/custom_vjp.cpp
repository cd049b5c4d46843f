#include "control/custom_vjp.h"

#include "base/fail.h"
#include "control/call.h"
#include "core/nodes.h"
#include "tenon/detail/rules.h"
#include "tenon/stablehlo_builder.h"
#include "trace/jaxpr_trace.h"
#include "transforms/batch.h"

namespace tenon::detail {
namespace {

Arrays first(const Arrays& values, size_t count) { return Arrays(values.begin(), values.begin() + static_cast<ptrdiff_t>(count)); }

// The function's own operands; a tangent of what it captured is a mistake.
Tangents own_tangents(const VjpRule& rule, const Arrays& primals, const Tangents& tangents) {
  for (size_t i = rule.operands; i < tangents.size(); ++i)
    if (!tangents[i].is_zero())
      fail<ValueError>(rule.function->name, "a custom_vjp function is differentiated by a value that it captures; its rules know only "
                       "its arguments: make the captured ", primals[i].aval(), " an argument");
  return Tangents(tangents.begin(), tangents.begin() + static_cast<ptrdiff_t>(rule.operands));
}

JvpResult linearize_by_rule(const Primitive&, const Arrays& primals, const Tangents& tangents, const EqnParams& params) {
  const auto& rule = params.get<VjpRule>("bwd");
  const Tangents own = own_tangents(rule, primals, tangents);
  CustomVjp::Forward forward = rule.function->forward(first(primals, rule.operands));
  Tangents out = record_custom_linear(rule.function, forward.residuals, own, avals_of(forward.results));
  return {std::move(forward.results), std::move(out)};
}

Cotangents transpose_by_rule(const Primitive&, const Cotangents& cotangents, const LinearOperands& operands, const EqnParams& params) {
  const auto& rule = params.get<LinearRule>("rule");
  Arrays residuals, given;
  for (size_t i = 0; i < rule.residuals; ++i) residuals.push_back(operands[i].value);
  for (const Cotangent& ct : cotangents) given.push_back(instantiate(ct));
  const Cotangents all = rule.function->backward(residuals, given);
  if (all.size() != rule.nonzero.size())
    fail<TypeError>(rule.function->backward_name, "the backward function of ", rule.function->name, " must give a cotangent for each of its ",
                    rule.nonzero.size(), " arrays; got ", all.size());
  Cotangents out;
  for (size_t i = 0; i < rule.residuals; ++i) out.push_back(Cotangent::zero(operands[i].aval));
  for (size_t i = 0; i < all.size(); ++i) {
    if (!rule.nonzero[i]) continue;
    const ShapedArray& wanted = operands[out.size()].aval;
    if (!all[i].is_zero() && (all[i].aval().shape != wanted.shape || all[i].aval().dtype != wanted.dtype))
      fail<ValueError>(rule.function->backward_name, "the cotangent of array ", i, " of ", rule.function->name, " is ", wanted, "; got ",
                       all[i].aval());
    out.push_back(all[i]);
  }
  return out;
}

[[noreturn]] void fail_forward(const std::string& name) {
  fail<TypeError>(name, "forward derivatives (jvp, jacfwd) of a custom_vjp function do not exist; use grad or vjp, or give it a "
                  "custom_jvp rule");
}

}  // namespace

constinit const Primitive custom_vjp_call_p{
    .name = "custom_vjp_call",
    .abstract_eval = [](const Avals& operands, const EqnParams& params) -> Avals {
      return called_avals("custom_vjp_call", params.get<Jaxpr>("call_jaxpr"), operands);
    },
    .jvp = [](const Primitive&, const Arrays&, const Tangents&, const EqnParams& params) -> JvpResult {
      fail_forward(params.get<std::string>("name"));
    },
    .linearize = linearize_by_rule,
    .batching = [](const Primitive& self, const BatchAxis& axis, const Arrays& operands, const std::vector<int>& axes,
                   const EqnParams& params) -> BatchResult {
      const auto& rule = params.get<VjpRule>("bwd");
      const std::vector<int> own(axes.begin(), axes.begin() + static_cast<ptrdiff_t>(rule.operands));
      const BatchedJaxpr batched = batch_jaxpr(params.get<Jaxpr>("call_jaxpr"), axis, axes);
      const VjpRule batched_rule{batched_custom_vjp(rule.function, axis, own, batched.axes), rule.operands};
      return {bind_all(self, operands, params.with("call_jaxpr", batched.jaxpr).with("bwd", batched_rule)), batched.axes};
    },
    .effects = [](const EqnParams& params) { return params.get<Jaxpr>("call_jaxpr").effects(); },
    .call_like = true,
};

constinit const Primitive custom_lin_p{
    .name = "custom_lin",
    .abstract_eval = [](const Avals&, const EqnParams& params) -> Avals { return params.get<LinearRule>("rule").results; },
    .jvp = [](const Primitive&, const Arrays&, const Tangents&, const EqnParams& params) -> JvpResult {
      fail_forward(params.get<LinearRule>("rule").function->name);
    },
    .transpose = transpose_by_rule,
    .batching = [](const Primitive&, const BatchAxis&, const Arrays&, const std::vector<int>&, const EqnParams& params) -> BatchResult {
      fail_forward(params.get<LinearRule>("rule").function->name);
    },
    .lowering = [](StablehloBuilder&, const std::vector<Value>&, const EqnParams& params) -> std::vector<Value> {
      fail_forward(params.get<LinearRule>("rule").function->name);
    },
};

Arrays record_custom_vjp(const CustomVjpRef& function, const Arrays& operands) {
  Arrays all = operands;
  const auto body = [&](const Arrays& x) { return function->call(x); };
  const Jaxpr jaxpr = hoist_tracers(trace_to_jaxpr(body, avals_of(operands), function->name, function->name), all);
  return bind_all(custom_vjp_call_p, all,
                  {{"bwd", VjpRule{function, operands.size()}}, {"call_jaxpr", jaxpr}, {"fwd", function->forward_name},
                   {"name", function->name}, {"symbolic_zeros", false}});
}

Tangents record_custom_linear(const CustomVjpRef& function, const Arrays& residuals, const Tangents& tangents, const Avals& results) {
  LinearRule rule{function, residuals.size(), {}, {}};
  Arrays operands = residuals;
  for (const Tangent& t : tangents) {
    rule.nonzero.push_back(!t.is_zero());
    if (!t.is_zero()) operands.push_back(t.value());
  }
  for (const Aval& aval : results) rule.results.push_back(tangent_aval(aval));
  if (is_evaluating()) fail_forward(function->name);
  Tangents out;
  for (Array& t : bind_all(custom_lin_p, operands, {{"rule", rule}})) {
    const bool differentiable = t.dtype().is_inexact();
    out.push_back(differentiable ? Tangent(std::move(t)) : Tangent::zero(t.aval()));
  }
  return out;
}

}  // namespace tenon::detail
