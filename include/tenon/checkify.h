// Checks of values inside of programs, as values: a function with checks becomes one that returns an error beside its result,
// under jit, vmap and grad too. JAX: jax.experimental.checkify.
#pragma once

#include <optional>

#include "tenon/host_call.h"

#pragma GCC visibility push(default)

namespace tenon {
namespace checkify {

/// What is checked. Bits.
enum class Checks : uint32_t {
  none = 0,
  user = 1,   // check(): the user's own
  nan = 2,    // an operation gave a NaN
  index = 4,  // an index was out of bounds
  div = 8,    // a division by zero
  inf = 16    // an operation gave an infinity (not in JAX, and in no set below)
};
constexpr Checks operator|(Checks a, Checks b) { return Checks(uint32_t(a) | uint32_t(b)); }
constexpr Checks operator&(Checks a, Checks b) { return Checks(uint32_t(a) & uint32_t(b)); }
inline constexpr Checks user_checks = Checks::user, nan_checks = Checks::nan, index_checks = Checks::index, div_checks = Checks::div;
inline constexpr Checks float_checks = nan_checks | div_checks, automatic_checks = float_checks | index_checks;
inline constexpr Checks all_checks = automatic_checks | user_checks;

/// The first check that failed, or none: a tree of arrays, which jit, vmap, scan, ... take and return like any other.
class Error {
 public:
  Error() = default;  // none
  Error(Arrays values, detail::Ref<const detail::RefCounted> facts, std::string key)
      : values_(std::move(values)), facts_(std::move(facts)), key_(std::move(key)) {}
  /// Waits. The message, or nothing where every check held. Of a batch: a line for each element that failed.
  std::optional<std::string> get() const;
  /// Waits. Throws CheckError with the message of get().
  void throw_() const;
  /// "Error(None)".
  std::string str() const;
  template <detail::TextStream S>
  friend S& operator<<(S& out, const Error& x) {
    out << x.str();
    return out;
  }

  const Arrays& values() const { return values_; }
  const detail::Ref<const detail::RefCounted>& facts() const { return facts_; }

 private:
  friend struct tree::node<Error>;
  Arrays values_;
  detail::Ref<const detail::RefCounted> facts_;  // what the values mean
  std::string key_;                              // the same as text: the structure of the tree
};

}  // namespace checkify

template <>
struct tree::node<checkify::Error> {
  static auto members(auto& error) { return std::tie(error.values_, error.key_); }
};

namespace detail {
struct CheckedCall {
  checkify::Error error;
  FlatResult result;
};
CheckedCall call_checked(const Call& call, checkify::Checks checks);
void bind_check(const Operand& pred, const DebugFormat& message, const Arrays& operands, bool debug);
}  // namespace detail

namespace checkify {

/// Demands that `pred`, a bool scalar, holds; else the error says `message`, with values in place of {} (or {0}, {1}, ...).
///
/// Of values it throws CheckError at once. Inside of jit, scan, ... it needs a checkify around: compiling it throws ValueError.
///
///     checkify::check(x > 0, "x must be positive, got {}", x);
template <class... A>
void check(const Operand& pred, const detail::DebugFormat& message, const A&... operands) {
  detail::bind_check(pred, message, tree::leaves(std::tuple<detail::lift_t<A>...>(operands...)), false);
}
/// The same, and nothing where there is no checkify around.
template <class... A>
void debug_check(const Operand& pred, const detail::DebugFormat& message, const A&... operands) {
  detail::bind_check(pred, message, tree::leaves(std::tuple<detail::lift_t<A>...>(operands...)), true);
}
/// check() of all that `error` holds: throws, or hands it to the checkify around.
void check_error(const Error& error);

template <class F>
class CheckedFn {
 public:
  CheckedFn(F f, Checks checks) : f_(std::move(f)), checks_(checks) {}
  template <class... A>
  auto operator()(const A&... args) const {
    return [&]<class... P>(detail::Types<P...>) {
      using R = detail::lift_t<std::invoke_result_t<F&, P...>>;
      detail::CheckedCall called = detail::call_checked(detail::CallOf<F, P...>(f_, Loc(), static_cast<P>(args)...), checks_);
      return std::pair<Error, R>(std::move(called.error), detail::unflatten_result<R>(std::move(called.result)));
    }(detail::parameters<F, A...>());
  }

 private:
  mutable F f_;
  Checks checks_;
};
/// The same with the parameters of `f`, for functions of one signature.
template <class F, class S>
class CheckedFnOf;
template <class F, class R0, class... P>
class CheckedFnOf<F, R0(P...)> {
 public:
  using R = detail::lift_t<R0>;
  CheckedFnOf(F f, Checks checks) : f_(std::move(f)), checks_(checks) {}
  std::pair<Error, R> operator()(P... args, Loc loc = Loc::current()) const {
    detail::CheckedCall called = detail::call_checked(detail::CallOf<F, P...>(f_, loc, std::move(args)...), checks_);
    return {std::move(called.error), detail::unflatten_result<R>(std::move(called.result))};
  }

 private:
  mutable F f_;
  Checks checks_;
};

/// The function that returns {error, f(args...)}: of the checks of `errors`, the first that failed.
///
///     auto [error, y] = jit(checkify::checkify(f, checkify::float_checks))(x);
///     error.throw_();
///
/// As in JAX: of a while_loop that vmap has batched, elements that are done are checked too (put vmap outside); rules of custom
/// derivatives and solvers are not looked into.
template <class F>
  requires detail::HasSignature<F>
auto checkify(F f, Checks errors = user_checks) {
  return CheckedFnOf<std::decay_t<F>, detail::signature_t<F>>(std::move(f), errors);
}
template <class F>
  requires(!detail::HasSignature<F>)
auto checkify(F f, Checks errors = user_checks) { return CheckedFn<F>(std::move(f), errors); }

}  // namespace checkify
}  // namespace tenon

#pragma GCC visibility pop
