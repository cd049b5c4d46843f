// scan: the body is traced once, on one element.
#include <algorithm>

#include "base/fail.h"
#include "core/rearrange.h"
#include "control/carry.h"

namespace tenon::detail {
namespace {

int64_t length_of(const Arrays& xs, int64_t wanted) {
  const char* who = "scan";
  std::vector<int64_t> sizes;
  for (const Array& x : xs) {
    if (x.ndim() == 0) fail<ValueError>(who, "a scalar has no leading axis to go along; got ", avals_of(xs));
    sizes.push_back(x.shape()[0]);
  }
  if (wanted < 0 && sizes.empty()) fail<ValueError>(who, "there are no arrays to go along; say the length");
  const int64_t length = wanted < 0 ? sizes[0] : wanted;
  for (int64_t size : sizes) {
    if (size == length) continue;
    if (wanted < 0) fail<ValueError>(who, "the leading axes must have equal sizes; got ", sizes);
    fail<ValueError>(who, "the leading axes must have the size that is given as length, ", length, "; got ", sizes);
  }
  return length;
}

struct TracedScan {
  Jaxpr body;
  Arrays captured;
  ErasedTree carry;  // without leaves
  Ref<RefCounted> y_prototype;
};
TracedScan trace_scan(FunctionRef<Step(const Arrays&)> body, const Avals& avals) {
  TracedScan traced;
  auto step = [&](const Arrays& leaves) {
    Step step = body(leaves);
    Arrays results = std::move(step.carry.leaves);
    results.insert(results.end(), step.y.tree.leaves.begin(), step.y.tree.leaves.end());
    traced.carry = {{}, step.carry.structure, step.carry.paths};
    traced.y_prototype = step.y.prototype;
    return results;
  };
  traced.body = trace_closed("scan", step, avals, traced.captured);
  return traced;
}

template <class T>
std::vector<T> joined(std::vector<T> a, const std::vector<T>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace

ScanResult scan(FunctionRef<Step(const Arrays&)> body, const void* identity, const ErasedTree& init, const Arrays& xs, int64_t wanted_length, bool reverse,
                int64_t unroll, const Loc& loc) {
  const char* who = "scan";
  SiteScope site(loc);
  const int64_t length = length_of(xs, wanted_length);
  if (unroll < 0) fail<ValueError>(who, "unroll must be a bool or a number that is not negative");
  Avals elements;
  for (const Array& x : xs) {
    const Aval aval = x.aval();
    elements.push_back(aval.with_shape(Shape(std::vector<int64_t>(aval.shape.begin() + 1, aval.shape.end()))));
  }
  Arrays carry = init.leaves;
  TracedScan traced = trace_scan(body, joined(avals_of(carry), elements));
  auto carry_out = [&] {
    Avals avals = traced.body.out_avals();
    avals.resize(std::min(avals.size(), traced.carry.paths.size()), Aval());
    return avals;
  };
  while (promote_weak(carry, carry_out())) traced = trace_scan(body, joined(avals_of(carry), elements));
  check_carry(who, init, avals_of(carry), traced.carry, carry_out());
  const size_t num_ys = traced.body.outvars().size() - carry.size();

  // A carry that the body hands on as it is becomes a constant in front of what is captured.
  const size_t num_captured = traced.captured.size();
  const auto forwarded = forwarded_inputs(traced.body);
  std::vector<bool> constant;
  for (size_t i = 0; i < carry.size(); ++i) constant.push_back(forwarded[i] == num_captured + i);
  std::vector<bool> moving = constant;
  moving.flip();
  Jaxpr jaxpr = traced.body;
  const bool moves = std::ranges::count(constant, true) > 0;
  if (moves) {
    jaxpr = keep_results(jaxpr, joined(moving, std::vector<bool>(num_ys, true)));
    jaxpr = move_inputs_to_front(jaxpr, joined(joined(std::vector<bool>(num_captured, false), constant), std::vector<bool>(xs.size(), false)));
  }
  const Arrays consts = joined(where(carry, constant, true), traced.captured), moved = where(carry, constant, false);
  // A result that is its element is the array itself.
  std::vector<std::optional<size_t>> same_as;
  std::vector<bool> keep(moved.size(), true);
  for (size_t i = 0; i < num_ys; ++i) {
    const auto& input = forwarded[carry.size() + i];
    const bool is_element = input && *input >= num_captured + carry.size();
    same_as.push_back(is_element ? std::optional(*input - num_captured - carry.size()) : std::nullopt);
    keep.push_back(!is_element);
  }
  jaxpr = keep_results(jaxpr, keep);

  const Arrays bound = bind_all(scan_p, joined(joined(consts, moved), xs),
                                {{"jaxpr", shared_jaxpr(who, identity, jaxpr)},
                                 {"length", length},
                                 {"num_carry", static_cast<int64_t>(moved.size())},
                                 {"num_consts", static_cast<int64_t>(consts.size())},
                                 {"reverse", reverse},
                                 {"unroll", unroll == 0 ? std::max<int64_t>(length, 1) : unroll}});
  ScanResult result{carry, {{}, traced.y_prototype}};
  size_t next = 0;
  for (size_t i = 0; i < carry.size(); ++i)
    if (!constant[i]) result.carry[i] = bound[next++];
  for (const auto& input : same_as) result.ys.leaves.push_back(input ? xs[*input] : bound[next++]);
  return result;
}

}  // namespace tenon::detail
