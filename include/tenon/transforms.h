// Functions of functions: derivatives, batching, shapes; and guards around compilation.
//
// What they return is a function like any other: transformations nest, and jit takes them all.
#pragma once

#include "tenon/custom_derivatives.h"
#include "tenon/jit.h"

#pragma GCC visibility push(default)

namespace tenon {

/// While it lives on a thread, a compilation on it throws CompileForbiddenError that names the
/// function and the argument types. Scopes nest.
class NoCompileScope {
 public:
  [[nodiscard]] NoCompileScope();
  ~NoCompileScope();
  NoCompileScope(const NoCompileScope&) = delete;
};

/// An argument or result that is not mapped: `{.in_axes = {0, none}}`.
inline constexpr std::nullopt_t none = std::nullopt;
struct GradOptions {
  TENON_NAMED;
  /// The function maps complex numbers to complex numbers and is complex differentiable.
  bool holomorphic = false;
  /// Integer arguments are no error; their gradient is zero.
  bool allow_int = false;
};

/// An axis for all arguments (or results), `1`, or one for each, `{0, none}`; `none` where it is not mapped.
class MappedAxes {
 public:
  MappedAxes(int axis) : axes_{axis}, for_all_(true) {}
  MappedAxes(std::initializer_list<std::optional<int>> axes) : axes_(axes) {}
  /// Of argument (or result) i.
  std::optional<int> axis(size_t i) const { return axes_[for_all_ ? 0 : i]; }
  bool fits(size_t count) const { return for_all_ || axes_.size() == count; }
  size_t size() const { return axes_.size(); }

 private:
  std::vector<std::optional<int>> axes_;
  bool for_all_ = false;
};
struct VmapOptions {
  TENON_NAMED;
  MappedAxes in_axes = 0, out_axes = 0;
  /// Name for psum and the like inside.
  std::string axis_name = {};
  /// Needed when nothing is mapped.
  std::optional<int64_t> axis_size = {};
};

namespace detail {

/// Leaves of several trees, one after the other.
struct DerivedResult {
  FlatResult value;
  Arrays derivatives;
};
struct Argnums {
  const int* data;
  size_t size;
};
// With the types erased. Throw TypeError, ValueError as the functions below.
DerivedResult value_and_grad_of(const Call& call, Argnums argnums, const GradOptions& options, bool has_aux);
DerivedResult jvp_of(const Call& call, const Arrays& tangents);
struct LinearMap {  // of a function at a point, forwards or backwards
  FlatResult value;
  Ref<RefCounted> map;
};
LinearMap linearize_of(const Call& call);
Ref<RefCounted> linear_transpose_of(const Call& call);
Arrays push_forward(const RefCounted& map, const Arrays& tangents, Loc loc);
/// `paths`: of the leaves of the result, for errors.
Arrays pull_back(const RefCounted& map, const Arrays& cotangents, FunctionRef<std::vector<std::string>()> paths, Loc loc);
FlatResult vmap_of(const Call& call, const VmapOptions& options);
/// Derivatives of each result leaf by each leaf of the arguments, results major.
DerivedResult jacobian_of(const Call& call, Argnums argnums, bool reverse, const GradOptions& options);
FlatResult eval_shape_of(const Call& call);
Arrays jaxpr_call(const Jaxpr& jaxpr, const Arrays& arguments);
void check_jaxpr(const Jaxpr& jaxpr);

/// A callable made of another one. Impl is copyable and has `F function` and
/// `template <class... P> auto call(Loc, P...) const`.
template <class Impl, class S>
class TypedTransform;
template <class Impl, class R0, class... A>
class TypedTransform<Impl, R0(A...)> {
 public:
  explicit TypedTransform(Impl impl) : impl_(std::move(impl)) {}
  using R = decltype(std::declval<const Impl&>().template call<A...>(Loc(), std::declval<A>()...));
  using tenon_signature = R(A...);
  R operator()(A... args, Loc loc = Loc::current()) const { return impl_.template call<A...>(loc, std::move(args)...); }

