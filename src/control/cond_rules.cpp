// Derivatives and batching of cond. Branches that disagree on what has a tangent, or on what the
// derivative needs, are made to agree: each gives what any gives, zeros where it has none.
#include <algorithm>

#include "base/fail.h"
#include "control/rules.h"
#include "trace/jaxpr_trace.h"

namespace tenon::detail {
namespace {

const std::vector<Jaxpr>& branches_of(const EqnParams& params) { return params.get<std::vector<Jaxpr>>("branches"); }

// A program with other binders, traced anew.
Jaxpr traced(FunctionRef<Arrays(const Arrays&)> body, const Avals& avals, const Jaxpr& like) {
  return trace_to_jaxpr(body, avals, "cond", like.id()->name);
}

// Residuals of all branches: those of one type share a place.
struct SharedResiduals {
  Avals avals;
  std::vector<std::vector<size_t>> places;  // by branch and residual
};
SharedResiduals share(const std::vector<Avals>& by_branch) {
  SharedResiduals out;
  for (const Avals& avals : by_branch) {
    std::vector<size_t> places;
    std::vector<size_t> seen;
    for (const Aval& aval : avals) {
      size_t at = 0;
      while (at < out.avals.size() && (!(out.avals[at] == aval) || std::ranges::find(seen, at) != seen.end())) ++at;
      if (at == out.avals.size()) out.avals.push_back(aval);
      seen.push_back(at);
      places.push_back(at);
    }
    out.places.push_back(std::move(places));
  }
  return out;
}

}  // namespace

JvpResult cond_jvp(const Primitive& self, const Arrays& primals, const Tangents& tangents, const EqnParams& params) {
  const auto& branches = branches_of(params);
  const Flags nonzero = nonzero_flags(Tangents(tangents.begin() + 1, tangents.end()));
  Flags results(branches[0].outvars().size(), false);
  for (const Jaxpr& branch : branches) results = either(results, jvp_jaxpr(branch, nonzero).nonzero);
  std::vector<Jaxpr> derived;
  for (const Jaxpr& branch : branches) derived.push_back(jvp_jaxpr(branch, nonzero, results).jaxpr);
  Arrays operands = primals;
  append_nonzero(operands, tangents);
  const Arrays values = bind_all(self, operands, params.with("branches", known("cond", derived)));
  return {part(values, 0, results.size()), spread(values, results.size(), results, branches[0].out_avals())};
}

JvpResult cond_linearize(const Primitive& self, const Arrays& primals, const Tangents& tangents, const EqnParams& params) {
  const auto& branches = branches_of(params);
  const Flags nonzero = nonzero_flags(Tangents(tangents.begin() + 1, tangents.end()));
  const size_t count = branches[0].outvars().size();
  Flags results(count, false);
  for (const Jaxpr& branch : branches) results = either(results, linearize_jaxpr(branch, nonzero).nonzero);
  std::vector<LinearizedJaxpr> parts;
  std::vector<Avals> residuals;
  for (const Jaxpr& branch : branches) {
    parts.push_back(linearize_jaxpr(branch, nonzero, results));
    const Avals out = parts.back().forward.out_avals();
    residuals.push_back(part(out, count, out.size()));
  }
  const SharedResiduals shared = share(residuals);
  // Inputs that are residuals as they are follow the shared ones.
  std::vector<int> forwarded;
  std::vector<std::vector<size_t>> places;
  for (size_t b = 0; b < parts.size(); ++b) {
    std::vector<size_t> at;
    size_t next = 0;
    for (int input : parts[b].forwarded) {
      if (input < 0) {
        at.push_back(shared.places[b][next++]);
        continue;
      }
      const auto known = std::ranges::find(forwarded, input) - forwarded.begin();
      if (static_cast<size_t>(known) == forwarded.size()) forwarded.push_back(input);
      at.push_back(shared.avals.size() + static_cast<size_t>(known));
    }
    places.push_back(std::move(at));
  }
  std::vector<Jaxpr> forward, linear;
  for (size_t b = 0; b < parts.size(); ++b) {
    forward.push_back(traced(
        [&](const Arrays& x) {
          const Arrays values = eval_jaxpr(parts[b].forward, x);
          Arrays out = part(values, 0, count);
          for (size_t place = 0; place < shared.avals.size(); ++place) {
            const auto at = std::ranges::find(shared.places[b], place);
            const Array unused = lax::empty(shared.avals[place].shape, shared.avals[place].dtype);
            out.push_back(at == shared.places[b].end() ? unused : values[count + static_cast<size_t>(at - shared.places[b].begin())]);
          }
          return out;
        },
        branches[b].in_avals(), branches[b]));
    Avals in = shared.avals;
    for (int input : forwarded) in.push_back(primals[static_cast<size_t>(input) + 1].aval());
    const size_t first_tangent = in.size();
    const Avals all = parts[b].tangents.in_avals();
    extend(in, part(all, places[b].size(), all.size()));
    linear.push_back(traced(
        [&](const Arrays& x) {
          Arrays operands;
          for (size_t place : places[b]) operands.push_back(x[place]);
          extend(operands, part(x, first_tangent, x.size()));
          return eval_jaxpr(parts[b].tangents, operands);
        },
        in, branches[b]));
  }
  const Arrays values = bind_all(self, primals, params.with("branches", known("cond", forward)));
  Arrays operands = {primals[0]};
  extend(operands, part(values, count, values.size()));
  for (int input : forwarded) operands.push_back(primals[static_cast<size_t>(input) + 1]);
  append_nonzero(operands, tangents);
  const Arrays out = any_of(results) ? bind_all(self, operands, params.with("branches", known("cond", linear))) : Arrays{};
  return {part(values, 0, count), spread(out, 0, results, branches[0].out_avals())};
}

Cotangents cond_transpose(const Primitive& self, const Cotangents& cotangents, const LinearOperands& operands, const EqnParams& params) {
  const auto& branches = branches_of(params);
  const LinearOperands own(operands.begin() + 1, operands.end());
  const Flags given = nonzero_flags(cotangents);
  Arrays inputs = {operands[0].value};
  Avals avals;
  for (const LinearOperand& x : own) {
    if (x.linear) continue;
    inputs.push_back(x.value);
    avals.push_back(x.value.aval());
  }
  for (const Cotangent& ct : cotangents) {
    if (ct.is_zero()) continue;
    inputs.push_back(ct.value());
    avals.push_back(ct.value().aval());
  }
  Flags linear;
  for (const LinearOperand& x : own) linear.push_back(x.linear);
  Flags results(own.size(), false);
  for (const Jaxpr& branch : branches) results = either(results, transpose_jaxpr(branch, linear, given).nonzero);
  std::vector<Jaxpr> transposed;
  for (const Jaxpr& branch : branches) {
    const TransposedJaxpr one = transpose_jaxpr(branch, linear, given);
    if (one.nonzero == results) {
      transposed.push_back(one.jaxpr);
      continue;
    }
    transposed.push_back(traced(
        [&](const Arrays& x) {
          const Arrays values = eval_jaxpr(one.jaxpr, x);
          Arrays out;
          size_t next = 0;
          for (size_t i = 0; i < results.size(); ++i) {
            const Array value = one.nonzero[i] ? values[next++] : Array();
            if (results[i]) out.push_back(value.is_empty() ? instantiate(Tangent::zero(tangent_aval(own[i].aval))) : value);
          }
          return out;
        },
        avals, branch));
  }
  const Arrays values = any_of(results) ? bind_all(self, inputs, params.with("branches", known("cond", transposed))) : Arrays{};
  Cotangents out = {Cotangent::zero(operands[0].aval)};
  size_t next = 0;
  for (size_t i = 0; i < own.size(); ++i)
    out.push_back(results[i] ? Cotangent(values[next++]) : Cotangent::zero(tangent_aval(own[i].aval)));
  return out;
}

// `which` has the leading axes of the cases.
static Array choose(const Array& which, const Arrays& cases) {
  if (which.ndim() == cases[0].ndim()) return lax::select_n(which, cases);
  Axes axes;
  for (int i = 0; i < which.ndim(); ++i) axes.push_back(i);
  return lax::select_n(lax::broadcast_in_dim(which, cases[0].shape(), axes), cases);
}

void check_no_io(const char* who, const Jaxpr& jaxpr, const char* why) {
  if ((jaxpr.effects() & kInputOutput) != Effects::none)
    fail<UnimplementedError>(who, "input and output (io_callback) has no place here: ", why, "; take it out, or use a debug::callback to look at values");
}

BatchResult cond_batching(const Primitive& self, const BatchAxis& axis, const Arrays& operands, const std::vector<int>& axes,
                          const EqnParams& params) {
  const auto& branches = branches_of(params);
  const size_t count = branches[0].outvars().size();
  const std::vector<int> own_axes(axes.begin() + 1, axes.end());
  if (axes[0] == kNotMapped) {
    Arrays values = {operands[0]};
    for (size_t i = 1; i < operands.size(); ++i)
      values.push_back(axes[i] == kNotMapped ? operands[i] : move_axis(operands[i], axes[i], 0));
    const std::vector<int> front = axes_where(mapped_flags(own_axes), 0);
    Flags mapped(count, false);
    for (const Jaxpr& branch : branches) mapped = either(mapped, mapped_flags(batch_jaxpr(branch, axis, front).axes));
    const std::vector<int> wanted = axes_where(mapped, 0);
    std::vector<Jaxpr> batched;
    for (const Jaxpr& branch : branches) batched.push_back(batch_jaxpr(branch, axis, front, wanted).jaxpr);
    return {bind_all(self, values, params.with("branches", known("cond", batched))), wanted};
  }
  // Elements go different ways: all branches run, and each element takes its own.
  for (const Jaxpr& branch : branches) check_no_io("cond", branch, "where vmap makes the predicate a batch, every branch would do it");
  Arrays values;
  for (size_t i = 0; i < operands.size(); ++i) values.push_back(match_axis(operands[i], axes[i], 0, axis.size));
  const Array index = values[0];
  const std::vector<int> front(own_axes.size(), 0), wanted(count, 0);
  std::vector<Arrays> outcomes;
  for (size_t b = 0; b < branches.size(); ++b) {
    const Jaxpr batched = batch_jaxpr(branches[b], axis, front, wanted).jaxpr;
    // No derivative comes back through elements that took another branch.
    const Array chosen = lax::eq(index, constant_of(index, static_cast<int64_t>(b)));
    Arrays inputs;
    for (size_t i = 1; i < values.size(); ++i) {
      const Array stopped = lax::stop_gradient(values[i]);
      inputs.push_back(choose(chosen, {stopped, values[i]}));
    }
    outcomes.push_back(eval_jaxpr(batched, inputs));
  }
  BatchResult out{{}, wanted};
  for (size_t r = 0; r < count; ++r) {
    Arrays cases;
    for (const Arrays& outcome : outcomes) cases.push_back(outcome[r]);
    out.values.push_back(choose(index, cases));
  }
  return out;
}

PrunedEqn cond_prune(const Eqn& eqn, const Flags& used) {
  const auto& branches = branches_of(eqn.params());
  Flags operands(branches[0].invars().size(), false);
  for (const Jaxpr& branch : branches) operands = either(operands, pruned_call(branch, used).used_inputs);
  std::vector<Jaxpr> pruned;
  for (const Jaxpr& branch : branches) pruned.push_back(pruned_to(branch, used, operands));
  operands.insert(operands.begin(), true);
  return {eqn.params().with("branches", pruned), operands, used};
}

}  // namespace tenon::detail
