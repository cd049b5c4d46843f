// Functions that bring their own derivatives, and functions that are computed again instead of kept.
#pragma once

#include "tenon/detail/callable.h"

#pragma GCC visibility push(default)

namespace tenon {

class Eqn;

/// Names for jaxprs and errors.
struct CustomJvpOptions {
  TENON_NAMED;
  std::string name = "<lambda>", rule_name = "<lambda>";
};
struct CustomVjpOptions {
  TENON_NAMED;
  std::string name = "<lambda>", forward_name = "<lambda>", backward_name = "<lambda>";
};

/// Which values derivatives of a checkpoint keep instead of computing them again.
class CheckpointPolicy {
 public:
  static const CheckpointPolicy nothing_saveable, everything_saveable;
  /// Results of dots and convolutions; of dots without batched axes.
  static const CheckpointPolicy dots_saveable, dots_with_no_batch_dims_saveable;
  /// Values that checkpoint_name gave one of these names; any other name.
  static CheckpointPolicy save_only_these_names(std::vector<std::string> names) { return {Kind::only_names, std::move(names)}; }
  static CheckpointPolicy save_any_names_but_these(std::vector<std::string> names) { return {Kind::other_names, std::move(names)}; }
  /// All values, named or not. As in JAX the named ones are saved too: they are values before they have a name.
  static CheckpointPolicy save_anything_except_these_names(std::vector<std::string> names) { return {Kind::but_names, std::move(names)}; }
  /// What one of the two saves.
  static CheckpointPolicy save_from_both_policies(CheckpointPolicy first, CheckpointPolicy second);

  bool saves(const Eqn& eqn) const;
  /// As JAX prints the function.
  std::string str() const;
  /// With the names: equal for equal policies.
  std::string key() const;
  bool operator==(const CheckpointPolicy&) const = default;

 private:
  enum class Kind { nothing, everything, dots, dots_without_batch, only_names, other_names, but_names, both };
  CheckpointPolicy(Kind kind, std::vector<std::string> names = {}) : kind_(kind), names_(std::move(names)) {}
  Kind kind_;
  std::vector<std::string> names_;
  std::vector<CheckpointPolicy> parts_;
};
inline const CheckpointPolicy CheckpointPolicy::nothing_saveable{Kind::nothing};
inline const CheckpointPolicy CheckpointPolicy::everything_saveable{Kind::everything};
inline const CheckpointPolicy CheckpointPolicy::dots_saveable{Kind::dots};
inline const CheckpointPolicy CheckpointPolicy::dots_with_no_batch_dims_saveable{Kind::dots_without_batch};

struct CheckpointOptions {
  TENON_NAMED;
  std::optional<CheckpointPolicy> policy = {};  // none: nothing but the arguments
  /// What is computed again is kept apart from what is already known.
  bool prevent_cse = true;
};

namespace detail {

FlatResult checkpoint_of(const Call& call, const CheckpointOptions& options);

/// A call of a function with a rule, with the types erased. Trees are known by their prototypes,
/// which the user's functions give.
class CustomCall : public RefCounted {
 public:
  virtual ~CustomCall() = default;
  /// What the function gives for these leaves of its arguments.
  virtual Arrays call(const Arrays& leaves) const = 0;
  /// A tree like the result, once it is known.
  mutable Ref<RefCounted> result;
  Arrays leaves;
  Loc loc;

 protected:
  template <class R>
  Arrays keep(const R& value) const {
    FlatResult flat = flatten_result(value);
    result = std::move(flat.prototype);
    return std::move(flat.leaves);
  }
};
class CustomJvpCall : public CustomCall {
 public:
  /// Results, then tangents.
  struct Pair {
    Arrays results, tangents;
  };
  virtual Pair jvp(const Arrays& primals, const Arrays& tangents) const = 0;
  CustomJvpOptions options;
};
class CustomVjpCall : public CustomCall {
 public:
  struct Pair {
    Arrays results, residuals;
  };
  virtual Pair forward(const Arrays& leaves) const = 0;
  virtual Arrays backward(const Arrays& residuals, const Arrays& cotangents) const = 0;
  CustomVjpOptions options;
};
Arrays call_custom(Ref<const CustomJvpCall> call);
Arrays call_custom(Ref<const CustomVjpCall> call);
template <class F, class Rule, class R, class... A>
class CustomJvpCallOf final : public CustomJvpCall {
 public:
  CustomJvpCallOf(F f, Rule rule, A... args) : f_(std::move(f)), rule_(std::move(rule)), args_(std::move(args)...) { leaves = tree::leaves(args_); }
  Arrays call(const Arrays& values) const override { return keep<R>(std::apply(f_, tree::unflatten(args_, values))); }
  Pair jvp(const Arrays& primals, const Arrays& tangents) const override {
    auto both = std::tuple_cat(tree::unflatten(args_, primals), tree::unflatten(args_, tangents));
    auto [value, change] = std::apply(rule_, std::move(both));
    return {keep<R>(static_cast<R>(value)), tree::leaves(static_cast<R>(change))};
  }

