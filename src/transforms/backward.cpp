#include "transforms/backward.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "base/fail.h"
#include "core/jaxpr_cache.h"
#include "tenon/detail/rules.h"
#include "trace/jaxpr_trace.h"
#include "transforms/hidden.h"
#include "transforms/hoist.h"

namespace tenon::detail {
namespace {

class BackwardPass {
 public:
  explicit BackwardPass(const Jaxpr& jaxpr) : jaxpr_(jaxpr) {}

  void forward(const LinearOperands& inputs) {
    for (size_t i = 0; i < jaxpr_.consts().size(); ++i) known_[jaxpr_.constvars()[i].id()] = jaxpr_.consts()[i];
    for (size_t i = 0; i < inputs.size(); ++i) {
      const void* var = jaxpr_.invars()[i].id();
      if (!(inputs[i].aval == jaxpr_.invars()[i].aval())) strong_.insert(var);
      if (inputs[i].linear) linear_.emplace(var, inputs[i].value.is_empty() ? Tangent::zero(tangent_aval(inputs[i].aval)) : inputs[i].value);
      else known_[var] = inputs[i].value;
    }
    for (const Eqn& eqn : jaxpr_.eqns()) {
      const bool is_linear = std::ranges::any_of(eqn.invars(), [&](const Var& v) { return linear_.contains(v.id()); });
      if (is_linear) {
        for (const Var& v : eqn.outvars()) linear_.emplace(v.id(), Tangent::zero(tangent_aval(v.aval())));
        pending_.push_back(&eqn);
        continue;
      }
      Arrays operands;
      for (const Var& v : eqn.invars()) operands.push_back(read(v));
      SourceScope source(eqn.source());
      Arrays results = bind_all(eqn.primitive(), operands, eqn.params());
      for (size_t i = 0; i < results.size(); ++i) known_[eqn.outvars()[i].id()] = std::move(results[i]);
    }
  }

  void backward(const Cotangents& cotangents) {
    for (size_t i = 0; i < cotangents.size(); ++i) accumulate(jaxpr_.outvars()[i], cotangents[i]);
    std::vector<Contribution> out;
    while (!pending_.empty()) {
      if (pending_.back()->call() != 0) {
        transpose_call();
        continue;
      }
      transpose(*pending_.back(), out);
      pending_.pop_back();
      add(out);
    }
  }

  Cotangent cotangent_of(const Var& v) const {
    auto at = linear_.find(v.id());
    return at == linear_.end() ? Tangent::zero(tangent_aval(v.aval())) : at->second;
  }

 private:
  struct Contribution {
    const Var* var;
    Cotangent cotangent;
    std::optional<LateHiding> late;
  };
  void add(const Contribution& c) { accumulate(*c.var, c.cotangent, c.late ? &*c.late : nullptr); }
  void add(std::vector<Contribution>& contributions) {
    for (const Contribution& c : contributions) add(c);
    contributions.clear();
  }

  // What a call gives to the outside is added when it is done, first equation first; what a function of one array gives to it is summed before.
  void transpose_call() {
    const uint32_t call = pending_.back()->call();
    auto end = std::find_if(pending_.rbegin(), pending_.rend(), [&](const Eqn* eqn) { return eqn->call() != call; });
    std::unordered_set<const void*> inside;
    for (auto eqn = pending_.rbegin(); eqn != end; ++eqn)
      for (const Var& v : (*eqn)->outvars()) inside.insert(v.id());
    CallScope scope;
    const bool sums = takes_one_operand(call);
    std::vector<std::vector<Contribution>> outside;
    for (auto count = end - pending_.rbegin(); count > 0; --count) {
      std::vector<Contribution> all;
      transpose(*pending_.back(), all);
      pending_.pop_back();
      outside.emplace_back();
      for (Contribution& c : all) {
        if (inside.contains(c.var->id())) add(c);
        else if (!sums || !added(outside, c)) outside.back().push_back(std::move(c));
      }
    }
    for (; !outside.empty(); outside.pop_back()) add(outside.back());
  }

