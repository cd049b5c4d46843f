#include "transforms/jaxpr.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/fail.h"
#include "transforms/jaxpr_cache.h"

namespace tenon::detail {
namespace {

// Values of variables; each is let go after the last equation that reads it.
class Environment {
 public:
  explicit Environment(const Jaxpr& jaxpr) {
    const std::vector<Eqn>& eqns = jaxpr.eqns();
    for (size_t i = 0; i < eqns.size(); ++i)
      for (const Var& v : eqns[i].invars()) last_[v.id()] = i;
    for (const Var& v : jaxpr.outvars()) last_[v.id()] = eqns.size();
  }
  const Array& read(const Var& v) const { return v.is_literal() ? v.literal() : values_.at(v.id()); }
  void write(const Var& v, Array value) {
    if (last_.contains(v.id())) values_[v.id()] = std::move(value);
  }
  void release(const Eqn& eqn, size_t at) {
    for (const Var& v : eqn.invars())
      if (!v.is_literal() && last_[v.id()] == at) values_.erase(v.id());
  }

 private:
  std::unordered_map<const void*, Array> values_;
  std::unordered_map<const void*, size_t> last_;
};

bool has_programs(const Jaxpr& jaxpr) {
  return std::ranges::any_of(jaxpr.eqns(), [](const Eqn& eqn) { return eqn.primitive().prune != nullptr; });
}

}  // namespace

Arrays eval_jaxpr(const Jaxpr& jaxpr, const Arrays& arguments) {
  return eval_jaxpr(jaxpr, arguments, [](const Eqn&, Arrays&) {});
}
Arrays eval_jaxpr(const Jaxpr& jaxpr, const Arrays& arguments, FunctionRef<void(const Eqn&, Arrays&)> each) {
  TENON_CHECK(arguments.size() == jaxpr.invars().size(), "eval_jaxpr");
  Environment env(jaxpr);
  for (size_t i = 0; i < jaxpr.consts().size(); ++i) env.write(jaxpr.constvars()[i], jaxpr.consts()[i]);
  for (size_t i = 0; i < arguments.size(); ++i) env.write(jaxpr.invars()[i], arguments[i]);
  const std::vector<Eqn>& eqns = jaxpr.eqns();
  Arrays operands;
  for (size_t i = 0; i < eqns.size(); ++i) {
    operands.clear();
    for (const Var& v : eqns[i].invars()) operands.push_back(env.read(v));
    SourceScope source(eqns[i].source());
    Arrays results = bind_all(eqns[i].primitive(), operands, eqns[i].params());
    each(eqns[i], results);
    env.release(eqns[i], i);
    for (size_t k = 0; k < results.size(); ++k) env.write(eqns[i].outvars()[k], std::move(results[k]));
  }
  Arrays out;
  for (const Var& v : jaxpr.outvars()) out.push_back(env.read(v));
  return out;
}

PrunedJaxpr dead_code_eliminated(const Jaxpr& jaxpr, const std::vector<bool>& used, bool keep_inputs) {
  TENON_CHECK(used.size() == jaxpr.outvars().size(), "dead_code_eliminated");
  auto node = make_ref<JaxprNode>(*jaxpr.id());
  std::unordered_set<const void*> live;
  node->outvars.clear();
  for (size_t i = 0; i < used.size(); ++i) {
    if (!used[i]) continue;
    node->outvars.push_back(jaxpr.outvars()[i]);
    live.insert(jaxpr.outvars()[i].id());
  }
  std::vector<Eqn> kept;
  for (auto eqn = jaxpr.eqns().rbegin(); eqn != jaxpr.eqns().rend(); ++eqn) {
    std::vector<bool> wanted;
    for (const Var& v : eqn->outvars()) wanted.push_back(live.contains(v.id()));
    const bool any = std::ranges::find(wanted, true) != wanted.end();
    if (!any && eqn->effects() == Effects::none) continue;
    if (eqn->primitive().prune && any) {
      const PrunedEqn rest = eqn->primitive().prune(*eqn, wanted);
      Vars invars, outvars;
      for (size_t i = 0; i < rest.operands.size(); ++i)
        if (rest.operands[i]) invars.push_back(eqn->invars()[i]);
      for (size_t i = 0; i < rest.results.size(); ++i)
        if (rest.results[i]) outvars.push_back(eqn->outvars()[i]);
      kept.emplace_back(eqn->primitive(), std::move(invars), std::move(outvars), rest.params, eqn->source(), eqn->effects(), eqn->call());
    } else {
      kept.push_back(*eqn);
    }
    for (const Var& v : kept.back().invars()) live.insert(v.id());
  }
  std::ranges::reverse(kept);
  node->eqns = std::move(kept);

  PrunedJaxpr out;
  Vars invars;
  std::vector<std::string> names;
  for (size_t i = 0; i < jaxpr.invars().size(); ++i) {
    const bool is_used = live.contains(jaxpr.invars()[i].id());
    out.used_inputs.push_back(is_used);
    if (!is_used && !keep_inputs) continue;
    invars.push_back(jaxpr.invars()[i]);
    if (!node->arg_names.empty()) names.push_back(node->arg_names[i]);
  }
  node->invars = std::move(invars);
  node->arg_names = std::move(names);
  node->constvars.clear();
  node->consts.clear();
  for (size_t i = 0; i < jaxpr.consts().size(); ++i) {
    if (!live.contains(jaxpr.constvars()[i].id())) continue;
    node->constvars.push_back(jaxpr.constvars()[i]);
    node->consts.push_back(jaxpr.consts()[i]);
  }
  out.jaxpr = Jaxpr(Ref<const JaxprNode>(node));
  return out;
}

PrunedJaxpr pruned_call(const Jaxpr& jaxpr, const std::vector<bool>& used, bool keep_inputs) {
  static JaxprCache<PrunedJaxpr>* cache = new JaxprCache<PrunedJaxpr>;
  return cache->get(jaxpr, key_of({used, {keep_inputs}}), [&] {
    PrunedJaxpr out = dead_code_eliminated(jaxpr, used, keep_inputs);
    const bool all = std::ranges::find(used, false) == used.end() && std::ranges::find(out.used_inputs, false) == out.used_inputs.end();
    if (all && out.jaxpr.eqns().size() == jaxpr.eqns().size() && out.jaxpr.consts().size() == jaxpr.consts().size() && !has_programs(jaxpr))
      out.jaxpr = jaxpr;
    return out;
  });
}

Jaxpr with_binders(const Jaxpr& jaxpr, Vars invars, Vars outvars) {
  auto node = make_ref<JaxprNode>(*jaxpr.id());
  std::unordered_set<const void*> inputs;
  for (const Var& v : invars) inputs.insert(v.id());
  node->constvars.clear();
  node->consts.clear();
  for (size_t i = 0; i < jaxpr.consts().size(); ++i) {
    if (inputs.contains(jaxpr.constvars()[i].id())) continue;
    node->constvars.push_back(jaxpr.constvars()[i]);
    node->consts.push_back(jaxpr.consts()[i]);
  }
  node->invars = std::move(invars);
  node->outvars = std::move(outvars);
  node->arg_names.clear();
  return Jaxpr(Ref<const JaxprNode>(node));
}

Jaxpr with_results(const Jaxpr& jaxpr, Vars outvars) {
  auto node = make_ref<JaxprNode>(*jaxpr.id());
  node->outvars = std::move(outvars);
  return Jaxpr(Ref<const JaxprNode>(node));
}

}  // namespace tenon::detail
