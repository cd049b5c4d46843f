// The interpreter behind checkify: runs a program under the current trace, and carries the error along, through the programs that it calls.
#include "control/checkify.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "base/fail.h"
#include "control/jit.h"
#include "control/primitives.h"
#include "control/remat.h"
#include "control/rules.h"
#include "core/nodes.h"
#include "tenon/lax.h"
#include "trace/jaxpr_trace.h"
#include "transforms/jaxpr.h"

namespace tenon::detail {
namespace {

using checkify::Checks;
constexpr Checks kAutomatic[] = {Checks::div, Checks::index, Checks::nan, Checks::inf};  // in the order in which they are made

Array scalar(int64_t value, DType dtype) { return Array(make_scalar(value, dtype, false)); }

std::string location_of(const SourceInfo& source) {
  if (source.line == 0) return {};
  std::string_view file(source.file);
  file.remove_prefix(file.rfind('/') + 1);
  return text(file, ":", source.line);
}

class Checker {
 public:
  explicit Checker(Checks wanted) : wanted_(wanted), facts_(make_ref<CheckFacts>()) {}

  CheckedResults run(const Jaxpr& jaxpr, const Arrays& arguments) {
    collect(jaxpr);
    States states;
    for (const CheckKind& kind : facts_->kinds) {
      CheckState state{scalar(0, jnp::bool_), scalar(-1, jnp::int32), {}};
      for (const Aval& aval : kind.payload) state.payload.push_back(lax::full(aval.shape, Array(0), aval.dtype));
      states.push_back(std::move(state));
    }
    Arrays results = eval(jaxpr, arguments, states);
    return {checkify::Error(values_of(states), Ref<const RefCounted>(facts_), facts_->key()), std::move(results)};
  }

 private:
  using States = std::vector<CheckState>;

  // ---- what may fail

  // Programs that an equation runs as part of itself. Those of derivatives and solvers are not.
  static std::vector<Jaxpr> called_by(const Eqn& eqn) {
    const Primitive& p = eqn.primitive();
    return p.call_like || &p == &remat_p || &p == &cond_p || &p == &while_p || &p == &scan_p ? jaxprs_in_params(eqn.params()) : std::vector<Jaxpr>();
  }
  bool is_wanted_check(const Eqn& eqn) const {
    return &eqn.primitive() == &check_p && (facts_of(eqn).kinds[0].category & wanted_) != Checks::none;
  }
  static const CheckFacts& facts_of(const Eqn& eqn) { return *eqn.params().get<CheckFactsParam>("facts").facts; }

  void add_kind(const CheckKind& kind) {
    if (std::ranges::find(facts_->kinds, kind) == facts_->kinds.end()) facts_->kinds.push_back(kind);
  }
  // All kinds of checks, and which programs have any.
  bool collect(const Jaxpr& jaxpr) {
    if (const auto known = may_fail_.find(jaxpr.id()); known != may_fail_.end()) return known->second;
    bool may_fail = false;
    for (const Eqn& eqn : jaxpr.eqns()) {
      if (&eqn.primitive() == &check_p) may_fail = true;  // wanted or not, it must go
      if (is_wanted_check(eqn)) add_kind(facts_of(eqn).kinds[0]);
      const std::vector<Jaxpr> called = called_by(eqn);
      for (const Jaxpr& inner : called) may_fail |= collect(inner);
      const Checks checks = called.empty() ? checks_of(eqn, wanted_) : Checks::none;
      for (Checks category : kAutomatic)
        if ((checks & category) != Checks::none) add_kind({category, payload_of(category)});
      may_fail |= checks != Checks::none;
    }
    may_fail_[jaxpr.id()] = may_fail;
    kept_.push_back(jaxpr);  // ids stay theirs
    return may_fail;
  }
  bool may_fail(const Jaxpr& jaxpr) { return collect(jaxpr); }

  // ---- the error

