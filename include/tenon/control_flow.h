// Branches and loops as parts of programs, in the spelling of jax.lax. Functions are called to trace them, whatever the
// values are; they may use arrays from around them. Carries, operands and results are trees; C++ scalars in them become arrays.
#pragma once

#include "tenon/detail/callable.h"

#pragma GCC visibility push(default)

namespace tenon {

namespace detail {

/// A tree without its type: the leaves, what is no leaf, and the path of each leaf ("[1]['w']").
struct ErasedTree {
  Arrays leaves;
  std::string structure;
  std::vector<std::string> paths;
};
void add_path(std::vector<std::string>& paths, const std::string& path);
template <class T>
ErasedTree erase(const T& tree) {
  ErasedTree erased;
  visit_leaves(tree, [&](const Array& leaf) { append(erased.leaves, leaf); });
  if constexpr (!std::is_same_v<T, Array>) append_structure(erased.structure, tree);
  leaf_paths(tree, {}, [&](const std::string& path) { add_path(erased.paths, path); });
  return erased;
}
/// Puts leaves[from], leaves[from + 1], ... into the tree.
template <class T>
T with_leaves(T tree, const Arrays& leaves, size_t from = 0) {
  visit_leaves(tree, [&](Array& leaf) { leaf = leaves[from++]; });
  return tree;
}

/// What a branch gave.
struct Outcome {
  ErasedTree tree;
  Ref<RefCounted> prototype;
};
/// What one step of a scan gave.
struct Step {
  ErasedTree carry;
  Outcome y;
};
template <class R>
Outcome outcome_of(const R& result) { return {erase(result), flatten_result(result).prototype}; }

using BranchFunction = FunctionRef<Outcome(const Arrays&)>;
/// A branch, and what tells it from others when it has no state.
struct Branch {
  BranchFunction run;
  const void* identity;
};
FlatResult cond(const Operand& predicate, const Branch& on_true, const Branch& on_false, const Arrays& operands);
FlatResult switch_on(const Operand& index, const std::vector<Branch>& branches, const Arrays& operands);

struct LoopFunctions {
  FunctionRef<ErasedTree(const Arrays&)> condition, body;
  const void* identity;  // of both
};
Arrays while_loop(const LoopFunctions& functions, const ErasedTree& init, const Loc& loc);

struct ScanResult {
  Arrays carry;
  FlatResult ys;
};
/// -1: the length is that of the arrays; unroll 0: all of it.
ScanResult scan(FunctionRef<Step(const Arrays&)> body, const void* identity, const ErasedTree& init, const Arrays& xs, int64_t length, bool reverse,
                int64_t unroll, const Loc& loc);
Arrays fori_loop(const Operand& lower, const Operand& upper, FunctionRef<ErasedTree(const Arrays&)> body, const void* identity,
                 const ErasedTree& init, int64_t unroll);
Arrays associative_scan(FunctionRef<Arrays(const Arrays&, const Arrays&)> combine, const Arrays& elements, bool reverse, int axis, const Loc& loc);
/// `function` of batches of elements at once, by vmap; a batch of 0: all elements.
FlatResult map_batched(FunctionRef<Outcome(const Arrays&)> function, const Arrays& xs, int64_t batch_size, const Loc& loc);

template <class F>
const void* identity_of_all(const F& f) { return identity_of(f); }
template <class F, class G>
const void* identity_of_all(const F& f, const G& g) { return identity_of(f) && identity_of(g) ? &kTypeTag<std::pair<F, G>> : nullptr; }

}  // namespace detail

namespace lax {

/// How many elements one trip of a loop does: a number, or true for all of them.
class Unroll {
 public:
  Unroll(bool all) : count_(all ? 0 : 1) {}
  Unroll(int count) : count_(count), given_(count) {}
  int64_t count() const { return count_; }
  bool is_negative() const { return given_ < 0; }

