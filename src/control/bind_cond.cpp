// cond, switch_: every branch is traced; what the branches capture becomes operands of all of them.
#include <algorithm>
#include <unordered_map>

#include "base/fail.h"
#include "core/rearrange.h"
#include "control/carry.h"

namespace tenon::detail {
namespace {

struct TracedBranch {
  Jaxpr jaxpr;
  Arrays captured;
  Outcome outcome;
  std::string name;  // for errors
};

TracedBranch trace_branch(const char* who, const std::string& name, const Branch& branch, const Avals& avals) {
  TracedBranch traced;
  traced.name = name;
  auto body = [&](const Arrays& leaves) {
    traced.outcome = branch.run(leaves);
    return std::exchange(traced.outcome.tree.leaves, {});
  };
  traced.jaxpr = trace_closed(who, body, avals, traced.captured);
  return traced;
}

// Of all branches: first what they capture, each value once, in order of the branches; then the operands.
Arrays unite_inputs(std::vector<TracedBranch>& branches, const Arrays& operands) {
  Arrays all;
  std::unordered_map<const ArrayNode*, size_t> index;
  for (const TracedBranch& branch : branches)
    for (const Array& value : branch.captured)
      if (index.emplace(value.node_ref().get(), all.size()).second) all.push_back(value);
  const size_t captured = all.size();
  all.insert(all.end(), operands.begin(), operands.end());
  const Avals avals = avals_of(all);
  for (TracedBranch& branch : branches) {
    std::vector<size_t> at;
    for (const Array& value : branch.captured) at.push_back(index.at(value.node_ref().get()));
    for (size_t i = 0; i < operands.size(); ++i) at.push_back(captured + i);
    branch.jaxpr = over_more_inputs(branch.jaxpr, avals, at);
  }
  return all;
}

// `order`: the branches as the index counts them.
FlatResult bind_branches(const char* who, const Array& index, std::vector<TracedBranch> traced, const std::vector<size_t>& order,
                         const std::vector<Branch>& branches, const Arrays& operands) {
  const Arrays inputs = unite_inputs(traced, operands);
  for (const TracedBranch& other : traced)
    check_branches(who, traced[0].name, other.name, traced[0].outcome.tree, traced[0].jaxpr.out_avals(), other.outcome.tree, other.jaxpr.out_avals());
  // A result that is the same input in all branches needs no branch.
  std::vector<std::optional<size_t>> forwarded = forwarded_inputs(traced[0].jaxpr);
  for (const TracedBranch& other : traced) {
    const auto theirs = forwarded_inputs(other.jaxpr);
    for (size_t i = 0; i < forwarded.size(); ++i)
      if (forwarded[i] != theirs[i]) forwarded[i] = std::nullopt;
  }
  std::vector<bool> keep;
  for (const auto& input : forwarded) keep.push_back(!input);
  std::vector<Jaxpr> jaxprs;
  for (size_t i : order) jaxprs.push_back(shared_jaxpr(who, branches[i].identity, keep_results(traced[i].jaxpr, keep)));

  Arrays arguments = {index};
  arguments.insert(arguments.end(), inputs.begin(), inputs.end());
  const Arrays bound = bind_all(cond_p, arguments, {{"branches", jaxprs}});
  FlatResult result{{}, traced[0].outcome.prototype};
  size_t next = 0;
  for (const auto& input : forwarded) result.leaves.push_back(input ? inputs[*input] : bound[next++]);
  return result;
}

}  // namespace

FlatResult cond(const Operand& predicate, const Branch& on_true, const Branch& on_false, const Arrays& operands) {
  const char* who = "cond";
  SiteScope site(predicate.loc);
  Array decision = predicate.value;
  const Aval aval = decision.aval();
  if (!aval.shape.empty()) fail<TypeError>(who, "the predicate must be a scalar; got ", aval, "; reduce it with jnp::all or jnp::any, or choose elements with jnp::where");
  if (aval.dtype.is_complex() || aval.dtype.is_prng_key()) fail<TypeError>(who, "the predicate must be a bool or a real number; got ", aval);
  if (!aval.dtype.is_bool()) decision = lax::ne(decision, constant_of(decision, 0));
  const Avals avals = avals_of(operands);
  std::vector<TracedBranch> traced;
  traced.push_back(trace_branch(who, "on_true", on_true, avals));
  traced.push_back(trace_branch(who, "on_false", on_false, avals));
  return bind_branches(who, lax::convert_type(decision, DType(DType::kInt32), false), std::move(traced), {1, 0}, {on_true, on_false}, operands);
}

FlatResult switch_on(const Operand& index, const std::vector<Branch>& branches, const Arrays& operands) {
  const char* who = "switch_";
  SiteScope site(index.loc);
  const Aval aval = index.value.aval();
  if (!aval.shape.empty()) fail<TypeError>(who, "the index must be a scalar; got ", aval);
  if (!aval.dtype.is_integer()) fail<TypeError>(who, "the index must be an integer; got ", aval);
  if (branches.empty()) fail<ValueError>(who, "needs at least one branch; got none");
  if (branches.size() == 1) {
    Outcome only = branches[0].run(operands);
    return {std::move(only.tree.leaves), only.prototype};
  }
  const DType int32(DType::kInt32);
  const Array low = lax::convert_type(Array(0), int32, false);
  const Array high = lax::convert_type(Array(static_cast<int64_t>(branches.size()) - 1), int32, false);
  const Array inside = lax::clamp(low, lax::convert_type(index.value, int32, false), high);
  std::vector<TracedBranch> traced;
  std::vector<size_t> order;
  for (size_t i = 0; i < branches.size(); ++i) {
    traced.push_back(trace_branch(who, text("branch ", i), branches[i], avals_of(operands)));
    order.push_back(i);
  }
  return bind_branches(who, inside, std::move(traced), order, branches, operands);
}

}  // namespace tenon::detail
