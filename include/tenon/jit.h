// jit: trace once for each signature, compile, run.
#pragma once

#include "tenon/stages.h"

#pragma GCC visibility push(default)

namespace tenon {

struct JitOptions {
  TENON_NAMED;
  /// Name of the program; else that of the function, or "<lambda>".
  std::string name = {};
  /// Names of the parameters, for errors and texts; else arg0, arg1, ...
  std::vector<std::string> arg_names = {};
  /// Parameters whose buffers the program may reuse; the arrays are deleted.
  std::vector<int> donate_argnums = {};
  /// The program takes all arguments, also those that no result depends on.
  bool keep_unused = false;
  /// Platform to run on; else the default.
  std::string backend = {};
  /// Layouts in which the program takes its arguments, one for each parameter (for all arrays of a tree), or one for all;
  /// Layout::AUTO: as it reads them best. Arrays in other layouts are copied at each call: device_put(x, format) does it once.
  std::vector<Format> in_formats = {};
  /// Layouts in which it gives its results: one for each array, or one for all.
  std::vector<Format> out_formats = {};
  /// How each signature is compiled when it is called.
  CompileOptions compile_options = {};
};

namespace detail {
/// Jitted functions with the types erased: name, options and cache. Equal identities share one.

struct Jit {
  static Ref<RefCounted> make(const void* identity, std::string_view name, const JitOptions& options);
  static FlatResult call(RefCounted& jit, const Call& call);
  static Ref<RefCounted> trace(RefCounted& jit, const Call& call);
  static int64_t cache_size(const RefCounted& jit);
};

template <class F>
struct JitBase {
  JitBase(F f, std::string_view name, const JitOptions& options)
      : function(make_ref<Holder<F>>(std::move(f))), object(Jit::make(identity_of(function->value), name, options)) {}
  /// Number of signatures whose programs are kept. Jitted functions of one identity share them.
  int64_t cache_size() const { return Jit::cache_size(*object); }

 protected:
  template <class R, class... P>
  R call_with(Loc loc, P... args) const {
    return unflatten_result<R>(Jit::call(*object, CallOf<F, P...>(function->value, loc, std::move(args)...)));
  }
  template <class S, class... P>
  Traced<S> trace_with(Loc loc, P... args) const {
    return Traced<S>(Jit::trace(*object, CallOf<F, P...>(function->value, loc, std::move(args)...)));
  }
  Ref<Holder<F>> function;
  Ref<RefCounted> object;
};
}  // namespace detail

/// A jitted function whose parameters have given types.
template <class F, class S = detail::signature_t<F>>
class JitFn;
template <class F, class R0, class... A>
class JitFn<F, R0(A...)> : public detail::JitBase<F> {
 public:
  using R = detail::lift_t<R0>;
  using tenon_signature = R(A...);
  using detail::JitBase<F>::JitBase;
  R operator()(A... args, Loc loc = Loc::current()) const { return this->template call_with<R, A...>(loc, std::move(args)...); }
  Traced<R(A...)> trace(A... args, Loc loc = Loc::current()) const {
    return this->template trace_with<R(A...), A...>(loc, std::move(args)...);
  }
  Lowered<R(A...)> lower(A... args, Loc loc = Loc::current()) const { return trace(std::move(args)..., loc).lower(); }
};

/// A jitted generic lambda: scalars are traced where it takes an Array.
template <class F>
class GenericJitFn : public detail::JitBase<F> {
 public:
  using detail::JitBase<F>::JitBase;
  template <class... A>
  auto operator()(const A&... args) const {
    return apply_types(picked<A...>(), [&]<class... P>(detail::Types<P...>) {
      return this->template call_with<detail::lift_t<std::invoke_result_t<F&, P...>>, P...>(Loc(), P(args)...);
    });
  }
  template <class... A>
  auto trace(const A&... args) const {
    return apply_types(picked<A...>(), [&]<class... P>(detail::Types<P...>) {
      return this->template trace_with<detail::lift_t<std::invoke_result_t<F&, P...>>(P...), P...>(Loc(), P(args)...);
    });
  }
  template <class... A>
  auto lower(const A&... args) const { return trace(args...).lower(); }

