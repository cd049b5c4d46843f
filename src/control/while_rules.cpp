// Derivatives and batching of while.
#include <algorithm>

#include "base/fail.h"
#include "control/rules.h"
#include "trace/jaxpr_trace.h"

namespace tenon::detail {
namespace {

struct WhileParts {
  const Jaxpr &condition, &body;
  size_t cond_nconsts, body_nconsts, carry;
  explicit WhileParts(const EqnParams& params)
      : condition(params.get<Jaxpr>("cond_jaxpr")), body(params.get<Jaxpr>("body_jaxpr")),
        cond_nconsts(static_cast<size_t>(params.get<int64_t>("cond_nconsts"))),
        body_nconsts(static_cast<size_t>(params.get<int64_t>("body_nconsts"))), carry(body.outvars().size()) {}
  size_t carry_at() const { return cond_nconsts + body_nconsts; }
};

// The loop of values and tangents.
struct WhileWithTangents {
  EqnParams params;
  Flags consts, carry;  // which have a tangent
};
WhileWithTangents with_tangents(const WhileParts& loop, const Flags& consts, Flags carry, const EqnParams& params) {
  JvpJaxpr body;
  while (true) {
    body = jvp_jaxpr(loop.body, concatenated({consts, carry}), carry);
    if (body.nonzero == carry) break;
    carry = either(carry, body.nonzero);
  }
  // Binders: constants, their tangents, carry, its tangents.
  const size_t n = loop.body_nconsts, tangents_at = n + loop.carry, of_consts = count_of(consts);
  const Vars& in = body.jaxpr.invars();
  const Vars invars = concatenated({part(in, 0, n), part(in, tangents_at, tangents_at + of_consts), part(in, n, tangents_at),
                                    part(in, tangents_at + of_consts, in.size())});
  const Jaxpr reordered = with_binders(body.jaxpr, invars, body.jaxpr.outvars());
  Vars condition_in = loop.condition.invars();
  for (size_t i = 0; i < carry.size(); ++i) {
    if (!carry[i]) continue;
    auto node = make_ref<VarNode>();
    node->aval = tangent_aval(loop.body.outvars()[i].aval());
    condition_in.push_back(Var(node));
  }
  const Jaxpr condition = with_binders(loop.condition, condition_in, loop.condition.outvars());
  return {params.with("cond_jaxpr", known("while_cond", condition)).with("body_jaxpr", known("while_body", reordered)).with("body_nconsts", static_cast<int64_t>(n + of_consts)),
          consts, carry};
}

JvpResult run_with_tangents(const Primitive& self, const Arrays& primals, const Tangents& tangents, const EqnParams& params, Arrays* values) {
  const WhileParts loop(params);
  const Flags nonzero = nonzero_flags(tangents);
  const WhileWithTangents both = with_tangents(loop, part(nonzero, loop.cond_nconsts, loop.carry_at()),
                                               part(nonzero, loop.carry_at(), nonzero.size()), params);
  Arrays operands = part(primals, 0, loop.carry_at());
  extend(operands, instantiated(part(tangents, loop.cond_nconsts, loop.carry_at()), both.consts));
  extend(operands, part(primals, loop.carry_at(), primals.size()));
  extend(operands, instantiated(part(tangents, loop.carry_at(), tangents.size()), both.carry));
  const Arrays out = bind_all(self, operands, both.params);
  if (!values) return {part(out, 0, loop.carry), spread(out, loop.carry, both.carry, loop.body.out_avals())};
  return {*values, spread(out, loop.carry, both.carry, loop.body.out_avals())};
}

}  // namespace

JvpResult while_jvp(const Primitive& self, const Arrays& primals, const Tangents& tangents, const EqnParams& params) {
  return run_with_tangents(self, primals, tangents, params, nullptr);
}

// The number of trips is not known: values are computed now, and once more beside the tangents.
JvpResult while_linearize(const Primitive& self, const Arrays& primals, const Tangents& tangents, const EqnParams& params) {
  Arrays values = bind_all(self, primals, params);
  return run_with_tangents(self, primals, tangents, params, &values);
}

Cotangents while_transpose(const Primitive&, const Cotangents&, const LinearOperands&, const EqnParams&) {
  fail<ValueError>("while_loop", "reverse-mode differentiation does not work for while_loop, or fori_loop with bounds that are not known "
                   "while tracing, because the number of trips is not known; use scan, fori_loop with static bounds, or jvp");
}

BatchResult while_batching(const Primitive& self, const BatchAxis& axis, const Arrays& operands, const std::vector<int>& axes,
                           const EqnParams& params) {
  const WhileParts loop(params);
  const std::vector<int> of_condition = part(axes, 0, loop.cond_nconsts), of_body = part(axes, loop.cond_nconsts, loop.carry_at());
  Flags carry = mapped_flags(part(axes, loop.carry_at(), axes.size()));
  const auto body_of = [&](const std::vector<int>& carry_axes) {
    return batch_jaxpr(loop.body, axis, concatenated({of_body, carry_axes}), carry_axes);
  };
  while (true) {
    const Flags out = mapped_flags(body_of(axes_where(carry, 0)).axes);
    if (out == carry) break;
    carry = either(carry, out);
  }
  const auto condition_of = [&](const std::vector<int>& carry_axes, const std::vector<int>& wanted) {
    return batch_jaxpr(loop.condition, axis, concatenated({of_condition, carry_axes}), wanted);
  };
  // One decision for all elements, or one for each: then every carry is mapped.
  const bool decides_each = condition_of(axes_where(carry, 0), {}).axes[0] != kNotMapped;
  if (decides_each) {
    for (const Jaxpr& part : {loop.condition, loop.body})
      check_no_io("while_loop", part, "where vmap makes the condition a batch, elements that are done would do it again");
    carry.assign(carry.size(), true);
  }
  const int at = decides_each ? 0 : loop.condition.outvars()[0].aval().shape.ndim();
  const std::vector<int> carry_axes = axes_where(carry, at);
  Arrays values = part(operands, 0, loop.carry_at());
  for (size_t i = 0; i < carry.size(); ++i)
    values.push_back(match_axis(operands[loop.carry_at() + i], axes[loop.carry_at() + i], carry_axes[i], axis.size));
  const std::vector<int> wanted = decides_each ? std::vector<int>{0} : std::vector<int>{};
  const EqnParams batched = params.with("body_jaxpr", known("while_body", body_of(carry_axes).jaxpr))
                                .with("cond_jaxpr", known("while_cond", condition_of(carry_axes, wanted).jaxpr));
  return {bind_all(self, values, batched), carry_axes};
}

PrunedEqn while_prune(const Eqn& eqn, const Flags& used) {
  const WhileParts loop(eqn.params());
  const Flags decides = pruned_call(loop.condition, {true}).used_inputs;
  const Flags cond_consts = part(decides, 0, loop.cond_nconsts);
  const Flags carry = needed_results(loop.body, either(used, part(decides, loop.cond_nconsts, decides.size())), loop.body_nconsts, loop.carry);
  const Flags body_consts = part(pruned_call(loop.body, carry).used_inputs, 0, loop.body_nconsts);
  const Jaxpr condition = pruned_to(loop.condition, {true}, concatenated({cond_consts, carry}));
  const Jaxpr body = pruned_to(loop.body, carry, concatenated({body_consts, carry}));
  const Flags operands = concatenated({cond_consts, body_consts, carry});
  if (condition == loop.condition && body == loop.body) return {eqn.params(), operands, carry};
  return {eqn.params().with("cond_jaxpr", known("while_cond", condition)).with("body_jaxpr", known("while_body", body))
              .with("cond_nconsts", static_cast<int64_t>(count_of(cond_consts))).with("body_nconsts", static_cast<int64_t>(count_of(body_consts))),
          operands, carry};
}

}  // namespace tenon::detail