 private:
  Impl impl_;
};
template <class Impl, class F>
class GenericTransform {
 public:
  explicit GenericTransform(Impl impl) : impl_(std::move(impl)) {}
  template <class... A>
  auto operator()(const A&... args) const {
    using choice = pick<F, Types<>, argument_t<A>...>;
    static_assert(choice::ok, "tenon: the callable does not take these arguments, as arrays or as static values");
    return [&]<class... P>(Types<P...>) { return impl_.template call<P...>(Loc(), P(args)...); }(typename choice::type{});
  }

 private:
  Impl impl_;
};
template <class F, class Impl>
auto transformed(Impl impl) {
  if constexpr (HasSignature<F>) return TypedTransform<Impl, signature_t<F>>(std::move(impl));
  else return GenericTransform<Impl, F>(std::move(impl));
}

/// The result of F for parameters P, with scalars lifted.
template <class F, class... P>
using call_result_t = lift_t<std::invoke_result_t<F&, P...>>;

/// Takes leaves off the front of a list, tree by tree.
class LeafReader {
 public:
  explicit LeafReader(Arrays leaves) : leaves_(std::move(leaves)) {}
  template <class T>
  T take(const T& prototype) {
    T out = prototype;
    visit_leaves(out, [&](Array& a) { a = next(); });
    return out;
  }

