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
