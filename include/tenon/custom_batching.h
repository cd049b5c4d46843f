// Functions that bring their own rule of batching, in the spelling of jax.custom_batching.
#pragma once

#include "tenon/control_flow.h"

#pragma GCC visibility push(default)

namespace tenon {

/// Names for jaxprs and errors.
struct CustomVmapOptions {
  TENON_NAMED;
  std::string name = "<lambda>", rule_name = "<lambda>";
};

namespace custom_batching {

/// Which leaves of the arguments are batched.
class Batched {
 public:
  explicit Batched(std::vector<std::vector<bool>> by_argument) : by_argument_(std::move(by_argument)) {}
  /// Is any leaf of argument i?
  bool operator[](size_t i) const {
    for (bool leaf : by_argument_[i])
      if (leaf) return true;
    return false;
  }
  /// Leaf by leaf of argument i.
  const std::vector<bool>& leaves(size_t i) const { return by_argument_[i]; }
  /// Number of arguments.
  size_t size() const { return by_argument_.size(); }

 private:
  std::vector<std::vector<bool>> by_argument_;
};

}  // namespace custom_batching

namespace detail {

/// Results of a rule: those that are batched have the axis in front.
struct VmapRuleResult {
  ErasedTree tree;
  std::vector<bool> batched;  // one per leaf, or one for all
};
/// A call of a function with a rule of batching, with the types erased.
class CustomVmapCall : public RefCounted {
 public:
  virtual ErasedTree call(const Arrays& leaves) const = 0;
  /// `batched`: one per leaf.
  virtual VmapRuleResult rule(int64_t axis_size, const std::vector<bool>& batched, const Arrays& leaves) const = 0;
  /// A tree like the result, once it is known.
  mutable Ref<RefCounted> result;
  Arrays leaves;
  std::string arguments;           // structure: "PyTreeDef((*,))"
  mutable std::string results;     // the same of what it gives, once it is known
  mutable std::string structure;   // and in the way of ErasedTree
  const void* identity = nullptr;  // what tells it from others when it has no state
  CustomVmapOptions options;
  Loc loc;
};
/// The results for these leaves.
Arrays call_custom(const Ref<const CustomVmapCall>& call, const Arrays& leaves);
/// The rule of sequential_vmap: one element after the other.
VmapRuleResult map_sequentially(const CustomVmapCall& call, const std::vector<bool>& batched, const Arrays& leaves);
struct OneByOne {};

template <class F, class Rule, class R, class... A>
class CustomVmapCallOf final : public CustomVmapCall {
 public:
  CustomVmapCallOf(F f, Rule rule, A... args) : f_(std::move(f)), rule_(std::move(rule)), args_(std::move(args)...) {
    leaves = tree::leaves(args_);
    arguments = tree::structure(args_).str();
    identity = identity_of(f_) && identity_of(rule_) ? &kTypeTag<std::pair<F, Rule>> : nullptr;
  }
  ErasedTree call(const Arrays& values) const override {
    const R value = static_cast<R>(std::apply(f_, tree::unflatten(args_, values)));
    result = flatten_result(value).prototype;
    results = tree::structure(value).str();
    ErasedTree erased = erase(value);
    structure = erased.structure;
    return erased;
  }
  VmapRuleResult rule(int64_t axis_size, const std::vector<bool>& batched, const Arrays& values) const override {
    if constexpr (std::is_same_v<Rule, OneByOne>) {
      return map_sequentially(*this, batched, values);
    } else {
      std::vector<std::vector<bool>> by_argument;
      size_t next = 0;
      std::apply([&](const auto&... a) { (by_argument.push_back(flags_of(a, batched, next)), ...); }, args_);
      const std::tuple about{axis_size, custom_batching::Batched(std::move(by_argument))};
      auto [value, flags] = std::apply(rule_, std::tuple_cat(about, tree::unflatten(args_, values)));
      VmapRuleResult out{erase(static_cast<R>(value)), {}};
      if constexpr (std::is_same_v<decltype(flags), bool>) out.batched = {flags};
      else for (bool flag : flags) out.batched.push_back(flag);
      return out;
    }
  }

 private:
  template <class T>
  static std::vector<bool> flags_of(const T& argument, const std::vector<bool>& batched, size_t& next) {
    std::vector<bool> flags;
    visit_leaves(argument, [&](const Array&) { flags.push_back(batched[next++]); });
    return flags;
  }
  mutable F f_;
  mutable Rule rule_;
  std::tuple<A...> args_;
};

template <class F, class Rule, class S>
class CustomVmapFn;
template <class F, class Rule, class R0, class... A>
class CustomVmapFn<F, Rule, R0(A...)> {
 public:
  using R = lift_t<R0>;
  using tenon_signature = R(A...);
  CustomVmapFn(F f, Rule rule, CustomVmapOptions options) : f_(std::move(f)), rule_(std::move(rule)), options_(std::move(options)) {}
  R operator()(A... args, Loc loc = Loc::current()) const {
    auto call = make_ref<CustomVmapCallOf<F, Rule, R, A...>>(f_, rule_, std::move(args)...);
    call->options = options_;
    call->loc = loc;
    Arrays results = call_custom(Ref<const CustomVmapCall>(call), call->leaves);
    return unflatten_result<R>({std::move(results), call->result});
  }

 private:
  F f_;
  Rule rule_;
  CustomVmapOptions options_;
};

}  // namespace detail

namespace custom_batching {

/// A function that waits for its rule of batching.
template <class F>
class CustomVmap {
 public:
  CustomVmap(F f, CustomVmapOptions options) : f_(std::move(f)), options_(std::move(options)) {}
  /// The function with `rule`, as custom_vmap describes it.
  template <class Rule>
  auto def_vmap(Rule rule) const {
    return detail::CustomVmapFn<F, Rule, detail::signature_t<F>>(f_, std::move(rule), options_);
  }

 private:
  F f_;
  CustomVmapOptions options_;
};

/// f, of which vmap takes a rule instead of batching its operations.
///
///   f        takes Arrays and trees of them, and static values
///   rule     (axis_size, in_batched, arguments...) -> {results, out_batched}. Batched leaves of the arguments have the axis in
///            front; in_batched[i] says whether argument i has any, in_batched.leaves(i) which. out_batched says which leaves of
///            the results have the axis in front: a bool for all, or a list
///   result   custom_vmap(f).def_vmap(rule): a function like f
///
/// Forward derivatives differentiate f, and under vmap the rule. Reverse derivatives throw TypeError: wrap the function in
/// custom_vjp. Throws ValueError where the rule gives other trees or shapes than f, and where f captures what is batched.
/// Source: jax.custom_batching.custom_vmap.
///
///     auto f = custom_batching::custom_vmap([](Array x, Array y) { return x + y; })
///                  .def_vmap([](int64_t, custom_batching::Batched, Array xs, Array ys) { return std::pair{xs * ys, true}; });
///     vmap(f)(jnp::arange(3), jnp::arange(1, 4));   // 0, 2, 6
template <class F>
auto custom_vmap(F f, const CustomVmapOptions& options = {}) { return CustomVmap<F>(std::move(f), options); }

/// f, which vmap runs for one element after the other, in a scan. Source: jax.custom_batching.sequential_vmap.
template <class F>
auto sequential_vmap(F f, CustomVmapOptions options = {}) {
  options.rule_name = "sequential_vmap.<locals>.rule";
  return detail::CustomVmapFn<F, detail::OneByOne, detail::signature_t<F>>(std::move(f), detail::OneByOne(), options);
}

}  // namespace custom_batching
}  // namespace tenon

#pragma GCC visibility pop