 private:
  mutable F f_;
  mutable Rule rule_;
  std::tuple<A...> args_;
};

template <class F, class Forward, class Backward, class R, class... A>
class CustomVjpCallOf final : public CustomVjpCall {
 public:
  using Residuals = typename std::invoke_result_t<Forward&, A...>::second_type;
  CustomVjpCallOf(F f, Forward forward, Backward backward, A... args)
      : f_(std::move(f)), forward_(std::move(forward)), backward_(std::move(backward)), args_(std::move(args)...) {
    leaves = tree::leaves(args_);
  }
  Arrays call(const Arrays& values) const override { return keep<R>(std::apply(f_, tree::unflatten(args_, values))); }
  Pair forward(const Arrays& values) const override {
    auto [value, residuals] = std::apply(forward_, tree::unflatten(args_, values));
    residuals_ = make_ref<Holder<Residuals>>(residuals);
    return {keep<R>(static_cast<R>(value)), tree::leaves(residuals)};
  }
  Arrays backward(const Arrays& residuals, const Arrays& cotangents) const override {
    const Residuals& like = static_cast<Holder<Residuals>&>(*residuals_).value;
    R cotangent = unflatten_result<R>({cotangents, result});
    return tree::leaves(std::tuple<A...>(backward_(tree::unflatten(like, residuals), std::move(cotangent))));
  }

 private:
  mutable F f_;
  mutable Forward forward_;
  mutable Backward backward_;
  std::tuple<A...> args_;
  mutable Ref<RefCounted> residuals_;
};

}  // namespace detail

/// x, by a name that policies of checkpoint know. Its derivative has no name. Throws nothing.
///
///     checkpoint([](Array x) { return jnp::sin(checkpoint_name(jnp::sin(x), "inner")); },
///                {.policy = CheckpointPolicy::save_only_these_names({"inner"})})
Array checkpoint_name(const Operand& x, const std::string& name);
/// Each array of a tree by this name.
template <class T>
  requires(!std::is_convertible_v<const T&, Operand>)
T checkpoint_name(const T& values, const std::string& name) {
  return tree::map([&](const Array& x) { return checkpoint_name(Operand(x), name); }, values);
}

template <class F, class Rule, class S>
class CustomJvpFn;
template <class F, class Rule, class R0, class... A>
class CustomJvpFn<F, Rule, R0(A...)> {
 public:
  using R = detail::lift_t<R0>;
  using tenon_signature = R(A...);
  static_assert(std::is_invocable_v<Rule&, A..., A...>,
                "tenon: the rule of custom_jvp takes the arguments, then their tangents, and returns the pair {value, tangent}");
  CustomJvpFn(F f, Rule rule, CustomJvpOptions options) : f_(std::move(f)), rule_(std::move(rule)), options_(std::move(options)) {}
  R operator()(A... args, Loc loc = Loc::current()) const {
    auto call = detail::make_ref<detail::CustomJvpCallOf<F, Rule, R, A...>>(f_, rule_, std::move(args)...);
    call->options = options_;
    call->loc = loc;
    Arrays results = detail::call_custom(detail::Ref<const detail::CustomJvpCall>(call));
    return detail::unflatten_result<R>({std::move(results), call->result});
  }

 private:
  F f_;
  Rule rule_;
  CustomJvpOptions options_;
};

template <class F, class Forward, class Backward, class S>
class CustomVjpFn;
template <class F, class Forward, class Backward, class R0, class... A>
class CustomVjpFn<F, Forward, Backward, R0(A...)> {
 public:
  using R = detail::lift_t<R0>;
  using tenon_signature = R(A...);
  static_assert(std::is_invocable_v<Forward&, A...>, "tenon: the forward function of custom_vjp takes the arguments and returns the pair {value, residuals}");
  CustomVjpFn(F f, Forward forward, Backward backward, CustomVjpOptions options)
      : f_(std::move(f)), forward_(std::move(forward)), backward_(std::move(backward)), options_(std::move(options)) {}
  R operator()(A... args, Loc loc = Loc::current()) const {
    using CallType = detail::CustomVjpCallOf<F, Forward, Backward, R, A...>;
    static_assert(std::is_invocable_v<Backward&, typename CallType::Residuals, R>,
                  "tenon: the backward function of custom_vjp takes residuals and the cotangent and returns a tuple of cotangents of the arguments");
    auto call = detail::make_ref<CallType>(f_, forward_, backward_, std::move(args)...);
    call->options = options_;
    call->loc = loc;
    Arrays results = detail::call_custom(detail::Ref<const detail::CustomVjpCall>(call));
    return detail::unflatten_result<R>({std::move(results), call->result});
  }

 private:
  F f_;
  Forward forward_;
  Backward backward_;
  CustomVjpOptions options_;
};

/// f, whose derivative is `rule`.
///
///   f        arguments that hold Arrays are differentiated, others are static
///   rule     takes the arguments, then their tangents (trees like them; float0 for integers), and
///            returns the pair {value, tangent}; linear in the tangents
///   result   a function like f; reverse derivatives come from the rule too
///
///     auto safe = custom_jvp([](Array x) { return jnp::log1p(jnp::exp(x)); },
///                            [](Array x, Array t) { return std::pair{jnp::log1p(jnp::exp(x)), t * nn::sigmoid(x)}; });
template <class F, class Rule>
auto custom_jvp(F f, Rule rule, const CustomJvpOptions& options = {}) {
  return CustomJvpFn<F, Rule, detail::signature_t<F>>(std::move(f), std::move(rule), options);
}
/// f with its own backward pass.
///
///   forward    the arguments -> {value, what backward needs}
///   backward   (residuals, cotangent of the value) -> tuple of cotangents, one per argument
///
/// Forward derivatives (jvp, jacfwd) of the result throw TypeError.
template <class F, class Forward, class Backward>
auto custom_vjp(F f, Forward forward, Backward backward, const CustomVjpOptions& options = {}) {
  return CustomVjpFn<F, Forward, Backward, detail::signature_t<F>>(std::move(f), std::move(forward), std::move(backward), options);
}

}  // namespace tenon

#pragma GCC visibility pop
