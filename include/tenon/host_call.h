// Calls of the host from inside programs: functions that no program can express, input and output, debugging. They run
// when the program runs: at once where values are known, from compiled code otherwise. An exception that the function
// throws arrives as a RuntimeError (which nests it) where the results are waited for; other programs go on.
#pragma once

#include "tenon/detail/callable.h"

#pragma GCC visibility push(default)

namespace tenon {

/// How vmap calls a pure function of the host.
enum class VmapMethod {
  none,                // not at all: an error
  sequential,          // once for each element, in order
  sequential_unrolled, // the same without a loop
  expand_dims,         // once, with a new leading axis; of size 1 where an operand is not mapped
  broadcast_all        // once, with a new leading axis everywhere
};

struct HostCallOptions {
  TENON_NAMED;
  VmapMethod vmap_method = VmapMethod::none;
  std::string name = "<lambda>";
};
struct IoCallbackOptions {
  TENON_NAMED;
  /// Calls happen in the order of the program, also with those of other ordered functions.
  bool ordered = false;
  std::string name = "<lambda>";
};
struct DebugCallbackOptions {
  TENON_NAMED;
  bool ordered = false;
  /// The line that errors name.
  Loc loc = Loc::current();
};

namespace detail {

/// A function of the host with the types erased. Two calls are equal when they call the same object.
class HostFunction : public RefCounted {
 public:
  explicit HostFunction(std::string name) : name(std::move(name)) {}
  virtual ~HostFunction() = default;
  /// On values; from any thread.
  virtual Arrays call(const Arrays& leaves) const = 0;
  const std::string name;
};
using HostFunctionRef = Ref<const HostFunction>;

template <class F, class... A>
class HostFunctionOf final : public HostFunction {
 public:
  using R = std::invoke_result_t<F&, A...>;
  HostFunctionOf(std::string name, F f, const std::tuple<A...>& arguments) : HostFunction(std::move(name)), f_(std::move(f)), arguments_(arguments) {
    std::apply([](auto&... a) { (visit_leaves(a, [](Array& leaf) { leaf = Array(); }), ...); }, arguments_);
  }
  Arrays call(const Arrays& leaves) const override {
    std::tuple<A...> arguments = arguments_;
    size_t next = 0;
    std::apply([&](auto&... a) { (visit_leaves(a, [&](Array& leaf) { leaf = leaves[next++]; }), ...); }, arguments);
    if constexpr (std::is_void_v<R>) {
      std::apply(f_, std::move(arguments));
      return {};
    } else {
      return tree::leaves(lift_t<R>(std::apply(f_, std::move(arguments))));
    }
  }

