// What the API knows of a callable: its signature, which parameters are traced and which are
// static, and how a call of it becomes flat arrays in, flat arrays out.
#pragma once

#include <concepts>
#include <string_view>

#include "tenon/tree.h"

#pragma GCC visibility push(default)

namespace tenon {

/// The function returns {value, more}; `more` is not differentiated and comes back beside the result.
struct HasAux {};
inline constexpr HasAux has_aux{};

namespace detail {

template <class... T>
struct Types {};

// ---- signatures. Our own function objects say theirs; Operand reads as Array; a trailing Loc
// is not a parameter.
template <class T>
using param_t = std::conditional_t<std::is_same_v<std::remove_cvref_t<T>, Operand>, Array, std::remove_cvref_t<T>>;
template <class R, class Done, class... A>
struct make_signature;
template <class R, class... D>
struct make_signature<R, Types<D...>> { using type = R(D...); };
template <class R, class... D>
struct make_signature<R, Types<D...>, Loc> { using type = R(D...); };
template <class R, class... D, class A0, class... A>
struct make_signature<R, Types<D...>, A0, A...> : make_signature<R, Types<D..., param_t<A0>>, A...> {
  static_assert(!std::is_lvalue_reference_v<A0> || std::is_const_v<std::remove_reference_t<A0>>,
                "tenon: a traced function takes its parameters by value or const&");
};
template <class M>
struct signature_of_member;
#define TENON_SIGNATURE(qualifiers) \
  template <class C, class R, class... A> \
  struct signature_of_member<R (C::*)(A...) qualifiers> : make_signature<R, Types<>, A...> {};
TENON_SIGNATURE()
TENON_SIGNATURE(const)
TENON_SIGNATURE(noexcept)
TENON_SIGNATURE(const noexcept)
#undef TENON_SIGNATURE
template <class F>
struct signature {};
template <class F>
  requires requires { typename F::tenon_signature; }
struct signature<F> { using type = typename F::tenon_signature; };
template <class F>
  requires(!requires { typename F::tenon_signature; } && requires { &F::operator(); })
struct signature<F> : signature_of_member<decltype(&F::operator())> {};
template <class R, class... A>
struct signature<R (*)(A...)> : make_signature<R, Types<>, A...> {};
template <class R, class... A>
struct signature<R (*)(A...) noexcept> : make_signature<R, Types<>, A...> {};
template <class F>
concept HasSignature = requires { typename signature<std::decay_t<F>>::type; };
template <class F>
using signature_t = typename signature<std::decay_t<F>>::type;

// ---- generic callables: a scalar is traced where the callable takes an Array, and static where
// only the scalar fits.
template <class F, class Done, class... Rest>
struct pick;
template <class F, class... D>
struct pick<F, Types<D...>> {
  static constexpr bool ok = std::is_invocable_v<F&, D...>;
  using type = Types<D...>;
};
template <class F, class... D, class A0, class... A>
struct pick<F, Types<D...>, A0, A...> {
  using traced = pick<F, Types<D..., std::conditional_t<Scalar<A0>, Array, A0>>, A...>;
  static constexpr auto choose() {
    if constexpr (traced::ok || !Scalar<A0>) return std::type_identity<traced>{};
    else return std::type_identity<pick<F, Types<D..., A0>, A...>>{};
  }
  using chosen = typename decltype(choose())::type;
  static constexpr bool ok = chosen::ok;
  using type = typename chosen::type;
};
/// ShapeDtype stands for an Array.
template <class T>
using argument_t = std::conditional_t<std::is_same_v<std::decay_t<T>, ShapeDtype>, Array, std::decay_t<T>>;

/// Parameters of F for a call with these arguments.
template <class F, class... A>
auto parameters() {
  if constexpr (HasSignature<F>) return []<class R, class... P>(std::type_identity<R(P...)>) { return Types<P...>{}; }(std::type_identity<signature_t<F>>{});
  else {
    using choice = pick<F, Types<>, argument_t<A>...>;
    static_assert(choice::ok, "tenon: the callable does not take these arguments, as arrays or as static values");
    return typename choice::type{};
  }
}

// ---- results: scalars are lifted to arrays.
template <class T>
struct lift { using type = T; };
template <Scalar T>
struct lift<T> { using type = Array; };
template <class... T>
struct lift<std::tuple<T...>> { using type = std::tuple<typename lift<T>::type...>; };
template <class A, class B>
struct lift<std::pair<A, B>> { using type = std::pair<typename lift<A>::type, typename lift<B>::type>; };
template <class T>
using lift_t = typename lift<std::remove_cvref_t<T>>::type;

// ---- identity: function pointers by address, captureless callables by type, nothing else.
template <class F>
inline constexpr char kTypeTag = 0;
template <class F>
const void* identity_of(const F& f) {
  if constexpr (std::is_pointer_v<F>) return reinterpret_cast<const void*>(f);
  else if constexpr (std::is_empty_v<F>) return &kTypeTag<F>;
  else return nullptr;
}
/// The name of a function given as a template argument: "f" for &ns::f.
template <auto F>
constexpr std::string_view function_name() {
  std::string_view s = __PRETTY_FUNCTION__;
  s.remove_prefix(s.find("F = ") + 4);
  s = s.substr(0, s.find_first_of(";]"));  // gcc appends "; std::string_view = ..."
  // An unnamed namespace reads "(anonymous namespace)::" or "{anonymous}::".
  for (std::string_view unnamed : {"(anonymous namespace)::", "{anonymous}::"})
    if (auto at = s.rfind(unnamed); at != s.npos) s.remove_prefix(at + unnamed.size());
  s = s.substr(0, s.find('<'));
  if (s.starts_with('(')) s.remove_prefix(s.find(')') + 1);  // a cast: "(tenon::Array (*)(...))f"
  s = s.substr(0, s.find('('));
  if (s.starts_with('&')) s.remove_prefix(1);
  if (auto at = s.rfind("::"); at != s.npos) s.remove_prefix(at + 2);
  return s;
}

// ---- a call, flattened.
template <class R>
struct Holder final : RefCounted {
  R value;
  explicit Holder(R v) : value(std::move(v)) {}
};
/// Leaves of a result and, unless the result is one Array, a tree to put leaves into.
struct FlatResult {
  Arrays leaves;
  Ref<RefCounted> prototype;
};
template <class R>
FlatResult flatten_result(const R& result) {
  static_assert(std::is_same_v<R, Array> || holds_array<R>() || Composite<R> || Sequence<R>,
                "tenon: a traced function returns an Array or a tree of Arrays");
  if constexpr (std::is_same_v<R, Array>) return {{result}, {}};
  else return {tree::leaves(result), make_ref<Holder<R>>(result)};
}
template <class R>
R unflatten_result(FlatResult flat) {
  if constexpr (std::is_same_v<R, Array>) return std::move(flat.leaves[0]);
  else return tree::unflatten(static_cast<Holder<R>&>(*flat.prototype).value, flat.leaves);
}

/// One argument as text, where it is static: for explanations of cache misses.
struct StaticArgument {
  size_t index;
  std::string text;
};

/// A call with the types erased. Lives as long as the call.
class Call {
 public:
  virtual ~Call() = default;
  /// The user's function on these leaves.
  virtual FlatResult run(const Arrays& leaves) const = 0;
  /// Number of arguments, and for each leaf the argument that holds it and its path in it.
  virtual size_t argument_count() const = 0;
  virtual void leaf_paths(FunctionRef<void(size_t argument, const std::string& path)> on_leaf) const = 0;
  virtual std::vector<StaticArgument> static_arguments() const = 0;

