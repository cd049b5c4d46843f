// custom_vmap_call: a program that brings its own rule of batching.
#include "base/fail.h"
#include "control/call.h"
#include "control/rules.h"
#include "tenon/custom_batching.h"
#include "tenon/stablehlo_builder.h"
#include "trace/jaxpr_trace.h"

namespace tenon::detail {
namespace {

/// A rule for the operands of the equation; results that are batched have the axis in front.
struct RuleResult {
  Arrays values;
  Flags batched;
};
class VmapRuleFunction : public RefCounted {
 public:
  virtual RuleResult call(int64_t axis_size, const Flags& batched, const Arrays& operands) const = 0;
  std::string name, function_name;
  const void* identity = nullptr;
};
using VmapRuleRef = Ref<const VmapRuleFunction>;

// The parameter rule. Rules without state are equal when they are of one type.
struct VmapRule {
  VmapRuleRef function;
  std::string str() const { return "<function " + function->name + " at 0xXXXXXXXXXXXX>"; }
  bool operator==(const VmapRule& other) const {
    return function == other.function || (function->identity && function->identity == other.function->identity);
  }
};

// The operands: what the function captured, then its arguments.
class UserRule final : public VmapRuleFunction {
 public:
  UserRule(Ref<const CustomVmapCall> call, size_t captured) : call_(std::move(call)), captured_(captured) {
    name = call_->options.rule_name;
    function_name = call_->options.name;
    identity = call_->identity;
  }
  RuleResult call(int64_t axis_size, const Flags& batched, const Arrays& operands) const override {
    for (size_t i = 0; i < captured_; ++i)
      if (batched[i])
        fail<ValueError>(function_name, "a custom_vmap function captures a ", operands[i].aval(),
                         " that is batched; its rule knows only its arguments: make what it captures an argument");
    SiteReset site;
    VmapRuleResult result = call_->rule(axis_size, part(batched, captured_, batched.size()), part(operands, captured_, operands.size()));
    if (result.tree.structure != call_->structure)
      fail<ValueError>(name, "the rule of ", function_name, " gives a tree of another structure than the function, whose is ", call_->results);
    if (result.batched.size() == 1) result.batched.resize(result.tree.leaves.size(), result.batched[0]);
    if (result.batched.size() != result.tree.leaves.size())
      fail<ValueError>(name, "the rule of ", function_name, " says of ", result.batched.size(), " arrays whether they are batched and gives ",
                       result.tree.leaves.size());
    return {std::move(result.tree.leaves), std::move(result.batched)};
  }

 private:
  Ref<const CustomVmapCall> call_;
  size_t captured_;
};

// The rule of the derivative. The operands: those of `rule`, then the tangents of those that have one. A value and its tangent are
// batched together.
class JvpOfRule final : public VmapRuleFunction {
 public:
  JvpOfRule(VmapRuleRef rule, Flags operands, Flags results) : rule_(std::move(rule)), operands_(std::move(operands)), results_(std::move(results)) {
    name = "custom_vmap_jvp.<locals>.jvp_of_rule_rule";
    function_name = rule_->function_name;
  }
  RuleResult call(int64_t axis_size, const Flags& batched, const Arrays& operands) const override {
    const size_t count = operands_.size();
    Flags both;
    Arrays primals;
    Tangents tangents;
    size_t next = count;
    for (size_t i = 0; i < count; ++i) {
      const bool has_tangent = operands_[i];
      both.push_back(batched[i] || (has_tangent && batched[next]));
      const auto matched = [&](size_t at) { return both[i] && !batched[at] ? broadcast_along(operands[at], axis_size, 0) : operands[at]; };
      primals.push_back(matched(i));
      tangents.push_back(has_tangent ? Tangent(matched(next++)) : zero_like(primals[i]));
    }
    Flags out_batched;
    const auto rule = [&](const Arrays& x) {
      RuleResult result = rule_->call(axis_size, both, x);
      out_batched = result.batched;
      return result.values;
    };
    JvpResult derived = jvp_flat(rule, primals, tangents);
    RuleResult out{std::move(derived.primals), out_batched};
    for (size_t i = 0; i < results_.size(); ++i) {
      if (!results_[i]) continue;
      out.values.push_back(instantiate(derived.tangents[i]));
      out.batched.push_back(out_batched[i]);
    }
    return out;
  }