 private:
  int64_t count_ = 1, given_ = 1;
};

/// on_true(operands...) or on_false(operands...), and only that one is run.
///
///   predicate  a scalar: bool, or a number that is compared with 0
///   on_true, on_false  give trees of one structure with leaves of the same types
///   result     that tree
///
///     lax::cond(x > 0, [](Array v) { return jnp::sqrt(v); }, [](Array v) { return -v; }, x)
///
/// Throws TypeError that names the leaf and both types where the branches differ.
template <class T, class F, class... A>
auto cond(const Operand& predicate, T on_true, F on_false, const A&... operands) {
  using Arguments = std::tuple<detail::lift_t<A>...>;
  using R = detail::lift_t<std::invoke_result_t<T&, detail::lift_t<A>...>>;
  static_assert(std::is_same_v<R, detail::lift_t<std::invoke_result_t<F&, detail::lift_t<A>...>>>,
                "tenon: cond: both branches must give the same type");
  const Arguments arguments(operands...);
  auto run_true = [&](const Arrays& leaves) { return detail::outcome_of<R>(std::apply(on_true, detail::with_leaves(arguments, leaves))); };
  auto run_false = [&](const Arrays& leaves) { return detail::outcome_of<R>(std::apply(on_false, detail::with_leaves(arguments, leaves))); };
  return detail::unflatten_result<R>(detail::cond(predicate, {run_true, detail::identity_of(on_true)}, {run_false, detail::identity_of(on_false)},
                                                  tree::leaves(arguments)));
}

/// branches[index](operands...); an index out of range is moved inside.
///
///   index     an integer scalar
///   branches  a tuple of functions, or a vector or array of functions of one type
///
///     lax::switch_(i, std::tuple{f, g, h}, x)
template <class Branches, class... A>
auto switch_(const Operand& index, Branches branches, const A&... operands) {
  using Arguments = std::tuple<detail::lift_t<A>...>;
  const Arguments arguments(operands...);
  auto switch_over = [&](auto&... branch) {
    using First = std::tuple_element_t<0, std::tuple<decltype(branch)...>>;
    using R = detail::lift_t<std::invoke_result_t<First, detail::lift_t<A>...>>;
    static_assert((std::is_same_v<R, detail::lift_t<std::invoke_result_t<decltype(branch), detail::lift_t<A>...>>> && ...),
                  "tenon: switch_: all branches must give the same type");
    auto runner = [&](auto& f) {
      return [&](const Arrays& leaves) { return detail::outcome_of<R>(std::apply(f, detail::with_leaves(arguments, leaves))); };
    };
    auto runners = std::tuple{runner(branch)...};
    return std::apply([&](auto&... run) {
      return detail::unflatten_result<R>(detail::switch_on(index, {detail::Branch{run, detail::identity_of(branch)}...}, tree::leaves(arguments)));
    }, runners);
  };
  if constexpr (detail::Sequence<Branches>) {
    using F = typename Branches::value_type;
    using R = detail::lift_t<std::invoke_result_t<F&, detail::lift_t<A>...>>;
    struct Runner {
      F& f;
      const Arguments& arguments;
      detail::Outcome operator()(const Arrays& leaves) const { return detail::outcome_of<R>(std::apply(f, detail::with_leaves(arguments, leaves))); }
    };
    std::vector<Runner> runners;
    for (F& f : branches) runners.push_back({f, arguments});
    std::vector<detail::Branch> erased;
    for (Runner& run : runners) erased.push_back({run, detail::identity_of(run.f)});
    return detail::unflatten_result<R>(detail::switch_on(index, erased, tree::leaves(arguments)));
  } else {
    return std::apply(switch_over, branches);
  }
}

/// carry = body(carry) as long as condition(carry) holds.
///
///   condition  gives a bool scalar
///   body       gives a carry of the structure and the types of the one it takes
///   result     the last carry
///
///     lax::while_loop([](Array v) { return v < 100; }, [](Array v) { return v * 2; }, x)
///
/// Throws TypeError that names the leaf and both types where body changes them.
template <class C, class B, class Init>
auto while_loop(C condition, B body, const Init& init, Loc loc = Loc::current()) {
  using Carry = detail::lift_t<Init>;
  const Carry start(init);
  auto decide = [&](const Arrays& leaves) {
    return detail::erase(static_cast<detail::lift_t<std::invoke_result_t<C&, Carry>>>(condition(detail::with_leaves(start, leaves))));
  };
  auto step = [&](const Arrays& leaves) { return detail::erase(static_cast<Carry>(body(detail::with_leaves(start, leaves)))); };
  return detail::with_leaves(start, detail::while_loop({decide, step, detail::identity_of_all(condition, body)}, detail::erase(start), loc));
}

struct ForiOptions {
  TENON_NAMED;
  std::optional<Unroll> unroll = {};  // only where the bounds are known
};
/// for (i = lower; i < upper; ++i) carry = body(i, carry). Bounds that are known make it a scan, which has a gradient;
/// otherwise it is a while_loop.
///
///     lax::fori_loop(0, 10, [x](Array i, Array v) { return v * x + i; }, 0.0)
template <class B, class Init>
auto fori_loop(const Operand& lower, const Operand& upper, B body, const Init& init, const ForiOptions& options = {}) {
  using Carry = detail::lift_t<Init>;
  const Carry start(init);
  auto step = [&](const Arrays& leaves) { return detail::erase(static_cast<Carry>(body(leaves[0], detail::with_leaves(start, leaves, 1)))); };
  return detail::with_leaves(start, detail::fori_loop(lower, upper, step, detail::identity_of(body), detail::erase(start),
                                                      options.unroll ? options.unroll->is_negative() ? -2 : options.unroll->count() : -1));
}

struct ScanOptions {
  TENON_NAMED;
  std::optional<int64_t> length = {};
  bool reverse = false;  // from the last element to the first; results stand where their elements do
  Unroll unroll = 1;
};
/// Goes along the leading axis: (carry, y) = body(carry, x) for each element x of xs, in order.
///
///   body    gives a pair of the next carry, of the types it takes, and a result
///   xs      a tree of arrays with equal leading axes, or Empty{} with a length
///   result  a pair of the last carry and the results, stacked along a new leading axis
///
///     auto [total, sums] = lax::scan([](Array c, Array x) { return std::pair{c + x, c}; }, 0.0, xs);
///
/// Throws TypeError that names the leaf and both types where body changes the carry's.
template <class F, class Init, class Xs>
auto scan(F body, const Init& init, const Xs& xs, const ScanOptions& options = {}, Loc loc = Loc::current()) {
  using Carry = detail::lift_t<Init>;
  using X = detail::lift_t<Xs>;
  using Pair = std::remove_cvref_t<std::invoke_result_t<F&, Carry, X>>;
  static_assert(detail::TupleLike<Pair>, "tenon: scan: the body must give a pair of the carry and a result");
  using Y = detail::lift_t<std::tuple_element_t<1, Pair>>;
  const Carry start(init);
  const X along(xs);
  const detail::ErasedTree erased = detail::erase(start);
  auto step = [&](const Arrays& leaves) {
    const Pair result = body(detail::with_leaves(start, leaves), detail::with_leaves(along, leaves, erased.leaves.size()));
    return detail::Step{detail::erase(static_cast<Carry>(std::get<0>(result))), detail::outcome_of<Y>(std::get<1>(result))};
  };
  detail::ScanResult result = detail::scan(step, detail::identity_of(body), erased, tree::leaves(along), options.length.value_or(-1), options.reverse,
                                           options.unroll.is_negative() ? -1 : options.unroll.count(), loc);
  return std::pair<Carry, Y>(detail::with_leaves(start, result.carry), detail::unflatten_result<Y>(std::move(result.ys)));
}
template <class F, class Init, class Xs, std::integral Length>
auto scan(F body, const Init& init, const Xs& xs, Length length, Loc loc = Loc::current()) {
  return scan(std::move(body), init, xs, ScanOptions{.length = length}, loc);
}

struct MapOptions {
  TENON_NAMED;
  std::optional<int64_t> batch_size = {};  // this many elements at once, by vmap
};
/// f of each element of the leading axis, one after the other, stacked. With batch_size as many elements at once,
/// by vmap, and what is left over in a last, smaller batch; 0 is one batch of all.
///
///     lax::map([](Array row) { return jnp::sort(row); }, rows)
template <class F, class Xs>
auto map(F f, const Xs& xs, const MapOptions& options = {}, Loc loc = Loc::current()) {
  using X = detail::lift_t<Xs>;
  using R = detail::lift_t<std::invoke_result_t<F&, X>>;
  if (options.batch_size) {
    const X elements(xs);
    auto run = [&](const Arrays& leaves) { return detail::outcome_of<R>(f(detail::with_leaves(elements, leaves))); };
    return detail::unflatten_result<R>(detail::map_batched(run, tree::leaves(elements), *options.batch_size, loc));
  }
  return scan([&](Empty, const X& x) { return std::pair<Empty, R>(Empty{}, f(x)); }, Empty{}, xs, ScanOptions{}, loc).second;
}

struct AssociativeScanOptions {
  TENON_NAMED;
  bool reverse = false;
  int axis = 0;
};
/// Elements 0 .. i combined, for each i along the axis, in log(size) calls of `combine`.
///
///   combine   associative, on whole arrays element by element: combine(a, b) has the type of a and b
///   elements  a tree of arrays with axes of one size
///
///     lax::associative_scan([](Array a, Array b) { return a * b; }, x)   // jnp::cumprod(x)
template <class F, class T>
T associative_scan(F combine, const T& elements, const AssociativeScanOptions& options = {}, Loc loc = Loc::current()) {
  auto flat = [&](const Arrays& a, const Arrays& b) {
    return tree::leaves(static_cast<T>(combine(detail::with_leaves(elements, a), detail::with_leaves(elements, b))));
  };
  return tree::unflatten(elements, detail::associative_scan(flat, tree::leaves(elements), options.reverse, options.axis, loc));
}

}  // namespace lax
}  // namespace tenon

#pragma GCC visibility pop
