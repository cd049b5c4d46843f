#include "transforms/jaxpr.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/fail.h"

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

// The variables that are no results of `eqns` and not among `inputs`, in JAX's order: it sorts what the program is made of
// topologically, from the results back (toposort in jaxlib/utils.cc), where each use of a known value is a node of its own.
static Vars order_of_known(const Vars& inputs, const std::vector<Eqn>& eqns, const Vars& results) {
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

HoistedJaxpr hoisted(const Jaxpr& jaxpr, const Arrays& known, const std::vector<bool>& keep) {
  HoistedJaxpr out;
  std::unordered_map<const void*, Array> values;
  for (size_t i = 0; i < jaxpr.consts().size(); ++i) values[jaxpr.constvars()[i].id()] = jaxpr.consts()[i];
  for (size_t i = 0; i < known.size(); ++i) values[jaxpr.invars()[i].id()] = known[i];
  const auto is_known = [&](const Var& v) { return v.is_literal() || values.contains(v.id()); };
  auto node = make_ref<JaxprNode>(*jaxpr.id());
  node->eqns.clear();
  node->constvars.clear();
  node->consts.clear();
  for (const Eqn& eqn : jaxpr.eqns()) {
    const bool evaluates = eqn.effects() == Effects::none && std::ranges::all_of(eqn.invars(), is_known);
    if (!evaluates) {
      node->eqns.push_back(eqn);
      continue;
    }
    Arrays operands;
    for (const Var& v : eqn.invars()) operands.push_back(v.is_literal() ? v.literal() : values.at(v.id()));
    SourceScope source(eqn.source());
    Arrays results = bind_all(eqn.primitive(), operands, eqn.params());
    for (size_t i = 0; i < results.size(); ++i) values[eqn.outvars()[i].id()] = std::move(results[i]);
  }
  node->outvars.clear();
  for (size_t i = 0; i < jaxpr.outvars().size(); ++i) {
    const Var& v = jaxpr.outvars()[i];
    const bool hoists = is_known(v) && (keep.empty() || !keep[i]);
    out.known.push_back(!hoists ? Array() : v.is_literal() ? v.literal() : values.at(v.id()));
    if (hoists) continue;
    node->outvars.push_back(v);
  }
  const Vars unknown(jaxpr.invars().begin() + static_cast<ptrdiff_t>(known.size()), jaxpr.invars().end());
  Vars invars;
  for (const Var& v : order_of_known(unknown, node->eqns, node->outvars)) {
    const auto value = values.find(v.id());
    if (value == values.end()) continue;
    invars.push_back(v);
    out.values.push_back(value->second);
  }
  invars.insert(invars.end(), unknown.begin(), unknown.end());
  node->invars = std::move(invars);
  node->arg_names.clear();
  out.jaxpr = Jaxpr(Ref<const JaxprNode>(node));
  return out;
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