 private:
  VmapRuleRef rule_;
  Flags operands_, results_;  // which have a tangent
};

std::string tree_of_pair(const std::string& tree) {
  const std::string inner = tree.substr(10, tree.size() - 11);  // without PyTreeDef()
  return "PyTreeDef((" + inner + ", " + inner + "))";
}

JvpResult custom_vmap_jvp(const Primitive& self, const Arrays& primals, const Tangents& tangents, const EqnParams& params) {
  const auto& jaxpr = params.get<Jaxpr>("call");
  Flags has_tangent;
  for (const Tangent& t : tangents) has_tangent.push_back(t.aval().dtype.code() != DType::kFloat0);
  const JvpJaxpr derived = jvp_jaxpr(jaxpr, has_tangent, Flags(jaxpr.outvars().size(), true));
  Arrays operands = primals;
  extend(operands, instantiated(tangents, has_tangent));
  const VmapRule rule{make_ref<JvpOfRule>(params.get<VmapRule>("rule").function, has_tangent, derived.nonzero)};
  const Arrays values = bind_all(self, operands, params.with("call", known("custom_vmap", derived.jaxpr)).with("rule", rule)
                                                     .with("in_tree", tree_of_pair(params.get<std::string>("in_tree")))
                                                     .with("out_tree", tree_of_pair(params.get<std::string>("out_tree"))));
  const size_t count = derived.nonzero.size();
  return {part(values, 0, count), spread(values, count, derived.nonzero, jaxpr.out_avals())};
}

BatchResult custom_vmap_batching(const Primitive&, const BatchAxis& axis, const Arrays& operands, const std::vector<int>& axes, const EqnParams& params) {
  const VmapRuleFunction& rule = *params.get<VmapRule>("rule").function;
  Arrays in_front;
  for (size_t i = 0; i < operands.size(); ++i) in_front.push_back(axes[i] == kNotMapped ? operands[i] : move_axis(operands[i], axes[i], 0));
  RuleResult result = rule.call(axis.size, mapped_flags(axes), in_front);
  const Avals wanted = params.get<Jaxpr>("call").out_avals();
  for (size_t i = 0; i < wanted.size(); ++i) {
    std::vector<int64_t> sizes = wanted[i].shape.dims();
    if (result.batched[i]) sizes.insert(sizes.begin(), axis.size);
    const Aval aval{Shape(sizes), wanted[i].dtype};
    if (!same_type(aval, result.values[i].aval()))
      fail<ValueError>(rule.name, "result ", i, " of the rule of ", rule.function_name, " must be ", aval, result.batched[i] ? " (batched)" : " (not batched)",
                       "; got ", result.values[i].aval());
  }
  return {std::move(result.values), axes_where(result.batched, 0)};
}

}  // namespace

static constinit const Primitive custom_vmap_call_p{
    .name = "custom_vmap_call",
    .abstract_eval = [](const Avals& operands, const EqnParams& params) -> Avals {
      return called_avals("custom_vmap_call", params.get<Jaxpr>("call"), operands);
    },
    .jvp = custom_vmap_jvp,
    .linearize = [](const Primitive&, const Arrays&, const Tangents&, const EqnParams& params) -> JvpResult {
      fail<TypeError>(params.get<VmapRule>("rule").function->function_name,
                      "reverse derivatives of a custom_vmap function do not exist; use jvp or jacfwd, or wrap it in custom_vjp");
    },
    .batching = custom_vmap_batching,
    .lowering = [](StablehloBuilder& b, const Values& x, const EqnParams& params) -> Values {
      return b.inlined(params.get<Jaxpr>("call"), x, "");
    },
    .effects = [](const EqnParams& params) { return params.get<Jaxpr>("call").effects(); },
};

Arrays call_custom(const Ref<const CustomVmapCall>& call, const Arrays& leaves) {
  SiteScope site(call->loc);
  if (is_evaluating()) {
    SiteReset reset;
    return call->call(leaves).leaves;
  }
  const auto body = [&](const Arrays& x) { return call->call(x).leaves; };
  Arrays operands;
  const Jaxpr jaxpr = known("custom_vmap", trace_closed(call->options.name.c_str(), body, avals_of(leaves), operands));
  std::string captured;
  for (size_t i = 0; i < operands.size(); ++i) captured += i == 0 ? "*" : ", *";
  const VmapRule rule{make_ref<UserRule>(call, operands.size())};
  extend(operands, leaves);
  const std::string in_tree = "PyTreeDef(([" + captured + "], " + call->arguments.substr(10) + ")";
  return bind_all(custom_vmap_call_p, operands, {{"call", jaxpr}, {"in_tree", in_tree}, {"out_tree", call->results}, {"rule", rule}});
}

VmapRuleResult map_sequentially(const CustomVmapCall& call, const std::vector<bool>& batched, const Arrays& leaves) {
  const Ref<const CustomVmapCall> function(&call);
  const auto step = [&](const Arrays& mapped) {
    Arrays all = leaves;
    for (size_t i = 0, next = 0; i < all.size(); ++i)
      if (batched[i]) all[i] = mapped[next++];
    return Step{{}, {{call_custom(function, all), {}, {}}, {}}};
  };
  ScanResult result = scan(step, nullptr, {}, where(leaves, batched, true), -1, false, 1, call.loc);
  return {{std::move(result.ys.leaves), call.structure, {}}, {true}};
}

}  // namespace tenon::detail
