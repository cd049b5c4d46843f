#include "transforms/hoist.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/fail.h"
#include "core/jaxpr_cache.h"
#include "core/rearrange.h"
#include "trace/jaxpr_trace.h"

namespace tenon::detail {
namespace {

// The variables that are no results of `eqns` and not among `inputs`, in JAX's order: it sorts what the program is made of
// topologically, from the results back (toposort in jaxlib/utils.cc), where each use of a known value is a node of its own.
Vars order_of_known(const Vars& inputs, const std::vector<Eqn>& eqns, const Vars& results) {
  struct Node {
    Var var;
    const Eqn* eqn;  // null: an input or a known value
    size_t users = 0;
  };
  std::vector<Node> nodes;
  std::unordered_map<const void*, size_t> node_of;
  const auto add = [&](const Var& v, const Eqn* eqn) {
    nodes.push_back({v, eqn});
    return nodes.size() - 1;
  };
  for (const Var& v : inputs) node_of[v.id()] = add(v, nullptr);
  std::unordered_map<const Eqn*, std::vector<size_t>> operands;
  const auto use = [&](const Var& v) {
    const auto at = node_of.find(v.id());
    return at != node_of.end() ? at->second : add(v, nullptr);
  };
  for (const Eqn& eqn : eqns) {
    std::vector<size_t>& parents = operands[&eqn];
    for (const Var& v : eqn.invars())
      if (!v.is_literal()) parents.push_back(use(v));
    for (const Var& v : eqn.outvars()) node_of[v.id()] = add(v, &eqn);
  }
  std::vector<size_t> ends;
  std::unordered_set<size_t> listed;
  const auto end_at = [&](size_t node) {
    if (listed.insert(node).second) ends.push_back(node);
  };
  for (const Var& v : inputs) end_at(node_of.at(v.id()));
  for (const Var& v : results)
    if (!v.is_literal()) end_at(use(v));
  const std::vector<size_t> none;
  const auto parents = [&](size_t node) -> const std::vector<size_t>& { return nodes[node].eqn ? operands.at(nodes[node].eqn) : none; };
  std::vector<size_t> stack = ends;
  while (!stack.empty()) {
    const size_t node = stack.back();
    stack.pop_back();
    if (nodes[node].users++ == 0) stack.insert(stack.end(), parents(node).begin(), parents(node).end());
  }
  for (size_t node : ends) --nodes[node].users;
  for (size_t node : ends)
    if (nodes[node].users == 0) stack.push_back(node);
  std::vector<size_t> sorted;
  while (!stack.empty()) {
    sorted.push_back(stack.back());
    stack.pop_back();
    for (size_t parent : parents(sorted.back()))
      if (nodes[parent].users == 1) stack.push_back(parent);
      else --nodes[parent].users;
  }
  Vars out;
  std::unordered_set<const void*> seen;
  for (const Var& v : inputs) seen.insert(v.id());
  for (auto node = sorted.rbegin(); node != sorted.rend(); ++node)
    if (!nodes[*node].eqn && seen.insert(nodes[*node].var.id()).second) out.push_back(nodes[*node].var);
  return out;
}

// The program that is all an equation does, and the name of the parameter; null where there is none that may come apart.
const char* program_param(const Eqn& eqn) {
  if (!eqn.primitive().call_like || !eqn.primitive().prune || eqn.effects() != Effects::none) return nullptr;
  for (const char* name : {"jaxpr", "call_jaxpr"})
    if (const Param* param = eqn.params().find(name); param && param->is<Jaxpr>()) return name;
  return nullptr;
}

// A called program in two, by which inputs are known.
struct SplitCall {
  enum class From { result, input, constant };
  // Where a value is after the call of `known`: among its results, its inputs, or it is a constant.
  struct Source {
    From from;
    size_t at = 0;
    Array constant;
  };
  Jaxpr known;                     // known inputs -> values
  Jaxpr rest;                      // residuals and inputs that are not known -> results that are not known
  std::vector<bool> known_results;
  std::vector<Source> results, residuals;  // known results; what `rest` reads
};

// `behind`: residuals come after the inputs of `rest`, as in JAX's jit.
SplitCall make_split(const Jaxpr& program, const std::vector<bool>& known, bool behind) {
  SplitCall out;
  Avals avals;
  for (size_t i = 0; i < known.size(); ++i)
    if (known[i]) avals.push_back(program.invars()[i].aval());
  size_t count = 0;
  const auto body = [&](const Arrays& inputs) {
    Arrays values(known.size()), results;
    size_t next = 0;
    for (size_t i = 0; i < known.size(); ++i)
      if (known[i]) values[i] = inputs[next++];
    HoistedJaxpr inner = hoisted(program, values);
    out.rest = inner.jaxpr;
    out.known_results.clear();
    for (const Array& x : inner.known) {
      out.known_results.push_back(!x.is_empty());
      if (!x.is_empty()) results.push_back(x);
    }
    count = results.size();
    results.insert(results.end(), inner.values.begin(), inner.values.end());
    return results;
  };
  const Jaxpr traced = trace_to_jaxpr(body, avals, "jit", program.id()->name);
  // Inputs and constants are there anyway, and a value comes out once.
  auto node = make_ref<JaxprNode>(*traced.id());
  node->outvars.clear();
  for (size_t i = 0; i < traced.outvars().size(); ++i) {
    const Var& v = traced.outvars()[i];
    const auto index = [&](const Vars& vars) { return static_cast<size_t>(std::ranges::find(vars, v) - vars.begin()); };
    SplitCall::Source source{SplitCall::From::result, 0, {}};
    if (const size_t input = index(traced.invars()); !v.is_literal() && input < traced.invars().size()) {
      source = {SplitCall::From::input, input, {}};
    } else if (const size_t constant = index(traced.constvars()); i >= count && !v.is_literal() && constant < traced.constvars().size()) {
      source = {SplitCall::From::constant, 0, traced.consts()[constant]};
    } else {
      source.at = v.is_literal() ? node->outvars.size() : index(node->outvars);
      if (source.at == node->outvars.size()) node->outvars.push_back(v);
    }
    (i < count ? out.results : out.residuals).push_back(std::move(source));
  }
  out.known = Jaxpr(Ref<const JaxprNode>(node));
  if (behind) {
    Vars binders = out.rest.invars();
    std::rotate(binders.begin(), binders.begin() + static_cast<ptrdiff_t>(out.residuals.size()), binders.end());
    out.rest = with_binders(out.rest, binders, out.rest.outvars());
  }
  return out;
}

SplitCall split_call(const Jaxpr& program, const std::vector<bool>& known, bool behind) {
  static auto* cache = new JaxprCache<SplitCall>;
  return cache->get(program, key_of({known, {behind}}), [&] { return make_split(program, known, behind); });
}

class Hoisting {
 public:
  Hoisting(const Jaxpr& jaxpr, const Arrays& known) : node_(make_ref<JaxprNode>(*jaxpr.id())), comes_apart_(current_trace().records()) {
    for (size_t i = 0; i < jaxpr.consts().size(); ++i) set(jaxpr.constvars()[i], jaxpr.consts()[i]);
    for (size_t i = 0; i < known.size(); ++i) {
      if (known[i].is_empty()) unknown_.push_back(jaxpr.invars()[i]);
      else set(jaxpr.invars()[i], known[i]);
    }
    node_->eqns.clear();
    node_->constvars.clear();
    node_->consts.clear();
    node_->arg_names.clear();
  }