  void update(States& states, const CheckKind& kind, const Array& failed, const Array& code, const Arrays& payload) const {
    const auto at = std::ranges::find(facts_->kinds, kind) - facts_->kinds.begin();
    CheckState& state = states[static_cast<size_t>(at)];
    const Array before = state.failed;
    state.failed = lax::bitwise_or(before, failed);
    state.code = lax::select(before, state.code, code);
    for (size_t i = 0; i < payload.size(); ++i) {
      const Shape shape = payload[i].shape();
      const Array where = shape.empty() ? before : lax::broadcast_in_dim(before, shape, Axes());
      state.payload[i] = lax::select(where, state.payload[i], payload[i]);
    }
  }

  // ---- equations

  Arrays eval(const Jaxpr& jaxpr, const Arrays& arguments, States& states) {
    std::unordered_map<const void*, Array> env;
    for (size_t i = 0; i < jaxpr.consts().size(); ++i) env[jaxpr.constvars()[i].id()] = jaxpr.consts()[i];
    for (size_t i = 0; i < arguments.size(); ++i) env[jaxpr.invars()[i].id()] = arguments[i];
    const auto read = [&](const Var& v) { return v.is_literal() ? v.literal() : env.at(v.id()); };
    for (const Eqn& eqn : jaxpr.eqns()) {
      Arrays operands;
      for (const Var& v : eqn.invars()) operands.push_back(read(v));
      const SourceScope source(eqn.source());
      Arrays results = eval(eqn, operands, states);
      for (size_t k = 0; k < results.size(); ++k) env[eqn.outvars()[k].id()] = std::move(results[k]);
    }
    Arrays results;
    for (const Var& v : jaxpr.outvars()) results.push_back(read(v));
    return results;
  }

  Arrays eval(const Eqn& eqn, const Arrays& operands, States& states) {
    const Primitive& primitive = eqn.primitive();
    if (&primitive == &check_p) return discharge(eqn, operands, states);
    const std::vector<Jaxpr> called = called_by(eqn);
    if (called.empty()) return eval_operation(eqn, operands, states);
    if (std::ranges::none_of(called, [&](const Jaxpr& inner) { return may_fail(inner); })) return bind_all(primitive, operands, eqn.params());
    if (&primitive == &cond_p) return eval_cond(eqn, operands, states);
    if (&primitive == &while_p) return eval_while(eqn, operands, states);
    if (&primitive == &scan_p) return eval_scan(eqn, operands, states);
    const char* const name = eqn.params().find("call_jaxpr") ? "call_jaxpr" : "jaxpr";
    const Jaxpr& inner = eqn.params().get<Jaxpr>(name);
    const bool is_plain = eqn.params().size() == 1;  // nothing but a program
    if (is_plain) return eval(inner, operands, states);
    if (eqn.params().find("call_jaxpr")) {  // it brings a derivative of its own
      const Jaxpr unchecked = trace_to_jaxpr([&](const Arrays& x) { return eval_unchecked(inner, x); }, inner.in_avals(), "checkify", inner.id()->name);
      Arrays results = bind_all(primitive, operands, eqn.params().with(name, unchecked));
      Arrays stopped;
      for (const Array& x : operands) stopped.push_back(x.dtype().is_inexact() ? lax::stop_gradient(x) : x);
      eval(inner, stopped, states);
      return results;
    }
    const Jaxpr checked = trace_checked(inner, 0, inner.id()->name);
    const Arrays all = concatenated({values_of(states), operands});
    return take(&primitive == &jit_p ? bind_jit(eqn.params().get<std::string>("name"), checked, all) : bind_all(primitive, all, eqn.params().with(name, checked)),
                states);
  }

  Arrays eval_operation(const Eqn& eqn, const Arrays& operands, States& states) {
    Arrays results = bind_all(eqn.primitive(), operands, eqn.params());
    const Checks checks = checks_of(eqn, wanted_);
    for (Checks category : kAutomatic) {
      if ((checks & category) == Checks::none) continue;
      const Failure failure = check_operation(category, eqn, operands, results);
      const auto code = static_cast<int64_t>(facts_->messages.size());
      const Shape shape = category == Checks::index ? operands[0].shape() : Shape();
      facts_->messages.push_back({category, eqn.primitive().name(), shape, location_of(eqn.source())});
      update(states, {category, payload_of(category)}, failure.failed, scalar(code, jnp::int32), failure.payload);
    }
    return results;
  }