 private:
  template <class... A>
  static constexpr auto picked() {
    using choice = detail::pick<F, detail::Types<>, detail::argument_t<A>...>;
    static_assert(choice::ok, "tenon: the callable does not take these arguments, as arrays or as static values");
    return typename choice::type{};
  }
  template <class T, class G>
  static auto apply_types(T types, G g) { return g(types); }
};

/// Compiles `f` for each signature (shapes, dtypes, weak types, tree structure, static values)
/// at the first call with it, and runs the compiled program.
///
///   f   takes Arrays and trees of them (traced) and scalars, strings, enums, structs (static:
///       one program for each value); returns an Array or a tree. Called only to trace it.
///
///     auto f = jit([](Array x, Array w) { return jnp::tanh(jnp::matmul(x, w)); });
///     Array y = f(x, w);
template <class F>
  requires detail::HasSignature<F>
auto jit(F f, const JitOptions& options = {}) { return JitFn<std::decay_t<F>>(std::move(f), "<lambda>", options); }
template <class F>
  requires(!detail::HasSignature<F>)
auto jit(F f, const JitOptions& options = {}) { return GenericJitFn<F>(std::move(f), "<lambda>", options); }
/// The same for a function named at compile time: jit<f>() knows its name.
template <auto F>
auto jit(const JitOptions& options = {}) { return JitFn<std::decay_t<decltype(F)>>(F, detail::function_name<F>(), options); }

namespace detail {
struct TracedTree {
  Jaxpr jaxpr;
  FlatResult result;  // without values: leaves stand for types
};
TracedTree make_jaxpr_of(const Call& call, const char* who = "make_jaxpr");
}  // namespace detail

/// make_jaxpr(f, return_shape): also shapes and dtypes of the results.
struct ReturnShape {};
inline constexpr ReturnShape return_shape{};

/// The jaxpr of a function: make_jaxpr(f)(x, y). Only types of the arguments count (ShapeDtype will do).
template <class F>
class JaxprFn {
 public:
  explicit JaxprFn(F f) : f_(std::move(f)) {}
  template <class... A>
  Jaxpr operator()(const A&... args) const {
    return [&]<class... P>(detail::Types<P...>) {
      return detail::make_jaxpr_of(detail::CallOf<F, P...>(f_, Loc(), P(args)...)).jaxpr;
    }(detail::parameters<F, A...>());
  }

 private:
  mutable F f_;
};
/// The same, and a tree like the result whose Arrays have shapes and dtypes but no values.
template <class F>
class JaxprAndShapeFn {
 public:
  explicit JaxprAndShapeFn(F f) : f_(std::move(f)) {}
  template <class... A>
  auto operator()(const A&... args) const {
    return [&]<class... P>(detail::Types<P...>) {
      using R = detail::lift_t<std::invoke_result_t<F&, P...>>;
      detail::TracedTree traced = detail::make_jaxpr_of(detail::CallOf<F, P...>(f_, Loc(), P(args)...));
      return std::pair{std::move(traced.jaxpr), detail::unflatten_result<R>(std::move(traced.result))};
    }(detail::parameters<F, A...>());
  }

 private:
  mutable F f_;
};
template <class F>
JaxprFn<std::decay_t<F>> make_jaxpr(F f) { return JaxprFn<std::decay_t<F>>(std::move(f)); }
template <class F>
JaxprAndShapeFn<std::decay_t<F>> make_jaxpr(F f, ReturnShape) { return JaxprAndShapeFn<std::decay_t<F>>(std::move(f)); }

/// What the compile cache of this process did. A hit: a call that found its compiled program.
struct CacheStats {
  int64_t hits = 0, misses = 0, evictions = 0;
  /// Of the programs that are kept, about: machine code, constants, and the program's text.
  int64_t bytes = 0;
  int64_t entries = 0;
};
/// Of jitted functions, and of eager operations large enough to be compiled.
CacheStats program_cache_stats();
/// Forgets all compiled programs: the next calls trace and compile anew. Those that run, and those that a Compiled or a Plan
/// holds, live on. Figures of program_cache_stats() start again.
void clear_caches();

/// Waits for every Array of the tree and hands the tree back.
template <class T>
T block_until_ready(T tree) {
  detail::visit_leaves(tree, [](const Array& a) { a.block_until_ready(); });
  return tree;
}

}  // namespace tenon

#pragma GCC visibility pop