  bool is_known(const Var& v) const { return v.is_literal() || values_.contains(v.id()); }
  const Array& value_of(const Var& v) const { return v.is_literal() ? v.literal() : values_.at(v.id()); }

  void add(const Eqn& eqn) {
    SourceScope source(eqn.source());
    if (eqn.effects() == Effects::none && std::ranges::all_of(eqn.invars(), [&](const Var& v) { return is_known(v); })) {
      Arrays operands;
      for (const Var& v : eqn.invars()) operands.push_back(value_of(v));
      const Arrays results = bind_all(eqn.primitive(), operands, eqn.params());
      for (size_t i = 0; i < results.size(); ++i) set(eqn.outvars()[i], results[i]);
    } else if (const char* param = comes_apart_ ? program_param(eqn) : nullptr) {
      take_apart(eqn, param);
    } else {
      if (comes_apart_ && eqn.primitive().call_like) evaluate_inside(eqn);
      node_->eqns.push_back(eqn);
    }
  }

  HoistedJaxpr finish(const Vars& results, const std::vector<bool>& keep) {
    HoistedJaxpr out;
    node_->outvars.clear();
    for (size_t i = 0; i < results.size(); ++i) {
      const bool hoists = is_known(results[i]) && (keep.empty() || !keep[i]);
      out.known.push_back(hoists ? value_of(results[i]) : Array());
      if (!hoists) node_->outvars.push_back(results[i]);
    }
    Vars invars;
    std::unordered_set<const void*> listed;
    const auto take = [&](const Var& v) {
      const auto value = values_.find(v.id());
      if (v.is_literal() || value == values_.end() || !listed.insert(v.id()).second) return;
      invars.push_back(v);
      out.values.push_back(value->second);
    };
    for (const Var& v : order_of_known(unknown_, node_->eqns, node_->outvars)) take(v);
    for (const Eqn& eqn : node_->eqns)  // what leads to no result
      for (const Var& v : eqn.invars()) take(v);
    invars.insert(invars.end(), unknown_.begin(), unknown_.end());
    node_->invars = std::move(invars);
    out.jaxpr = Jaxpr(Ref<const JaxprNode>(node_));
    return out;
  }