  // Adds to what is there for the same variable.
  static bool added(std::vector<std::vector<Contribution>>& outside, const Contribution& c) {
    if (c.late || c.cotangent.is_zero()) return false;
    for (std::vector<Contribution>& list : outside)
      for (Contribution& other : list) {
        if (other.var->id() != c.var->id() || other.late || other.cotangent.is_zero()) continue;
        other.cotangent = add_tangents(other.cotangent, c.cotangent);
        return true;
      }
    return false;
  }

  const Array& read(const Var& v) const { return v.is_literal() ? v.literal() : known_.at(v.id()); }

  void accumulate(const Var& v, const Cotangent& cotangent, const LateHiding* late = nullptr) {
    if (v.is_literal() || cotangent.is_zero()) return;
    auto at = linear_.find(v.id());
    if (at == linear_.end()) return;
    if (cotangent.aval().shape != v.aval().shape)
      fail<ValueError>("transpose", "expected a cotangent of type ", v.aval(), " but got ", cotangent.aval());
    if (late && at->second.is_zero() && comes_scaled(v)) {
      late_.emplace(v.id(), *late);
      at->second = cotangent;
      return;
    }
    if (auto waiting = late_.extract(v.id())) at->second = waiting.mapped().apply(at->second);
    at->second = add_tangents(at->second, late ? late->apply(cotangent) : cotangent);
  }

  // Is v the result of elementwise operations, of which one scales?
  bool comes_scaled(const Var& v) {
    if (!knows_scaled_) {
      knows_scaled_ = true;
      for (const Eqn* eqn : pending_) {
        const VarSet linear = linear_operands(*eqn);
        if (!acts_elementwise(*eqn, linear)) continue;
        const bool before = std::ranges::any_of(eqn->invars(), [&](const Var& x) { return scaled_.contains(x.id()); });
        if (before || scales(*eqn, linear)) scaled_.insert(eqn->outvars()[0].id());
      }
    }
    return scaled_.contains(v.id());
  }
  VarSet linear_operands(const Eqn& eqn) const {
    VarSet out;
    for (const Var& v : eqn.invars())
      if (!v.is_literal() && linear_.contains(v.id())) out.insert(v.id());
    return out;
  }

  // The cotangents of the linear operands, in their order.
  void transpose(const Eqn& eqn, std::vector<Contribution>& out) {
    Cotangents results;
    bool any = eqn.effects() != Effects::none;
    for (const Var& v : eqn.outvars()) {
      auto at = linear_.extract(v.id());
      results.push_back(std::move(at.mapped()));
      any |= !results.back().is_zero();
    }
    const auto waiting = eqn.outvars().size() == 1 ? late_.extract(eqn.outvars()[0].id()) : decltype(late_)::node_type();
    if (!any) return;
    LinearOperands operands;
    for (const Var& v : eqn.invars()) {
      const bool is_linear = !v.is_literal() && linear_.contains(v.id());
      operands.push_back({is_linear, is_linear ? Array() : read(v), v.aval()});
      if (is_linear && strong_.contains(v.id())) operands.back().aval.weak_type = false;
    }
    if (!waiting && may_hide(eqn) && hides(eqn, linear_operands(eqn))) {
      const auto linear = std::ranges::find_if(operands, [](const LinearOperand& x) { return x.linear; });
      out.push_back({&eqn.invars()[static_cast<size_t>(linear - operands.begin())], results[0], LateHiding{&eqn, operands}});
      return;
    }
    const Primitive& primitive = eqn.primitive();
    if (!primitive.transpose)
      fail<UnimplementedError>("transpose", "the operation ", primitive.name(), " has no transpose: a derivative in reverse needs one");
    SourceScope source(eqn.source());
    const Cotangents cotangents = primitive.transpose(primitive, results, operands, eqn.params());
    TENON_CHECK(cotangents.size() == operands.size(), primitive.name());
    for (size_t i = 0; i < operands.size(); ++i)
      if (operands[i].linear) out.push_back({&eqn.invars()[i], cotangents[i], waiting ? std::optional(waiting.mapped()) : std::nullopt});
  }