  // The messages of a check join ours, behind those that are there.
  Arrays discharge(const Eqn& eqn, const Arrays& operands, States& states) {
    if (!is_wanted_check(eqn)) return {};
    const CheckFacts& facts = facts_of(eqn);
    const auto offset = static_cast<int64_t>(facts_->messages.size());
    facts_->messages.insert(facts_->messages.end(), facts.messages.begin(), facts.messages.end());
    const Array code = offset == 0 ? operands[1] : lax::add(operands[1], scalar(offset, jnp::int32));
    update(states, facts.kinds[0], operands[0], code, part(operands, 2, operands.size()));
    return {};
  }

  // ---- programs with an error in front of inputs and results

  // The error takes the place behind the first `front` inputs.
  Jaxpr trace_checked(const Jaxpr& jaxpr, size_t front, const std::string& name) {
    return trace_checked(jaxpr.in_avals(), front, name, [&](const Arrays& inputs, States& states) { return eval(jaxpr, inputs, states); });
  }
  Jaxpr trace_checked(Avals avals, size_t front, const std::string& name, FunctionRef<Arrays(const Arrays&, States&)> body) {
    Avals errors;
    for (const CheckKind& kind : facts_->kinds) {
      errors.insert(errors.end(), {Aval{{}, jnp::bool_, false}, Aval{{}, jnp::int32, false}});
      errors.insert(errors.end(), kind.payload.begin(), kind.payload.end());
    }
    const size_t count = errors.size();
    avals.insert(avals.begin() + static_cast<ptrdiff_t>(front), errors.begin(), errors.end());
    const auto traced = [&](const Arrays& inputs) {
      States states = states_of(facts_->kinds, part(inputs, front, front + count));
      const Arrays results = body(concatenated({part(inputs, 0, front), part(inputs, front + count, inputs.size())}), states);
      return concatenated({values_of(states), results});
    };
    return trace_to_jaxpr(traced, avals, "checkify", name);
  }
  // The results behind the error, which becomes `states`.
  Arrays take(const Arrays& all, States& states) const {
    const size_t count = values_of(states).size();
    states = states_of(facts_->kinds, part(all, 0, count));
    return part(all, count, all.size());
  }
  // Without any check.
  Arrays eval_unchecked(const Jaxpr& jaxpr, const Arrays& arguments) {
    Checker unchecked(Checks::none);
    return unchecked.run(jaxpr, arguments).results;
  }

  Arrays eval_cond(const Eqn& eqn, const Arrays& operands, States& states) {
    std::vector<Jaxpr> branches;
    for (const Jaxpr& branch : eqn.params().get<std::vector<Jaxpr>>("branches")) branches.push_back(trace_checked(branch, 0, branch.id()->name));
    const Arrays all = concatenated({part(operands, 0, 1), values_of(states), part(operands, 1, operands.size())});
    return take(bind_all(cond_p, all, eqn.params().with("branches", branches)), states);
  }

  Arrays eval_scan(const Eqn& eqn, const Arrays& operands, States& states) {
    const auto consts = static_cast<size_t>(eqn.params().get<int64_t>("num_consts"));
    const Arrays values = values_of(states);
    const int64_t carries = eqn.params().get<int64_t>("num_carry") + static_cast<int64_t>(values.size());
    const Jaxpr& body = eqn.params().get<Jaxpr>("jaxpr");
    const Arrays all = concatenated({part(operands, 0, consts), values, part(operands, consts, operands.size())});
    return take(bind_all(scan_p, all, eqn.params().with("jaxpr", trace_checked(body, consts, body.id()->name)).with("num_carry", carries)), states);
  }

