// while_loop, and fori_loop, which is one when its bounds are not known.
#include <algorithm>

#include "base/fail.h"
#include "core/dead_code.h"
#include "core/rearrange.h"
#include "control/carry.h"
#include "transforms/jaxpr.h"

namespace tenon::detail {
namespace {

struct TracedLoop {
  Jaxpr condition, body;
  Arrays condition_captured, body_captured;
  ErasedTree out;  // without leaves
};

TracedLoop trace_loop(const char* who, const LoopFunctions& functions, const Avals& avals) {
  TracedLoop loop;
  auto decide = [&](const Arrays& leaves) {
    Arrays decision = functions.condition(leaves).leaves;
    if (decision.size() != 1) fail<TypeError>(who, "the condition must give one bool scalar; got ", decision.size(), " arrays");
    return decision;
  };
  auto step = [&](const Arrays& leaves) {
    loop.out = functions.body(leaves);
    return std::exchange(loop.out.leaves, {});
  };
  loop.condition = trace_closed("while_cond", decide, avals, loop.condition_captured);
  loop.body = trace_closed("while_body", step, avals, loop.body_captured);
  const Aval decision = loop.condition.out_avals()[0];
  if (!decision.shape.empty() || !decision.dtype.is_bool()) fail<TypeError>(who, "the condition must give a bool scalar; got ", decision);
  return loop;
}

// A carry that the body hands on as it is, and that the condition does not need, is a constant of the body.
std::vector<bool> constant_carries(TracedLoop& loop, size_t count) {
  const size_t cond_nconsts = loop.condition_captured.size(), body_nconsts = loop.body_captured.size();
  const auto forwarded = forwarded_inputs(loop.body);
  const std::vector<bool> reads = dead_code_eliminated(loop.condition, {true}).used_inputs;
  std::vector<bool> constant;
  for (size_t i = 0; i < count; ++i) constant.push_back(forwarded[i] == body_nconsts + i && !reads[cond_nconsts + i]);
  if (std::ranges::none_of(constant, [](bool c) { return c; })) return constant;
  const Jaxpr condition = dead_code_eliminated(loop.condition, {true}, true).jaxpr;
  std::vector<bool> inputs(cond_nconsts, true);
  for (bool c : constant) inputs.push_back(!c);
  loop.condition = with_binders(condition, where(condition.invars(), inputs, true), condition.outvars());
  std::vector<bool> results = constant, to_front(body_nconsts, false);
  results.flip();
  to_front.insert(to_front.end(), constant.begin(), constant.end());
  loop.body = move_inputs_to_front(keep_results(loop.body, results), to_front);
  return constant;
}

Arrays loop_over(const char* who, const LoopFunctions& functions, const ErasedTree& init) {
  Arrays carry = init.leaves;
  Avals avals = avals_of(carry);
  TracedLoop loop = trace_loop(who, functions, avals);
  while (promote_weak(carry, loop.body.out_avals())) {  // one that became strong may make another one strong
    avals = avals_of(carry);
    loop = trace_loop(who, functions, avals);
  }
  check_carry(who, init, avals, loop.out, loop.body.out_avals());

  const std::vector<bool> constant = constant_carries(loop, carry.size());
  Arrays body_consts = where(carry, constant, true);
  body_consts.insert(body_consts.end(), loop.body_captured.begin(), loop.body_captured.end());
  Arrays operands = loop.condition_captured;
  for (const Arrays& part : {body_consts, where(carry, constant, false)}) operands.insert(operands.end(), part.begin(), part.end());
  const Arrays moved = bind_all(while_p, operands,
                                {{"body_jaxpr", shared_jaxpr("while_body", functions.identity, loop.body)},
                                 {"body_nconsts", static_cast<int64_t>(body_consts.size())},
                                 {"cond_jaxpr", shared_jaxpr("while_cond", functions.identity, loop.condition)},
                                 {"cond_nconsts", static_cast<int64_t>(loop.condition_captured.size())}});
  size_t next = 0;
  for (size_t i = 0; i < carry.size(); ++i)
    if (!constant[i]) carry[i] = moved[next++];
  return carry;
}

bool is_known(const Array& x) {
  const auto kind = x.node("fori_loop").kind();
  return kind == ArrayNode::Kind::scalar || kind == ArrayNode::Kind::concrete;
}

// The bounds in one dtype: equal ones, or that of the one which is not of weak type.
DType bounds_dtype(const Aval& lower, const Aval& upper) {
  const char* who = "fori_loop";
  for (const Aval& bound : {lower, upper})
    if (!bound.shape.empty() || !bound.dtype.is_integer()) fail<TypeError>(who, "the bounds must be integer scalars; got ", Avals{lower, upper});
  if (lower.dtype == upper.dtype) return lower.dtype;
  if (lower.dtype.is_signed() && upper.dtype.is_signed() && lower.weak_type != upper.weak_type) return lower.weak_type ? upper.dtype : lower.dtype;
  fail<TypeError>(who, "the bounds must have equal dtypes; got ", Avals{lower, upper});
}

}  // namespace

Arrays while_loop(const LoopFunctions& functions, const ErasedTree& init, const Loc& loc) {
  SiteScope site(loc);
  return loop_over("while_loop", functions, init);
}

Arrays fori_loop(const Operand& lower, const Operand& upper, FunctionRef<ErasedTree(const Arrays&)> body, const void* identity,
                 const ErasedTree& init, int64_t unroll) {
  const char* who = "fori_loop";
  SiteScope site(lower.loc);
  const DType dtype = bounds_dtype(lower.value.aval(), upper.value.aval());
  // The counter goes around in front of the carry.
  ErasedTree all{{}, init.structure, {" (the counter)"}};
  all.paths.insert(all.paths.end(), init.paths.begin(), init.paths.end());
  auto prepend = [](const Arrays& front, Arrays rest) {
    rest.insert(rest.begin(), front.begin(), front.end());
    return rest;
  };
  if (is_known(lower.value) && is_known(upper.value)) {
    const auto first = lower.value.item<int64_t>(lower.loc), last = upper.value.item<int64_t>(upper.loc);
    auto step = [&](const Arrays& v) {
      const Array counter = v[0] + 1;
      ErasedTree next = body(v);
      next.paths.insert(next.paths.begin(), all.paths[0]);
      next.leaves = prepend({counter}, std::move(next.leaves));
      return Step{std::move(next), {}};
    };
    all.leaves = prepend({Array(first)}, init.leaves);
    if (unroll == -2) fail<ValueError>(who, "unroll must be a bool or a number that is not negative");
    Arrays results = scan(step, identity, all, {}, std::max<int64_t>(last - first, 0), false, unroll == -1 ? 1 : unroll, lower.loc).carry;
    results.erase(results.begin());
    return results;
  }
  if (unroll != -1 && unroll != 1) fail<ValueError>(who, "unroll needs bounds that are known while tracing");
  all.paths.insert(all.paths.begin(), " (the upper bound)");
  all.leaves = prepend({lax::convert_type(lower.value, dtype, lower.value.weak_type()), lax::convert_type(upper.value, dtype, upper.value.weak_type())}, init.leaves);
  auto decide = [](const Arrays& v) { return ErasedTree{{lax::lt(v[0], v[1])}, {}, {}}; };
  auto step = [&](const Arrays& v) {
    // The counter moves before the body, as in JAX's text.
    const Array counter = lax::add(v[0], constant_of(v[0], 1)), bound = v[1];
    Arrays inputs = v;
    inputs.erase(inputs.begin() + 1);
    ErasedTree next = body(inputs);
    next.paths.insert(next.paths.begin(), all.paths.begin(), all.paths.begin() + 2);
    next.leaves = prepend({counter, bound}, std::move(next.leaves));
    return next;
  };
  Arrays results = loop_over(who, {decide, step, nullptr}, all);
  results.erase(results.begin(), results.begin() + 2);
  return results;
}

}  // namespace tenon::detail
