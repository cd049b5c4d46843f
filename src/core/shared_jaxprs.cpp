#include "core/shared_jaxprs.h"

#include <algorithm>
#include <deque>
#include <unordered_map>
#include <unordered_set>

#include "tenon/primitive.h"

namespace tenon::detail {
namespace {

// The name of the function that was jitted, without the brackets of <lambda>; "" where there is none.
std::string hint_of(const Eqn& eqn) {
  std::string primitive = eqn.primitive().name();
  const Param* name = eqn.params().find("name");
  if (!name || !name->is<std::string>() || primitive.starts_with("custom_")) return "";
  std::string hint = name->get<std::string>();
  size_t from = hint.find_first_not_of("<>"), to = hint.find_last_not_of("<>");
  return from == std::string::npos ? "" : hint.substr(from, to - from + 1);
}

// In the order in which the equation was given them: by name, except that a loop has its condition first.
std::vector<Jaxpr> jaxprs_below(const Eqn& eqn) {
  std::vector<Jaxpr> jaxprs = jaxprs_in_params(eqn.params());
  const Param* condition = eqn.params().find("cond_jaxpr");
  if (condition && condition->is<Jaxpr>()) {
    auto at = std::ranges::find(jaxprs, condition->get<Jaxpr>());
    std::rotate(jaxprs.begin(), at, at + 1);
  }
  return jaxprs;
}

struct Met {
  Jaxpr jaxpr;
  std::string hint;
  int times = 0;
};

}  // namespace

std::vector<SharedJaxpr> find_shared_jaxprs(const Jaxpr& root) {
  std::vector<Met> all;  // in order of discovery
  std::unordered_map<const JaxprNode*, size_t> index;
  std::deque<size_t> open;
  auto meet = [&](const Jaxpr& jaxpr, const std::string& hint) {
    auto [at, fresh] = index.try_emplace(jaxpr.id(), all.size());
    if (fresh) all.push_back({jaxpr, "", 0});
    Met& met = all[at->second];
    if (met.hint.empty()) met.hint = hint;
    // What is inside a jaxpr that is met twice is met twice; more does not matter.
    if (++met.times <= 2) open.push_back(at->second);
  };
  meet(root, "");
  while (!open.empty()) {
    Jaxpr jaxpr = all[open.front()].jaxpr;
    open.pop_front();
    for (const Eqn& eqn : jaxpr.eqns())
      for (const Jaxpr& inner : jaxprs_below(eqn)) meet(inner, hint_of(eqn));
  }

  std::vector<SharedJaxpr> shared;
  std::unordered_map<std::string, int> numbers;
  std::unordered_set<std::string> taken;
  for (size_t i = 1; i < all.size(); ++i) {
    const Met& met = all[i];
    if (met.times == 1 && met.jaxpr.eqns().size() <= 10) continue;
    std::string stem = met.hint.empty() ? "jaxpr" : met.hint, name = stem;
    while (!taken.insert(name).second) name = stem + std::to_string(++numbers[stem]);
    shared.push_back({name, met.jaxpr});
  }
  return shared;
}

}  // namespace tenon::detail