  // The condition has no place for an error: what it would say of the next round is checked before, at the end of the body.
  Arrays eval_while(const Eqn& eqn, const Arrays& operands, States& states) {
    const auto cond_nconsts = static_cast<size_t>(eqn.params().get<int64_t>("cond_nconsts"));
    const auto body_nconsts = static_cast<size_t>(eqn.params().get<int64_t>("body_nconsts"));
    const Jaxpr &condition = eqn.params().get<Jaxpr>("cond_jaxpr"), &body = eqn.params().get<Jaxpr>("body_jaxpr");
    const Arrays cond_consts = part(operands, 0, cond_nconsts), body_consts = part(operands, cond_nconsts, cond_nconsts + body_nconsts);
    const Arrays carry = part(operands, cond_nconsts + body_nconsts, operands.size());
    eval(condition, concatenated({cond_consts, carry}), states);
    const Avals inputs = concatenated({part(condition.in_avals(), 0, cond_nconsts), body.in_avals()});
    // A condition for each element of a batch cannot choose the error, which is one: the loop goes on while any holds, and the
    // elements that are done keep their carries.
    const int batched = condition.out_avals()[0].shape.ndim();
    std::vector<int64_t> all_axes(static_cast<size_t>(batched));
    std::iota(all_axes.begin(), all_axes.end(), 0);
    const Axes axes(all_axes);
    const auto again = [&](const Arrays& x) { return eval_unchecked(condition, x)[0]; };
    const Jaxpr checked_body = trace_checked(inputs, cond_nconsts + body_nconsts, body.id()->name, [&](const Arrays& x, States& inner) {
      const Arrays consts = part(x, 0, cond_nconsts), now = part(x, cond_nconsts + body_nconsts, x.size());
      Arrays next = eval(body, part(x, cond_nconsts, x.size()), inner);
      if (batched > 0) {
        const Array goes_on = again(concatenated({consts, now}));
        for (size_t k = 0; k < next.size(); ++k) next[k] = lax::select(lax::broadcast_in_dim(goes_on, next[k].shape(), axes), next[k], now[k]);
      }
      eval(condition, concatenated({consts, next}), inner);
      return next;
    });
    const size_t errors = values_of(states).size();
    Avals cond_avals = condition.in_avals();
    const Avals error_avals = part(checked_body.in_avals(), inputs.size() - carry.size(), inputs.size() - carry.size() + errors);
    cond_avals.insert(cond_avals.begin() + static_cast<ptrdiff_t>(cond_nconsts), error_avals.begin(), error_avals.end());
    const auto decide = [&](const Arrays& x) -> Arrays {
      const Array goes_on = again(concatenated({part(x, 0, cond_nconsts), part(x, cond_nconsts + errors, x.size())}));
      return {batched > 0 ? lax::reduce_or(goes_on, axes) : goes_on};
    };
    const Jaxpr unchecked_condition = trace_to_jaxpr(decide, cond_avals, "checkify", condition.id()->name);
    const Arrays all = concatenated({cond_consts, cond_consts, body_consts, values_of(states), carry});
    return take(bind_all(while_p, all,
                         eqn.params()
                             .with("body_jaxpr", checked_body)
                             .with("body_nconsts", static_cast<int64_t>(cond_nconsts + body_nconsts))
                             .with("cond_jaxpr", unchecked_condition)),
                states);
  }

  const Checks wanted_;
  const Ref<CheckFacts> facts_;
  std::unordered_map<const void*, bool> may_fail_;
  std::vector<Jaxpr> kept_;
};

}  // namespace

CheckedResults eval_checked(const Jaxpr& jaxpr, const Arrays& arguments, Checks checks) { return Checker(checks).run(jaxpr, arguments); }

CheckedCall call_checked(const Call& call, Checks checks) {
  const SiteScope site(call.loc);
  Ref<RefCounted> prototype;
  const auto body = [&](const Arrays& leaves) {
    FlatResult result = call.run(leaves);
    prototype = result.prototype;
    return std::move(result.leaves);
  };
  const Jaxpr jaxpr = trace_to_jaxpr(body, avals_of(call.leaves), "checkify", "checked");
  CheckedResults checked = eval_checked(jaxpr, call.leaves, checks);
  return {std::move(checked.error), {std::move(checked.results), std::move(prototype)}};
}

}  // namespace tenon::detail