 private:
  mutable F f_;
  std::tuple<A...> arguments_;  // without leaves
};
template <class F, class... A>
HostFunctionRef host_function(const std::string& name, F f, const std::tuple<A...>& arguments) {
  static_assert(std::is_invocable_v<F&, A...>, "tenon: a function of the host takes the arguments: an Array, or a tree of them, for each");
  return HostFunctionRef(make_ref<HostFunctionOf<F, A...>>(name, std::move(f), arguments));
}

/// The type of what a function of the host gives, and the user's line.
struct HostResult {
  Avals avals;
  Loc loc;
  HostResult(const ShapedArray& aval, Loc loc = Loc::current()) : avals{aval}, loc(loc) {}
  HostResult(const ShapeDtype& like, Loc loc = Loc::current()) : avals{like.aval()}, loc(loc) {}
};
struct HostResults {
  Avals avals;
  Loc loc;
  HostResults(Avals avals, Loc loc = Loc::current()) : avals(std::move(avals)), loc(loc) {}
};
/// What debug::print prints, and the user's line.
struct DebugFormat {
  std::string text;
  Loc loc;
  DebugFormat(const char* text, Loc loc = Loc::current()) : text(text), loc(loc) {}
  DebugFormat(std::string text, Loc loc = Loc::current()) : text(std::move(text)), loc(loc) {}
};

Arrays call_pure(const HostFunctionRef& function, const Avals& results, const Arrays& operands, VmapMethod method, const Loc& loc);
Arrays call_io(const HostFunctionRef& function, const Avals& results, const Arrays& operands, bool ordered, const Loc& loc);
void call_debug(const HostFunctionRef& function, const Arrays& operands, const DebugCallbackOptions& options);
template <class A>
concept DebugOperand = !std::is_same_v<A, DebugCallbackOptions>;
void print_debug(const DebugFormat& format, const Arrays& operands, bool ordered);

}  // namespace detail

namespace lax {

/// f(operands...), computed by the host: f gets values and gives an array of the type `result`, or for several types
/// those arrays (a vector or a tree of them).
///
///   f         a pure function: it may be called several times, or not at all when nobody needs its results, from any
///             thread. It takes what the operands are; scalars become Arrays.
///   result    shape and dtype, known before f is called: x.aval(), ShapeDtype({3}, jnp::float32)
///   options   what vmap does; none: it throws UnimplementedError
///
/// Has no derivative: jvp and grad by an operand throw ValueError; give a function around it a custom_jvp.
///
///     Array y = lax::host_call([](Array v) { return lookup(v); }, x.aval(), x);
template <class F, class... A>
Array host_call(F f, const detail::HostResult& result, const HostCallOptions& options, const A&... operands) {
  const std::tuple<detail::lift_t<A>...> arguments(operands...);
  return detail::call_pure(detail::host_function(options.name, std::move(f), arguments), result.avals, tree::leaves(arguments), options.vmap_method,
                           result.loc)[0];
}
template <class F, class... A>
Array host_call(F f, const detail::HostResult& result, const A&... operands) {
  return host_call(std::move(f), result, HostCallOptions{}, operands...);
}
template <class F, class... A>
Arrays host_call(F f, const detail::HostResults& results, const HostCallOptions& options, const A&... operands) {
  const std::tuple<detail::lift_t<A>...> arguments(operands...);
  return detail::call_pure(detail::host_function(options.name, std::move(f), arguments), results.avals, tree::leaves(arguments), options.vmap_method,
                           results.loc);
}
template <class F, class... A>
Arrays host_call(F f, const detail::HostResults& results, const A&... operands) {
  return host_call(std::move(f), results, HostCallOptions{}, operands...);
}

}  // namespace lax

/// lax::host_call, as JAX calls it.
template <class F, class... A>
Array pure_callback(F f, const detail::HostResult& result, const A&... operands) { return lax::host_call(std::move(f), result, operands...); }
template <class F, class... A>
Array pure_callback(F f, const detail::HostResult& result, const HostCallOptions& options, const A&... operands) {
  return lax::host_call(std::move(f), result, options, operands...);
}
template <class F, class... A>
Arrays pure_callback(F f, const detail::HostResults& results, const A&... operands) { return lax::host_call(std::move(f), results, operands...); }
template <class F, class... A>
Arrays pure_callback(F f, const detail::HostResults& results, const HostCallOptions& options, const A&... operands) {
  return lax::host_call(std::move(f), results, options, operands...);
}

/// f(operands...) by the host, once for each time the program comes there, whether its results are used or not: input
/// and output. Types and operands as in lax::host_call; of no results: io_callback(f, Avals{}, x).
///
/// vmap calls it for each element in order; of ordered ones it throws ValueError. Has no derivative.
template <class F, class... A>
Array io_callback(F f, const detail::HostResult& result, const IoCallbackOptions& options, const A&... operands) {
  const std::tuple<detail::lift_t<A>...> arguments(operands...);
  return detail::call_io(detail::host_function(options.name, std::move(f), arguments), result.avals, tree::leaves(arguments), options.ordered,
                         result.loc)[0];
}
template <class F, class... A>
Array io_callback(F f, const detail::HostResult& result, const A&... operands) {
  return io_callback(std::move(f), result, IoCallbackOptions{}, operands...);
}
template <class F, class... A>
Arrays io_callback(F f, const detail::HostResults& results, const IoCallbackOptions& options, const A&... operands) {
  const std::tuple<detail::lift_t<A>...> arguments(operands...);
  return detail::call_io(detail::host_function(options.name, std::move(f), arguments), results.avals, tree::leaves(arguments), options.ordered,
                         results.loc);
}
template <class F, class... A>
Arrays io_callback(F f, const detail::HostResults& results, const A&... operands) {
  return io_callback(std::move(f), results, IoCallbackOptions{}, operands...);
}

namespace debug {

/// f(operands...) by the host, for its effect; of derivatives the value only, of a vmap each element.
template <class F, class... A>
void callback(F f, const DebugCallbackOptions& options, const A&... operands) {
  const std::tuple<detail::lift_t<A>...> arguments(operands...);
  detail::call_debug(detail::host_function("<lambda>", std::move(f), arguments), tree::leaves(arguments), options);
}
template <class F>
void callback(F f, Loc loc = Loc::current()) {
  callback(std::move(f), DebugCallbackOptions{.loc = loc});
}
template <class F, detail::DebugOperand A>
void callback(F f, const A& a, Loc loc = Loc::current()) {
  callback(std::move(f), DebugCallbackOptions{.loc = loc}, a);
}
template <class F, detail::DebugOperand A, class B>
void callback(F f, const A& a, const B& b, Loc loc = Loc::current()) {
  callback(std::move(f), DebugCallbackOptions{.loc = loc}, a, b);
}
template <class F, detail::DebugOperand A, class B, class C>
void callback(F f, const A& a, const B& b, const C& c, Loc loc = Loc::current()) {
  callback(std::move(f), DebugCallbackOptions{.loc = loc}, a, b, c);
}
/// Of more operands; behind a pack C++ has no place for the user's line.
template <class F, detail::DebugOperand... A>
  requires(sizeof...(A) > 3)
void callback(F f, const A&... operands) {
  callback(std::move(f), DebugCallbackOptions{.loc = Loc()}, operands...);
}

/// Prints a line with the values of the operands in place of {} (or of {0}, {1}, ...; {{ is a brace).
/// Throws ValueError for a format that does not fit the operands.
template <class... A>
void print(const detail::DebugFormat& format, const DebugCallbackOptions& options, const A&... operands) {
  detail::print_debug(format, tree::leaves(std::tuple<detail::lift_t<A>...>(operands...)), options.ordered);
}
template <class... A>
void print(const detail::DebugFormat& format, const A&... operands) {
  print(format, DebugCallbackOptions{}, operands...);
}
/// Where debug::print writes: standard output unless another function is given; nullptr goes back to it. Gives the one
/// before. Called from any thread, for one line at a time.
using Printer = void (*)(std::string_view line);
Printer set_printer(Printer printer);

}  // namespace debug

/// Returns when all effects of the programs started so far have happened: lines are printed, functions of the host have
/// returned. Throws the first error of such a program since the last call. Inside of a function of the host it does
/// nothing. JAX: jax.effects_barrier.
void effects_barrier();

}  // namespace tenon

#pragma GCC visibility pop