 private:
  Array next();
  Arrays leaves_;
  size_t at_ = 0;
};

/// Trees of the chosen arguments: one argument as it is, several as a tuple.
template <int... I, class... P>
auto chosen(LeafReader reader, const std::tuple<P...>& args) {
  static_assert(((I >= 0 && I < static_cast<int>(sizeof...(P))) && ...), "tenon: there is no argument of this number");
  static_assert((holds_array<std::tuple_element_t<static_cast<size_t>(I), std::tuple<P...>>>() && ...),
                "tenon: a derivative by an argument that holds no Array; make the parameter an Array");
  if constexpr (sizeof...(I) == 1) return (reader.take(std::get<static_cast<size_t>(I)>(args)), ...);
  else return std::tuple{reader.take(std::get<static_cast<size_t>(I)>(args))...};  // braces: in order
}

template <class F, bool with_value, bool aux, int... I>
struct GradImpl {
  F function;
  GradOptions options;
  template <class... P>
  auto call(Loc loc, P... args) const {
    using R = call_result_t<F, P...>;
    F f = function;
    const std::tuple<P...> held(args...);
    static constexpr int argnums[] = {I...};
    DerivedResult r = value_and_grad_of(CallOf<F, P...>(f, loc, std::move(args)...), {argnums, sizeof...(I)}, options, aux);
    auto gradient = chosen<I...>(LeafReader(std::move(r.derivatives)), held);
    if constexpr (aux) {
      static_assert(requires(R r) { r.first; r.second; }, "tenon: with has_aux the function returns a pair {value, more}");
      R value = unflatten_result<R>(std::move(r.value));
      if constexpr (with_value) return std::pair{std::move(value), std::move(gradient)};
      else return std::pair{std::move(gradient), std::move(value.second)};
    } else {
      static_assert(std::is_same_v<R, Array>, "tenon: grad is of a function that returns one Array, a scalar; with more results use "
                                              "has_aux, vjp or jacrev");
      if constexpr (with_value) return std::pair{unflatten_result<R>(std::move(r.value)), std::move(gradient)};
      else return gradient;
    }
  }
};

template <class F>
struct VmapImpl {
  F function;
  VmapOptions options;
  template <class... P>
  auto call(Loc loc, P... args) const {
    F f = function;
    return unflatten_result<call_result_t<F, P...>>(vmap_of(CallOf<F, P...>(f, loc, std::move(args)...), options));
  }
};

template <class F>
struct CheckpointImpl {
  F function;
  CheckpointOptions options;
  template <class... P>
  auto call(Loc loc, P... args) const {
    F f = function;
    return unflatten_result<call_result_t<F, P...>>(checkpoint_of(CallOf<F, P...>(f, loc, std::move(args)...), options));
  }
};

// The tree of derivatives of R by A: where one of them is an Array, the other; a tuple's is the tuple of its parts'.
template <class R, class A>
struct Jacobian {
  static_assert(std::is_same_v<R, Array> || std::is_same_v<A, Array>,
                "tenon: a Jacobian is of an Array or a tuple of Arrays by trees, or of a tree by one Array");
  static constexpr bool by_array = std::is_same_v<A, Array>;
  static auto make(LeafReader& reader, const R& r, const A& a) {
    if constexpr (by_array) return reader.take(r);
    else return reader.take(a);
  }
};
template <class... R, class A>
  requires(!std::is_same_v<A, Array>)
struct Jacobian<std::tuple<R...>, A> {
  static auto make(LeafReader& reader, const std::tuple<R...>& r, const A& a) {
    return std::apply([&](const R&... part) { return std::tuple{Jacobian<R, A>::make(reader, part, a)...}; }, r);
  }
};
template <class F, bool reverse, int... I>
struct JacobianImpl {
  F function;
  GradOptions options;
  template <class... P>
  auto call(Loc loc, P... args) const {
    using R = call_result_t<F, P...>;
    F f = function;
    const std::tuple<P...> held(args...);
    static constexpr int argnums[] = {I...};
    DerivedResult r = jacobian_of(CallOf<F, P...>(f, loc, std::move(args)...), {argnums, sizeof...(I)}, reverse, options);
    const R value = unflatten_result<R>(std::move(r.value));
    const auto by = chosen<I...>(LeafReader(tree::leaves(std::tuple{std::get<static_cast<size_t>(I)>(held)...})), held);
    LeafReader reader(std::move(r.derivatives));
    return Jacobian<R, std::remove_cvref_t<decltype(by)>>::make(reader, value, by);
  }
};

template <class S>
class PushFn;
template <class S>
class PullFn;

}  // namespace detail

/// The derivatives of a function by the arguments numbered I (the first when none is given), and
/// its value.
///
///   f        returns a scalar Array (with has_aux the pair {scalar, anything})
///   result   value_and_grad: {value, gradients}; grad: the gradients. A gradient has the type of its
///            argument; several are a tuple
///
/// Throws TypeError for results that are not real scalars and arguments that are not floating, unless
/// the options allow it.
///
///     auto [loss, g] = value_and_grad(loss_of)(parameters, x);
template <int... I, class F>
auto value_and_grad(F f, const GradOptions& options = {}) {
  if constexpr (sizeof...(I) == 0) return value_and_grad<0>(std::move(f), options);
  else return detail::transformed<F>(detail::GradImpl<F, true, false, I...>{std::move(f), options});
}
template <int... I, class F>
auto value_and_grad(F f, HasAux, const GradOptions& options = {}) {
  if constexpr (sizeof...(I) == 0) return value_and_grad<0>(std::move(f), has_aux, options);
  else return detail::transformed<F>(detail::GradImpl<F, true, true, I...>{std::move(f), options});
}
template <int... I, class F>
auto grad(F f, const GradOptions& options = {}) {
  if constexpr (sizeof...(I) == 0) return grad<0>(std::move(f), options);
  else return detail::transformed<F>(detail::GradImpl<F, false, false, I...>{std::move(f), options});
}
template <int... I, class F>
auto grad(F f, HasAux, const GradOptions& options = {}) {
  if constexpr (sizeof...(I) == 0) return grad<0>(std::move(f), has_aux, options);
  else return detail::transformed<F>(detail::GradImpl<F, false, true, I...>{std::move(f), options});
}

/// f for all elements along an axis of its arguments at once.
///
///   in_axes    axis of each argument (of every Array in it), or `none`
///   out_axes   axis of each result
///
/// Throws ValueError when sizes of mapped axes differ or a mapped result has out_axes none.
///
///     vmap([](Array row, Array v) { return jnp::dot(row, v); }, {.in_axes = {0, none}})(m, v)
template <class F>
auto vmap(F f, const VmapOptions& options = {}) {
  return detail::transformed<F>(detail::VmapImpl<F>{std::move(f), options});
}

/// f, of which reverse derivatives keep the arguments alone, and compute the rest again: less memory, more work.
template <class F>
auto checkpoint(F f, const CheckpointOptions& options = {}) {
  return detail::transformed<F>(detail::CheckpointImpl<F>{std::move(f), options});
}

/// All derivatives of all results by all elements of the arguments numbered I: shape of the result,
/// then shape of the argument. Forwards (one run per element of the arguments, batched) or in reverse
/// (one per element of the results).
template <int... I, class F>
auto jacfwd(F f, const GradOptions& options = {}) {
  if constexpr (sizeof...(I) == 0) return jacfwd<0>(std::move(f), options);
  else return detail::transformed<F>(detail::JacobianImpl<F, false, I...>{std::move(f), options});
}
template <int... I, class F>
auto jacrev(F f, const GradOptions& options = {}) {
  if constexpr (sizeof...(I) == 0) return jacrev<0>(std::move(f), options);
  else return detail::transformed<F>(detail::JacobianImpl<F, true, I...>{std::move(f), options});
}
/// The second derivatives of a scalar function: jacfwd(jacrev(f)).
template <int... I, class F>
auto hessian(F f, const GradOptions& options = {}) { return jacfwd<I...>(jacrev<I...>(std::move(f), options), options); }

/// Value and directional derivative: the results of f at `primals`, and how they change along `tangents`
/// (trees like the primals; float0 for integers).
template <class F, class... P, class... T>
auto jvp(F f, const std::tuple<P...>& primals, const std::tuple<T...>& tangents, Loc loc = Loc::current()) {
  static_assert(sizeof...(P) == sizeof...(T), "tenon: jvp takes one tangent for each argument");
  return [&]<class... Q>(detail::Types<Q...>) {
    using R = detail::call_result_t<F, Q...>;
    auto call = std::apply([&](Q... q) { return detail::CallOf<F, Q...>(f, loc, std::move(q)...); }, std::tuple<Q...>(primals));
    const Arrays along = tree::leaves(std::tuple<Q...>(tangents));
    detail::DerivedResult r = detail::jvp_of(call, along);
    detail::FlatResult changes{std::move(r.derivatives), r.value.prototype};
    R value = detail::unflatten_result<R>(std::move(r.value));
    return std::pair{std::move(value), detail::unflatten_result<R>(std::move(changes))};
  }(detail::parameters<F, P...>());
}

namespace detail {
/// Tangents of the arguments to tangents of the results, at one point.
template <class R, class... A>
class PushFn<R(A...)> {
 public:
  using tenon_signature = R(A...);
  PushFn(Ref<RefCounted> map, Ref<RefCounted> prototype) : map_(std::move(map)), prototype_(std::move(prototype)) {}
  R operator()(A... tangents, Loc loc = Loc::current()) const {
    return unflatten_result<R>({push_forward(*map_, tree::leaves(std::tuple<A...>(std::move(tangents)...)), loc), prototype_});
  }

