// Derivatives and batching of scan.
#include <algorithm>

#include "base/fail.h"
#include "control/rules.h"
#include "trace/jaxpr_trace.h"

namespace tenon::detail {
namespace {

struct ScanParts {
  const Jaxpr& body;
  size_t consts, carry, results;  // inputs: consts, carry, elements; results: carry, stacked
  explicit ScanParts(const EqnParams& params)
      : body(params.get<Jaxpr>("jaxpr")), consts(static_cast<size_t>(params.get<int64_t>("num_consts"))),
        carry(static_cast<size_t>(params.get<int64_t>("num_carry"))), results(body.outvars().size()) {}
  size_t xs_at() const { return consts + carry; }
  // Types of the results of the whole.
  Avals out_avals(int64_t length) const {
    Avals out = body.out_avals();
    for (size_t i = carry; i < out.size(); ++i) out[i] = with_axis(out[i], 0, length);
    return out;
  }
};

EqnParams scan_params(const EqnParams& params, const Jaxpr& body, size_t consts, size_t carry) {
  return params.with("jaxpr", known("scan", body)).with("num_consts", static_cast<int64_t>(consts)).with("num_carry", static_cast<int64_t>(carry));
}

// Which carries have a tangent (or are mapped): those that begin so, and those that become so.
template <class Step>
Flags fixpoint(Flags carry, Step step) {
  while (true) {
    const Flags out = step(carry);
    if (out == carry) return carry;
    carry = either(carry, out);
  }
}

// Carries of `flags`, nothing of the stacked results.
Flags carries_only(const Flags& carry, size_t results) {
  Flags out = carry;
  out.resize(results, false);
  return out;
}

}  // namespace

JvpResult scan_jvp(const Primitive& self, const Arrays& primals, const Tangents& tangents, const EqnParams& params) {
  const ScanParts scan(params);
  const Flags nonzero = nonzero_flags(tangents);
  const Flags consts = part(nonzero, 0, scan.consts), xs = part(nonzero, scan.xs_at(), nonzero.size());
  JvpJaxpr body;
  const Flags carry = fixpoint(part(nonzero, scan.consts, scan.xs_at()), [&](const Flags& c) {
    body = jvp_jaxpr(scan.body, concatenated({consts, c, xs}), carries_only(c, scan.results));
    return part(body.nonzero, 0, scan.carry);
  });
  // Binders: each group, then its tangents.
  const size_t n = primals.size(), of_consts = count_of(consts), of_carry = count_of(carry);
  const auto interleaved = [&](const auto& all) {
    return concatenated({part(all, 0, scan.consts), part(all, n, n + of_consts), part(all, scan.consts, scan.xs_at()),
                         part(all, n + of_consts, n + of_consts + of_carry), part(all, scan.xs_at(), n),
                         part(all, n + of_consts + of_carry, all.size())});
  };
  const Vars& out = body.jaxpr.outvars();
  const Vars outvars = concatenated({part(out, 0, scan.carry), part(out, scan.results, scan.results + of_carry),
                                     part(out, scan.carry, scan.results), part(out, scan.results + of_carry, out.size())});
  Arrays operands = primals;
  extend(operands, instantiated(tangents, concatenated({consts, carry, xs})));
  const Jaxpr both = with_binders(body.jaxpr, interleaved(body.jaxpr.invars()), outvars);
  const Arrays values = bind_all(self, interleaved(operands), scan_params(params, both, scan.consts + of_consts, scan.carry + of_carry));
  const size_t ys_at = scan.carry + of_carry, ys = scan.results - scan.carry;
  const Arrays results = concatenated({part(values, 0, scan.carry), part(values, ys_at, ys_at + ys)});
  const Arrays changes = concatenated({part(values, scan.carry, ys_at), part(values, ys_at + ys, values.size())});
  return {results, spread(changes, 0, body.nonzero, scan.out_avals(params.get<int64_t>("length")))};
}

JvpResult scan_linearize(const Primitive& self, const Arrays& primals, const Tangents& tangents, const EqnParams& params) {
  const ScanParts scan(params);
  const Flags nonzero = nonzero_flags(tangents);
  const Flags consts = part(nonzero, 0, scan.consts), xs = part(nonzero, scan.xs_at(), nonzero.size());
  Flags forwardable(primals.size(), true);
  std::fill_n(forwardable.begin() + static_cast<ptrdiff_t>(scan.consts), scan.carry, false);  // a carry is another one each time
  LinearizedJaxpr parts;
  const Flags carry = fixpoint(part(nonzero, scan.consts, scan.xs_at()), [&](const Flags& c) {
    parts = linearize_jaxpr(scan.body, concatenated({consts, c, xs}), carries_only(c, scan.results), forwardable);
    return part(parts.nonzero, 0, scan.carry);
  });
  // What depends on constants alone is computed once, before the loop.
  Flags keep(parts.forward.outvars().size(), false);
  std::fill_n(keep.begin(), scan.results, true);
  Arrays known_inputs = primals;
  std::fill(known_inputs.begin() + static_cast<ptrdiff_t>(scan.consts), known_inputs.end(), Array());
  const HoistedJaxpr hoist = hoisted(parts.forward, known_inputs, keep);
  // Stacked results and residuals that are one value are one result.
  Vars outvars = part(hoist.jaxpr.outvars(), 0, scan.results);
  std::vector<size_t> residual_at;
  for (size_t i = scan.results; i < hoist.jaxpr.outvars().size(); ++i) {
    const Var& v = hoist.jaxpr.outvars()[i];
    const auto same = std::find(outvars.begin() + static_cast<ptrdiff_t>(scan.carry), outvars.end(), v);
    residual_at.push_back(static_cast<size_t>(same - outvars.begin()));
    if (same == outvars.end()) outvars.push_back(v);
  }
  const Jaxpr forward = with_results(hoist.jaxpr, outvars);
  Arrays operands = hoist.values;
  extend(operands, part(primals, scan.consts, primals.size()));
  const Arrays values = outvars.empty() ? Arrays{} : bind_all(self, operands, scan_params(params, forward, hoist.values.size(), scan.carry));

  // The loop of tangents: residuals that stay the same are constants, the others go along.
  Arrays same_residuals, moving_residuals;
  Vars same_vars, moving_vars;
  const Vars& in = parts.tangents.invars();
  size_t next = scan.results, next_stacked = 0;
  for (size_t r = 0; r < parts.forwarded.size(); ++r) {
    const int input = parts.forwarded[r];
    Array residual;
    bool moves = false;
    if (input >= 0) {
      residual = primals[static_cast<size_t>(input)];
      moves = static_cast<size_t>(input) >= scan.xs_at();
    } else if (const Array& known = hoist.known[next++]; !known.is_empty()) {
      residual = known;
    } else {
      residual = values[residual_at[next_stacked++]];
      moves = true;
    }
    (moves ? moving_residuals : same_residuals).push_back(residual);
    (moves ? moving_vars : same_vars).push_back(in[r]);
  }
  const Vars tangent_vars = part(in, parts.forwarded.size(), in.size());
  const Jaxpr linear = with_binders(parts.tangents, concatenated({same_vars, tangent_vars, moving_vars}), parts.tangents.outvars());
  Arrays linear_operands = same_residuals;
  extend(linear_operands, recorded_tangents(tangents, concatenated({consts, carry, xs})));
  extend(linear_operands, moving_residuals);
  const Arrays changes = any_of(parts.nonzero)
                             ? bind_all(self, linear_operands, scan_params(params, linear, same_vars.size() + count_of(consts), count_of(carry)))
                             : Arrays{};
  return {part(values, 0, scan.results), spread(changes, 0, parts.nonzero, scan.out_avals(params.get<int64_t>("length")))};
}

Cotangents scan_transpose(const Primitive& self, const Cotangents& cotangents, const LinearOperands& operands, const EqnParams& params) {
  const ScanParts scan(params);
  // Inputs by what becomes of them: known constants, linear constants, carry, linear elements, known elements.
  std::vector<size_t> known_consts, linear_consts, carry, linear_xs, known_xs;
  for (size_t i = 0; i < operands.size(); ++i) {
    const bool linear = operands[i].linear;
    if (i < scan.consts) (linear ? linear_consts : known_consts).push_back(i);
    else if (i < scan.xs_at()) carry.push_back(i);
    else (linear ? linear_xs : known_xs).push_back(i);
  }
  Arrays inputs, so_far, stacked;
  Avals avals;
  const Vars& in = scan.body.invars();
  // The transposed body takes the types of what it is given.
  const auto add = [&](const Array& value, const ShapedArray& aval) {
    inputs.push_back(value);
    avals.push_back(aval);
    avals.back().weak_type = value.weak_type();
  };
  const Arrays of_carry = instantiated(part(cotangents, 0, scan.carry), Flags(scan.carry, true));
  for (size_t i : known_consts) add(operands[i].value, in[i].aval());
  for (size_t i : linear_consts) add(instantiate(Tangent::zero(tangent_aval(in[i].aval()))), tangent_aval(in[i].aval()));
  for (size_t k = 0; k < scan.carry; ++k) add(of_carry[k], tangent_aval(scan.body.outvars()[k].aval()));
  std::vector<size_t> given;
  for (size_t k = scan.carry; k < cotangents.size(); ++k) {
    if (cotangents[k].is_zero()) continue;
    given.push_back(k);
    add(cotangents[k].value(), tangent_aval(scan.body.outvars()[k].aval()));
  }
  for (size_t i : known_xs) add(operands[i].value, in[i].aval());
  const auto body = [&](const Arrays& x) {
    size_t next = 0;
    LinearOperands own(operands.size());
    for (size_t i = 0; i < own.size(); ++i) own[i] = {true, {}, in[i].aval()};
    for (size_t i : carry) own[i].aval.weak_type = false;  // as what comes out of the body, which it meets
    for (size_t i : known_consts) own[i] = {false, x[next++], in[i].aval()};
    for (size_t i : linear_consts) own[i].value = x[next++];
    Cotangents of_results;
    for (size_t k = 0; k < scan.carry; ++k) of_results.push_back(x[next++]);
    for (size_t k = scan.carry; k < cotangents.size(); ++k) {
      const bool is_given = std::ranges::find(given, k) != given.end();
      of_results.push_back(is_given ? Cotangent(x[next++]) : Cotangent::zero(tangent_aval(scan.body.outvars()[k].aval())));
    }
    for (size_t i : known_xs) own[i] = {false, x[next++], in[i].aval()};
    const Cotangents out = backward_pass(scan.body, own, of_results);
    Arrays results;
    for (const auto& group : {linear_consts, carry, linear_xs})
      for (size_t i : group) results.push_back(instantiate(out[i]));
    return results;
  };
  const Jaxpr transposed = trace_to_jaxpr(body, avals, "scan", scan.body.id()->name);
  const EqnParams backwards = scan_params(params, transposed, known_consts.size(), linear_consts.size() + scan.carry)
                                  .with("reverse", !params.get<bool>("reverse"));
  const Arrays values = bind_all(self, inputs, backwards);
  Cotangents out;
  for (const LinearOperand& x : operands) out.push_back(Cotangent::zero(tangent_aval(x.aval)));
  size_t next = 0;
  for (const auto& group : {linear_consts, carry, linear_xs})
    for (size_t i : group) out[i] = values[next++];
  return out;
}

BatchResult scan_batching(const Primitive& self, const BatchAxis& axis, const Arrays& operands, const std::vector<int>& axes,
                          const EqnParams& params) {
  const ScanParts scan(params);
  const std::vector<int> consts = part(axes, 0, scan.consts);
  const Flags xs = mapped_flags(part(axes, scan.xs_at(), axes.size()));
  BatchedJaxpr body;
  const Flags carry = fixpoint(mapped_flags(part(axes, scan.consts, scan.xs_at())), [&](const Flags& c) {
    std::vector<int> wanted = axes_where(c, 0);
    // A stacked result keeps its axis where it comes mapped at all: at 0 within an element.
    const std::vector<int> in = concatenated({consts, axes_where(c, 0), axes_where(xs, 0)});
    const std::vector<int> as_it_comes = batch_jaxpr(scan.body, axis, in).axes;
    for (size_t i = scan.carry; i < scan.results; ++i) wanted.push_back(as_it_comes[i] == kNotMapped ? kNotMapped : 0);
    body = batch_jaxpr(scan.body, axis, in, wanted);
    return mapped_flags(part(body.axes, 0, scan.carry));
  });
  Arrays values = part(operands, 0, scan.consts);
  for (size_t k = 0; k < scan.carry; ++k)
    values.push_back(carry[k] ? match_axis(operands[scan.consts + k], axes[scan.consts + k], 0, axis.size) : operands[scan.consts + k]);
  for (size_t i = scan.xs_at(); i < operands.size(); ++i)
    values.push_back(axes[i] == kNotMapped ? operands[i] : move_axis(operands[i], axes[i], 1));
  std::vector<int> out = axes_where(carry, 0);
  for (size_t i = scan.carry; i < scan.results; ++i) out.push_back(body.axes[i] == kNotMapped ? kNotMapped : 1);
  return {bind_all(self, values, params.with("jaxpr", known("scan", body.jaxpr))), out};
}

PrunedEqn scan_prune(const Eqn& eqn, const Flags& used) {
  const ScanParts scan(eqn.params());
  const Flags out = needed_results(scan.body, used, scan.consts, scan.carry);
  // A used carry is an input even when the body does not read it.
  Flags in = pruned_call(scan.body, out).used_inputs;
  for (size_t k = 0; k < scan.carry; ++k) in[scan.consts + k] = out[k];
  const Jaxpr body = pruned_to(scan.body, out, in);
  if (body == scan.body) return {eqn.params(), in, out};
  const size_t consts = count_of(part(in, 0, scan.consts)), carry = count_of(part(out, 0, scan.carry));
  return {scan_params(eqn.params(), body, consts, carry), in, out};
}

}  // namespace tenon::detail