  const Jaxpr& jaxpr_;
  std::unordered_map<const void*, Array> known_;
  std::unordered_map<const void*, Cotangent> linear_;
  std::unordered_set<const void*> strong_;  // linear inputs that are given as such though their binders are weak
  std::vector<const Eqn*> pending_;
  std::unordered_map<const void*, LateHiding> late_;             // cotangents that are not hidden yet
  VarSet scaled_;                                                // linear values; made when it is needed
  bool knows_scaled_ = false;
};

}  // namespace

Cotangents backward_pass(const Jaxpr& jaxpr, const LinearOperands& inputs, const Cotangents& cotangents) {
  TENON_CHECK(inputs.size() == jaxpr.invars().size() && cotangents.size() == jaxpr.outvars().size(), "backward_pass");
  Cotangents out;
  if (std::ranges::all_of(cotangents, [](const Cotangent& ct) { return ct.is_zero(); }) && jaxpr.effects() == Effects::none) {
    for (const LinearOperand& input : inputs)
      out.push_back(input.linear && !input.value.is_empty() ? Tangent(input.value) : Tangent::zero(tangent_aval(input.aval)));
    return out;
  }
  BackwardPass pass(jaxpr);
  pass.forward(inputs);
  pass.backward(cotangents);
  for (const Var& v : jaxpr.invars()) out.push_back(pass.cotangent_of(v));
  return out;
}

Cotangents hoisted_backward_pass(const Jaxpr& jaxpr, const LinearOperands& inputs, const Cotangents& cotangents) {
  Arrays known;
  for (const LinearOperand& x : inputs) known.push_back(x.linear ? Array() : x.value);
  const HoistedJaxpr rest = hoisted(jaxpr, known);
  LinearOperands left;
  for (const Array& value : rest.values) left.push_back({false, value, value.aval()});
  for (const LinearOperand& x : inputs)
    if (x.linear) left.push_back(x);
  Cotangents of_unknown;
  for (size_t i = 0; i < cotangents.size(); ++i)
    if (rest.known[i].is_empty()) of_unknown.push_back(cotangents[i]);
  const Cotangents found = backward_pass(rest.jaxpr, left, of_unknown);
  Cotangents out;
  size_t next = rest.values.size();
  for (const LinearOperand& x : inputs) out.push_back(x.linear ? found[next++] : Cotangent::zero(tangent_aval(x.aval)));
  return out;
}

static TransposedJaxpr make_transposed(const Jaxpr& jaxpr, const std::vector<bool>& linear, const std::vector<bool>& nonzero,
                                       const std::vector<bool>& weak, bool apart) {
  TransposedJaxpr out;
  Avals avals;
  for (size_t i = 0; i < linear.size(); ++i)
    if (!linear[i]) avals.push_back(jaxpr.invars()[i].aval());
  for (size_t i = 0; i < nonzero.size(); ++i)
    if (nonzero[i]) avals.push_back(jaxpr.outvars()[i].aval());
  for (size_t i = 0; i < weak.size(); ++i) avals[i].weak_type = weak[i];
  auto body = [&](const Arrays& arguments) {
    size_t next = 0;
    LinearOperands inputs;
    for (size_t i = 0; i < linear.size(); ++i)
      inputs.push_back({linear[i], linear[i] ? Array() : arguments[next++], jaxpr.invars()[i].aval()});
    Cotangents cotangents;
    for (size_t i = 0; i < nonzero.size(); ++i)
      cotangents.push_back(nonzero[i] ? Tangent(arguments[next++]) : Tangent::zero(jaxpr.outvars()[i].aval()));
    Arrays results;
    const Cotangents of_inputs = apart ? hoisted_backward_pass(jaxpr, inputs, cotangents) : backward_pass(jaxpr, inputs, cotangents);
    for (size_t i = 0; i < linear.size(); ++i) {
      out.nonzero.push_back(linear[i] && !of_inputs[i].is_zero());
      if (out.nonzero.back()) results.push_back(of_inputs[i].value());
    }
    return results;
  };
  out.jaxpr = trace_to_jaxpr(body, avals, "transpose", jaxpr.id()->name);
  return out;
}

TransposedJaxpr transpose_jaxpr(const Jaxpr& jaxpr, const std::vector<bool>& linear, const std::vector<bool>& nonzero, const std::vector<bool>& weak,
                                bool apart) {
  static JaxprCache<TransposedJaxpr>* cache = new JaxprCache<TransposedJaxpr>;
  return cache->get(jaxpr, key_of({linear, nonzero, weak, {apart}}), [&] { return make_transposed(jaxpr, linear, nonzero, weak, apart); });
}

}  // namespace tenon::detail