  Arrays leaves;
  std::string structure;  // what is not a leaf
  Loc loc;
};

template <class F, class... P>
class CallOf final : public Call {
 public:
  static_assert(!std::is_void_v<std::invoke_result_t<F&, P...>>,
                "a traced function must return what it computes; this one returns void");
  using R = lift_t<std::invoke_result_t<F&, P...>>;
  CallOf(F& f, Loc where, P... args) : f_(f), args_(std::move(args)...) {
    loc = where;
    reserve(leaves, sizeof...(P));
    std::apply([&](auto&... a) { (visit_leaves(a, [&](const Array& leaf) { append(leaves, leaf); }), ...); }, args_);
    if constexpr (!(std::is_same_v<P, Array> && ...))
      std::apply([&](auto&... a) { (append_structure(structure, a), ...); }, args_);
  }
  FlatResult run(const Arrays& values) const override {
    std::tuple<P...> copy = args_;
    size_t next = 0;
    std::apply([&](auto&... a) { (visit_leaves(a, [&](Array& leaf) { leaf = values[next++]; }), ...); }, copy);
    return flatten_result<R>(std::apply(f_, std::move(copy)));
  }
  size_t argument_count() const override { return sizeof...(P); }
  void leaf_paths(FunctionRef<void(size_t argument, const std::string& path)> on_leaf) const override {
    size_t index = 0;
    auto visit = [&](auto& argument) {
      detail::leaf_paths(argument, {}, [&](const std::string& path) { on_leaf(index, path); });
      ++index;
    };
    std::apply([&](auto&... a) { (visit(a), ...); }, args_);
  }
  std::vector<StaticArgument> static_arguments() const override {
    std::vector<StaticArgument> out;
    size_t index = 0;
    std::apply([&](auto&... a) {
      ([&] {
        if constexpr (!holds_array<std::remove_cvref_t<decltype(a)>>()) out.push_back({index, static_text(a)});
        ++index;
      }(), ...);
    }, args_);
    return out;
  }

 private:
  F& f_;
  std::tuple<P...> args_;
};

}  // namespace detail
}  // namespace tenon

#pragma GCC visibility pop