 private:
  Ref<RefCounted> map_, prototype_;
};
/// Cotangents of the results to cotangents of the arguments, at one point.
template <class R, class... A>
class PullFn<R(A...)> {
 public:
  using tenon_signature = std::tuple<A...>(R);
  PullFn(Ref<RefCounted> map, std::tuple<A...> arguments) : map_(std::move(map)), arguments_(std::move(arguments)) {}
  std::tuple<A...> operator()(R cotangents, Loc loc = Loc::current()) const {
    auto paths = [&] { return tree::structure(cotangents).leaf_paths(); };
    return LeafReader(pull_back(*map_, tree::leaves(cotangents), paths, loc)).take(arguments_);
  }

 private:
  Ref<RefCounted> map_;
  std::tuple<A...> arguments_;
};
}  // namespace detail

/// Value, and the map of cotangents of the results to a tuple of cotangents of the arguments.
///
///     auto [y, pull] = vjp(f, x);
///     auto [dx] = pull(jnp::ones_like(y));
template <class F, class... A>
auto vjp(F f, const A&... args) {
  return [&]<class... P>(detail::Types<P...>) {
    using R = detail::call_result_t<F, P...>;
    std::tuple<P...> held{P(args)...};
    detail::LinearMap r = detail::linearize_of(detail::CallOf<F, P...>(f, Loc(), P(args)...));
    return std::pair{detail::unflatten_result<R>(std::move(r.value)), detail::PullFn<R(P...)>(std::move(r.map), std::move(held))};
  }(detail::parameters<F, A...>());
}
/// Value, and the map of tangents of the arguments to tangents of the results: f is run once, the map
/// as often as wanted.
template <class F, class... A>
auto linearize(F f, const A&... args) {
  return [&]<class... P>(detail::Types<P...>) {
    using R = detail::call_result_t<F, P...>;
    detail::LinearMap r = detail::linearize_of(detail::CallOf<F, P...>(f, Loc(), P(args)...));
    detail::PushFn<R(P...)> push(std::move(r.map), r.value.prototype);
    return std::pair{detail::unflatten_result<R>(std::move(r.value)), std::move(push)};
  }(detail::parameters<F, A...>());
}

/// The transpose of a linear function: cotangents of its results to a tuple of cotangents of its arguments.
/// Only types of the arguments count (ShapeDtype will do); f is traced, not run.
/// Throws UnimplementedError for an operation that is not linear.
template <class F, class... A>
auto linear_transpose(F f, const A&... args) {
  return [&]<class... P>(detail::Types<P...>) {
    using R = detail::call_result_t<F, P...>;
    std::tuple<P...> held{P(args)...};
    return detail::PullFn<R(P...)>(detail::linear_transpose_of(detail::CallOf<F, P...>(f, Loc(), P(args)...)), std::move(held));
  }(detail::parameters<F, A...>());
}

/// Shapes and dtypes of the results, without values: nothing is computed. Arguments may be ShapeDtype.
template <class F, class... A>
auto eval_shape(F f, const A&... args) {
  return [&]<class... P>(detail::Types<P...>) {
    using R = detail::call_result_t<F, P...>;
    return detail::unflatten_result<R>(detail::eval_shape_of(detail::CallOf<F, P...>(f, Loc(), P(args)...)));
  }(detail::parameters<F, A...>());
}

/// A jaxpr as a function of its inputs, operation by operation under the current trace.
inline auto jaxpr_as_fun(Jaxpr jaxpr) {
  return [jaxpr = std::move(jaxpr)](const Arrays& arguments) { return detail::jaxpr_call(jaxpr, arguments); };
}
/// The results of `jaxpr`. Throws ValueError for a wrong number of arguments, TypeError for wrong types.
inline Arrays eval_jaxpr(const Jaxpr& jaxpr, const Arrays& arguments) { return detail::jaxpr_call(jaxpr, arguments); }

/// Checks `jaxpr` and the jaxprs inside it: each variable is bound once, before it is used; the results of an equation have the shapes and
/// dtypes that its primitive's rule gives for the operands, which a program that is called takes; consts match constvars; effects of
/// equations are effects of the whole. Takes linear time. Throws InternalError that names the equation.
inline void check_jaxpr(const Jaxpr& jaxpr) { detail::check_jaxpr(jaxpr); }

}  // namespace tenon

#pragma GCC visibility pop