 private:
  void set(const Var& var, const Array& value) {
    values_[var.id()] = value;
    holders_.try_emplace(value.node_ref().get(), var);
  }

  // The known part is called now, even where it gives nothing (as in JAX); the equation that is left reads what it needs of it.
  void take_apart(const Eqn& eqn, const char* param) {
    std::vector<bool> known;
    Arrays operands;
    Vars rest;
    for (const Var& v : eqn.invars()) {
      known.push_back(is_known(v));
      if (known.back()) operands.push_back(value_of(v));
      else rest.push_back(v);
    }
    const bool behind = eqn.params().find("name") != nullptr;
    const SplitCall parts = split_call(eqn.params().get<Jaxpr>(param), known, behind);
    const Arrays values = bind_all(eqn.primitive(), operands, eqn.params().with(param, parts.known));
    const auto value = [&](const SplitCall::Source& source) {
      if (source.from == SplitCall::From::constant) return source.constant;
      return source.from == SplitCall::From::input ? operands[source.at] : values[source.at];
    };
    Vars outvars;
    size_t next = 0;
    for (size_t i = 0; i < parts.known_results.size(); ++i) {
      if (parts.known_results[i]) set(eqn.outvars()[i], value(parts.results[next++]));
      else outvars.push_back(eqn.outvars()[i]);
    }
    if (outvars.empty()) return;
    Vars operands_of_rest;
    for (const SplitCall::Source& source : parts.residuals) operands_of_rest.push_back(held(value(source)));
    operands_of_rest.insert(behind ? operands_of_rest.begin() : operands_of_rest.end(), rest.begin(), rest.end());
    node_->eqns.emplace_back(eqn.primitive(), operands_of_rest, outvars, eqn.params().with(param, parts.rest), eqn.source(), eqn.effects(), eqn.call());
  }

  // A variable for a known value: the one that has it, or a new one.
  Var held(const Array& value) {
    const auto at = holders_.find(value.node_ref().get());
    if (at != holders_.end()) return at->second;
    auto node = make_ref<VarNode>();
    node->aval = value.aval();
    set(Var(node), value);
    return Var(node);
  }

  // In JAX the programs of functions with their own derivatives are evaluated so, too; here all of the equation stays.
  void evaluate_inside(const Eqn& eqn) {
    const Param* param = eqn.params().find("call_jaxpr");
    if (param && param->is<Jaxpr>() && eqn.effects() == Effects::none) hoisted(param->get<Jaxpr>(), Arrays(eqn.invars().size()));
  }

  Ref<JaxprNode> node_;
  bool comes_apart_;
  Vars unknown_;
  std::unordered_map<const void*, Array> values_;
  std::unordered_map<const ArrayNode*, Var> holders_;  // of the values
};

}  // namespace

HoistedJaxpr hoisted(const Jaxpr& jaxpr, const Arrays& known, const std::vector<bool>& keep) {
  TENON_CHECK(known.size() == jaxpr.invars().size(), "hoisted");
  Hoisting hoisting(jaxpr, known);
  for (const Eqn& eqn : jaxpr.eqns()) hoisting.add(eqn);
  return hoisting.finish(jaxpr.outvars(), keep);
}

}  // namespace tenon::detail
